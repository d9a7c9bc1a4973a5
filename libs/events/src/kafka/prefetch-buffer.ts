import type { KafkaMessage } from 'kafkajs';
import type { PartitionProgress } from './partition-progress';
import { bytesOf } from './records';

/** Fetching pauses above, and goes on below half of it: kafkajs looks only twice a second whether it may. */
const MESSAGES_MAX = 20_000;
const BYTES_MAX = 16 * 1024 * 1024;
/** What one batch takes along; a record beyond it comes alone. */
const BATCH_BYTES_MAX = 16 * 1024 * 1024;

/** A message that waits for its handler. */
export interface BufferedMessage {
  place: PartitionProgress;
  message: KafkaMessage;
}

/** What was fetched and not handed over yet, in the order in which it came. */
export class PrefetchBuffer {
  private queue: BufferedMessage[] = [];
  private begin = 0;
  private bytes = 0;
  private wake?: () => void;

  /** Whether nothing more should be fetched. */
  get full(): boolean {
    return this.size >= MESSAGES_MAX || this.bytes >= BYTES_MAX;
  }

  /** Whether fetching may go on after it was held up. */
  get low(): boolean {
    return this.size < MESSAGES_MAX / 2 && this.bytes < BYTES_MAX / 2;
  }

  add(items: readonly BufferedMessage[]): void {
    for (const item of items) this.queue.push(item);
    for (const { message } of items) this.bytes += bytesOf(message);
    this.wake?.();
  }

  /** Puts back what was taken and not handled, in front. */
  putBack(items: readonly BufferedMessage[]): void {
    this.queue = [...items, ...this.queue.slice(this.begin)];
    this.begin = 0;
    for (const { message } of items) this.bytes += bytesOf(message);
  }

  /** The next messages, at most `count`; those of places that are gone are dropped on the way. */
  take(count: number): BufferedMessage[] {
    const batch: BufferedMessage[] = [];
    let bytes = 0;
    while (batch.length < count && this.begin < this.queue.length) {
      const item = this.queue[this.begin]!;
      const size = bytesOf(item.message);
      if (!item.place.revoked && batch.length > 0 && bytes + size > BATCH_BYTES_MAX) break;
      this.begin += 1;
      this.bytes -= size;
      if (item.place.revoked) continue;
      batch.push(item);
      bytes += size;
    }
    if (this.begin === this.queue.length) this.queue = [];
    else if (this.begin > MESSAGES_MAX) this.queue = this.queue.slice(this.begin);
    else return batch;
    this.begin = 0;
    return batch;
  }

  /** Resolves when something may be there, or the signal is aborted. */
  async filled(signal: AbortSignal): Promise<void> {
    if (this.size > 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        this.wake = undefined;
        resolve();
      };
      signal.addEventListener('abort', done);
      this.wake = done;
    });
  }

  private get size(): number {
    return this.queue.length - this.begin;
  }
}
