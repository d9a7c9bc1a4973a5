import type { MessageRequested } from '@tidings/contracts/messaging/events';

/** Maximum number of recipients of a page, which is one transaction. */
export const PAGE_SIZE = 200;
/** Maximum bytes of the messages of a page together; a larger message is a page of one. */
export const PAGE_BYTES_MAX = 8_000_000;

/**
 * Number of recipients of one page. Each message stores its whole request, so a large request has small pages. The data of single
 * recipients is bounded where it is accepted.
 */
export function recipientsAtOnce(request: MessageRequested): number {
  return Math.min(PAGE_SIZE, Math.max(1, Math.floor(PAGE_BYTES_MAX / bytesOfEach(request))));
}

/** Bytes of the request that each of its messages stores. */
export function bytesOfEach({ targets: _targets, ...shared }: MessageRequested): number {
  return Buffer.byteLength(JSON.stringify(shared));
}
