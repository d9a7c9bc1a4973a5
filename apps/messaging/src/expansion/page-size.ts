import type { MessageRequested } from '@tidings/contracts/messaging/events';

/** Recipients of one page: a transaction's worth. */
export const PAGE_SIZE = 200;
/** Of the messages of one page together; of a larger message there is one. */
export const PAGE_BYTES_MAX = 8_000_000;

/**
 * For how many recipients messages are made at a time: each keeps all that its request says, so of a large one there are few. What
 * single recipients bring themselves is bounded where it comes from.
 */
export function recipientsAtOnce(request: MessageRequested): number {
  return Math.min(PAGE_SIZE, Math.max(1, Math.floor(PAGE_BYTES_MAX / bytesOfEach(request))));
}

/** What each message of a request keeps of it, in bytes. */
export function bytesOfEach({ targets: _targets, ...shared }: MessageRequested): number {
  return Buffer.byteLength(JSON.stringify(shared));
}
