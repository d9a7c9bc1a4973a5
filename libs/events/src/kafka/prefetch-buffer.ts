import { withLimit } from '@tidings/contracts/core/with-limit';
import type { KafkaMessage } from 'kafkajs';
import { bytesOf } from './records';

/** Fetching pauses above these limits and resumes below half of them: kafkajs checks only twice a second whether it may fetch. */
const MESSAGES_MAX = 20_000;
const BYTES_MAX = 16 * 1024 * 1024;
/** Limit of one batch; a larger record forms a batch of its own. */
const BATCH_BYTES_MAX = 16 * 1024 * 1024;

/** A record that is signed with an unknown key. */
export interface UnknownKey {
  offset: bigint;
  /** ms since the epoch, by the broker's clock. */
  appendedAt: number;
  keyId: string;
}

/** Progress of a group member in a partition that is assigned to it. Each offset is that of the next record. */
export interface PartitionProgress {
  partition: number;
  /** Everything below is fetched. */
  fetched: bigint;
  /** Everything below is handled. */
  handled: bigint;
  /** The committed offset; `undefined` without one. */
  committed?: bigint;
  /** Latest time of the handled records in the log, ms since the epoch; `undefined`: not known. */
  seenAt?: number;
  /** A record whose key is unknown: neither it nor what follows it is handled for now. */
  waitsAt?: UnknownKey;
  /** The partition was reassigned, or another member got further: buffered records are dropped. */
  revoked: boolean;
}

/** A message that waits for its handler. */
export interface BufferedMessage {
  progress: PartitionProgress;
  message: KafkaMessage;
}

/** Whether a message may be handled now. */
export function isDue({ progress: { revoked, waitsAt }, message }: BufferedMessage): boolean {
  return !revoked && (!waitsAt || BigInt(message.offset) < waitsAt.offset);
}

/** Records that were fetched and not handled yet, in the order of arrival. */
export class PrefetchBuffer {
  private queue: BufferedMessage[] = [];
  private bytes = 0;
  private wake?: () => void;

  /** The part of the limits that is in use: see `GroupReader.throttle`. */
  get load(): number {
    return Math.max(this.queue.length / MESSAGES_MAX, this.bytes / BYTES_MAX);
  }

  add(items: readonly BufferedMessage[]): void {
    for (const item of items) this.queue.push(item);
    for (const { message } of items) this.bytes += bytesOf(message);
    this.wake?.();
  }

  /** Puts unhandled messages back in front. */
  putBack(items: readonly BufferedMessage[]): void {
    this.queue = [...items, ...this.queue];
    for (const { message } of items) this.bytes += bytesOf(message);
  }

  /** Removes and returns the next messages, at most `count`; drops those that must not be handled now. */
  next(count: number): BufferedMessage[] {
    const batch: BufferedMessage[] = [];
    let [removed, bytes] = [0, 0];
    for (const item of this.queue) {
      const size = bytesOf(item.message);
      if (isDue(item)) {
        if (batch.length === count || (batch.length > 0 && bytes + size > BATCH_BYTES_MAX)) break;
        batch.push(item);
        bytes += size;
      }
      removed += 1;
      this.bytes -= size;
    }
    this.queue.splice(0, removed);
    return batch;
  }

  /** Resolves when the buffer may have messages, or the signal is aborted. */
  async filled(signal: AbortSignal): Promise<void> {
    if (this.queue.length > 0 || signal.aborted) return;
    await withLimit(
      { signal },
      () => this.wake?.(),
      () => new Promise<void>((resolve) => (this.wake = resolve)),
    );
  }
}
