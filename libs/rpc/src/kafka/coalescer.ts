import { retryDelayMs } from '@tidings/contracts/core/retry-delay';
import { BatchQueue } from '@tidings/kafka/batch-queue';
import type { Message } from 'kafkajs';
import { setTimeout as delay } from 'node:timers/promises';
import { BATCH_LENGTH_MAX } from './record-size';

/** kafkajs' CPU time grows with the square of the entries. */
const BATCH_COUNT_MAX = 500;
/** Of what waits behind the batch in flight. */
const WAITING = { count: 20_000, size: 64 * 1024 * 1024 };
/** A broker that has acknowledged nothing for so long counts as unavailable: calls are refused instead of queued. */
export const UNAVAILABLE_AFTER_MS = 1_500;
const RETRY_DELAY_MS_MIN = 20;
const RETRY_DELAY_MS_MAX = 250;

/** Whether the broker appended a record; `not produced` when it surely did not. */
export type Outcome = 'acknowledged' | 'not produced' | 'unknown';

/** A record to send, with its deadline and the callback of its outcome. */
export interface OutgoingRecord {
  topic: string;
  message: Message & { partition: number };
  /** Characters of the value. */
  size: number;
  /** Deadline by `performance.now()`; the record is not sent afterwards. */
  notAfter: number;
  /** Whether the record is refused while the broker is unavailable, instead of waiting for it. */
  failsFast?: boolean;
  /** Whether the record may be sent twice. */
  repeatable: boolean;
  /** Set by the coalescer: when the record was added, and whether it was sent, and not refused. */
  addedAt?: number;
  isSent?: boolean;
  /** Called once. */
  settled?(outcome: Outcome): void;
}

/** The broker appended none of an attempt's records. After every other error the outcome is unknown. */
export class NotProduced extends Error {
  constructor(override readonly cause: unknown) {
    super('Kafka did not append the records');
  }
}

/** Batches records for a broker: see `BatchQueue`. A failed batch waits again, in front of later records. */
export class Coalescer {
  private readonly queue = new BatchQueue<OutgoingRecord>({
    batch: { count: BATCH_COUNT_MAX, size: this.batchLengthMax },
    waiting: WAITING,
    paced: true,
    withdrawOverdue: () => this.dropOverdue(),
    send: (batch) => this.sendBatch(batch),
  });
  private attemptSince?: number;
  private failingSince?: number;
  private failures = 0;
  private closed = false;

  constructor(
    private readonly send: (records: readonly OutgoingRecord[]) => Promise<void>,
    /** Called after a failed batch, whose records wait again and may be withdrawn. */
    private readonly afterFailure: () => Promise<void>,
    /** Characters of a batch. */
    private readonly batchLengthMax = BATCH_LENGTH_MAX,
  ) {}

  /** Whether the broker has acknowledged nothing for long, although records wait. */
  isUnavailable(now = performance.now()): boolean {
    if (!this.queue.isRunning) return false;
    const since = Math.min(this.failingSince ?? Infinity, this.attemptSince ?? Infinity);
    return now - since > UNAVAILABLE_AFTER_MS;
  }

  /** False when too much waits or the broker is unavailable; `settled` is not called then. */
  add(record: OutgoingRecord): boolean {
    if (this.closed || this.queue.isFull) return false;
    const now = performance.now();
    if (record.failsFast && this.isUnavailable(now)) return false;
    if (!this.queue.isRunning) this.noteRecovered();
    record.addedAt ??= now;
    this.queue.add(record);
    return true;
  }

  /** Drops fail-fast records that waited too long; the caller that adds such records calls it periodically. */
  sweep(now: number): void {
    if (!this.isUnavailable(now)) return;
    this.drop(({ failsFast, addedAt }) => failsFast === true && now - addedAt! > UNAVAILABLE_AFTER_MS);
  }

  /** Removes and returns waiting records; the caller must settle them. */
  withdraw(wanted: (record: OutgoingRecord) => boolean): OutgoingRecord[] {
    return this.queue.withdraw(wanted);
  }

  /** Refuses further records, and resolves when every record has its outcome; records are retried until their deadlines. */
  async close(): Promise<void> {
    this.closed = true;
    await this.queue.drained();
  }

  private drop(wanted: (record: OutgoingRecord) => boolean) {
    for (const record of this.queue.withdraw(wanted)) record.settled?.('not produced');
  }

  private dropOverdue() {
    const now = performance.now();
    this.drop(({ notAfter }) => notAfter <= now);
  }

  private noteRecovered() {
    this.failingSince = undefined;
    this.failures = 0;
  }

  private async sendBatch(batch: OutgoingRecord[]) {
    this.attemptSince = performance.now();
    for (const record of batch) record.isSent = true;
    try {
      await this.send(batch);
    } catch (error) {
      this.failingSince ??= this.attemptSince;
      this.attemptSince = undefined;
      this.failures += 1;
      this.requeue(batch, error instanceof NotProduced);
      await this.afterFailure();
      await delay(retryDelayMs(this.failures, RETRY_DELAY_MS_MAX, RETRY_DELAY_MS_MIN));
      return;
    }
    this.attemptSince = undefined;
    this.noteRecovered();
    for (const record of batch) record.settled?.('acknowledged');
  }

  /** Puts back records that may be retried, in front of later ones. */
  private requeue(batch: OutgoingRecord[], isNotProduced: boolean) {
    const retried = batch.filter((record) => {
      if (isNotProduced) record.isSent = false;
      if (isNotProduced || record.repeatable) return true;
      record.settled?.('unknown');
      return false;
    });
    this.queue.putBack(retried);
    this.sweep(performance.now());
  }
}
