import { BatchPacer } from '@tidings/kafka/batch-pacer';
import type { Message } from 'kafkajs';

/** Limits of a batch; a single record may exceed them. kafkajs' CPU time grows with the square of the entries. */
const BATCH_ENTRIES_MAX = 500;
const BATCH_CHARACTERS_MAX = 4 * 1024 * 1024;
/** Limits of what waits behind the batch in flight; above them a record is refused at once. */
const WAITING_ENTRIES_MAX = 20_000;
const WAITING_CHARACTERS_MAX = 64 * 1024 * 1024;
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
  /** Size of the value. */
  characters: number;
  /** Deadline by `performance.now()`; the record is not sent afterwards. */
  notAfter: number;
  /** Whether the record is refused while the broker is unavailable, instead of waiting for it. */
  failsFast: boolean;
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

/**
 * Batches records: those that arrive while a batch is in flight share the next one; without one in flight a record is sent at the
 * end of the event loop's tick. One batch at a time, spaced by a `BatchPacer` under load.
 */
export class Coalescer {
  private waiting: OutgoingRecord[] = [];
  private characters = 0;
  private running?: Promise<void>;
  private attemptSince?: number;
  private failingSince?: number;
  private failures = 0;
  private readonly pacer = new BatchPacer();
  private closed = false;

  constructor(
    private readonly send: (records: readonly OutgoingRecord[]) => Promise<void>,
    /** Called after a failed batch, whose records wait again and may be withdrawn. */
    private readonly afterFailure: () => Promise<void>,
  ) {}

  /** Whether the broker has acknowledged nothing for long, although records wait. */
  isUnavailable(now = performance.now()): boolean {
    if (!this.running) return false;
    const since = Math.min(this.failingSince ?? Infinity, this.attemptSince ?? Infinity);
    return now - since > UNAVAILABLE_AFTER_MS;
  }

  /** False when too much waits or the broker is unavailable; `settled` is not called then. */
  add(record: OutgoingRecord): boolean {
    if (this.closed || this.waiting.length >= WAITING_ENTRIES_MAX || this.characters >= WAITING_CHARACTERS_MAX) return false;
    const now = performance.now();
    if (record.failsFast && this.isUnavailable(now)) return false;
    record.addedAt ??= now;
    this.waiting.push(record);
    this.characters += record.characters;
    this.running ??= this.run();
    return true;
  }

  /** Drops fail-fast records that waited too long; the caller that adds such records calls it periodically. */
  sweep(now: number): void {
    if (this.waiting.length === 0 || !this.isUnavailable(now)) return;
    const overdue = this.withdraw(({ failsFast, addedAt }) => failsFast && now - addedAt! > UNAVAILABLE_AFTER_MS);
    for (const record of overdue) record.settled?.('not produced');
  }

  /** Removes and returns waiting records; the caller must settle them. */
  withdraw(wanted: (record: OutgoingRecord) => boolean): OutgoingRecord[] {
    const withdrawn = this.waiting.filter(wanted);
    if (withdrawn.length > 0) this.waiting = this.waiting.filter((record) => !wanted(record));
    for (const { characters } of withdrawn) this.characters -= characters;
    return withdrawn;
  }

  /** Refuses further records, and resolves when every record has its outcome; records are retried until their deadlines. */
  async close(): Promise<void> {
    this.closed = true;
    await this.running;
  }

  private async run(): Promise<void> {
    // Later records of this tick join the batch.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      if (this.waiting.length < BATCH_ENTRIES_MAX) await this.pacer.wait();
      const batch = this.nextBatch();
      this.pacer.noteSent(batch.length);
      if (batch.length > 0) await this.sendBatch(batch);
    }
    this.running = undefined;
    this.failingSince = undefined;
    this.failures = 0;
  }

  private nextBatch(): OutgoingRecord[] {
    const now = performance.now();
    const batch: OutgoingRecord[] = [];
    let characters = 0;
    let count = 0;
    for (const record of this.waiting) {
      if (batch.length >= BATCH_ENTRIES_MAX || (batch.length > 0 && characters + record.characters > BATCH_CHARACTERS_MAX)) break;
      count += 1;
      this.characters -= record.characters;
      if (record.notAfter <= now) {
        record.settled?.('not produced');
        continue;
      }
      characters += record.characters;
      batch.push(record);
    }
    this.waiting = count === this.waiting.length ? [] : this.waiting.slice(count);
    return batch;
  }

  private async sendBatch(batch: OutgoingRecord[]): Promise<void> {
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
      await new Promise((resume) => setTimeout(resume, retryDelayMs(this.failures)));
      return;
    }
    this.attemptSince = undefined;
    this.failingSince = undefined;
    this.failures = 0;
    for (const record of batch) record.settled?.('acknowledged');
  }

  /** Puts back records that may be retried, in front of later ones. */
  private requeue(batch: OutgoingRecord[], isNotProduced: boolean): void {
    const retried = batch.filter((record) => {
      if (isNotProduced) record.isSent = false;
      if (isNotProduced || record.repeatable) return true;
      record.settled?.('unknown');
      return false;
    });
    for (const { characters } of retried) this.characters += characters;
    this.waiting = [...retried, ...this.waiting];
    this.sweep(performance.now());
  }
}

function retryDelayMs(failures: number): number {
  return Math.min(RETRY_DELAY_MS_MAX, RETRY_DELAY_MS_MIN * 2 ** Math.min(failures - 1, 8));
}
