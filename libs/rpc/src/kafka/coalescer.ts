import { BatchPacer } from '@tidings/events/batch-pacer';
import type { Message } from 'kafkajs';

/** A batch takes no further record beyond either; a single record always travels whole. kafkajs' work grows with the square of entries. */
const BATCH_ENTRIES_MAX = 500;
const BATCH_CHARACTERS_MAX = 4 * 1024 * 1024;
/** What may wait behind the batch on its way; beyond it a record is refused at once. */
const WAITING_ENTRIES_MAX = 20_000;
const WAITING_CHARACTERS_MAX = 64 * 1024 * 1024;
/** A broker that has taken nothing for so long counts as away: calls are refused instead of kept waiting. */
export const AWAY_AFTER_MS = 1_500;
const RETRY_DELAY_MS_MIN = 20;
const RETRY_DELAY_MS_MAX = 250;

export type Outcome = 'taken' | 'not taken' | 'unknown';

export interface OutgoingRecord {
  topic: string;
  message: Message & { partition: number };
  /** Size of the value. */
  characters: number;
  /** By `performance.now()`; not sent any more afterwards. */
  notAfter: number;
  /** Somebody waits for the outcome and would rather know that the broker is away. */
  impatient: boolean;
  /** Sending it twice does no harm. */
  repeatable: boolean;
  /** Kept here by the coalescer: since when it waits, and whether it is on its way or taken. */
  since?: number;
  departed?: boolean;
  /** Called once. */
  settled?(outcome: Outcome): void;
}

/** The records of an attempt were surely not taken. Every other error means that nobody knows. */
export class NotProduced extends Error {
  constructor(override readonly cause: unknown) {
    super('Kafka did not take the records');
  }
}

/**
 * Records that arrive while a batch is on its way travel together in the next one; one that finds nothing on its way leaves at
 * the end of the event loop's turn. One batch at a time, at a `Pace` under load.
 */
export class Coalescer {
  private waiting: OutgoingRecord[] = [];
  private characters = 0;
  private running?: Promise<void>;
  private attemptSince?: number;
  private failingSince?: number;
  private failures = 0;
  private readonly pace = new BatchPacer();
  private closed = false;

  constructor(
    private readonly send: (records: readonly OutgoingRecord[]) => Promise<void>,
    /** What failed waits again, and may be taken back. */
    private readonly afterFailure: () => Promise<void>,
  ) {}

  /** Whether the broker has taken nothing for long, although there is something to take. */
  away(now = performance.now()): boolean {
    if (!this.running) return false;
    const since = Math.min(this.failingSince ?? Infinity, this.attemptSince ?? Infinity);
    return now - since > AWAY_AFTER_MS;
  }

  /** False when there is no room, or no broker, for it; `settled` is not called then. */
  add(record: OutgoingRecord): boolean {
    if (this.closed || this.waiting.length >= WAITING_ENTRIES_MAX || this.characters >= WAITING_CHARACTERS_MAX) return false;
    const now = performance.now();
    if (record.impatient && this.away(now)) return false;
    record.since ??= now;
    this.waiting.push(record);
    this.characters += record.characters;
    this.running ??= this.run();
    return true;
  }

  /** Gives up those that waited too long; called now and then by whoever adds impatient records. */
  sweep(now: number): void {
    if (this.waiting.length === 0 || !this.away(now)) return;
    for (const record of this.takeBack(({ impatient, since }) => impatient && now - since! > AWAY_AFTER_MS)) record.settled?.('not taken');
  }

  /** Takes records out that wait; their outcome is the caller's business again. */
  takeBack(wanted: (record: OutgoingRecord) => boolean): OutgoingRecord[] {
    const taken = this.waiting.filter(wanted);
    if (taken.length > 0) this.waiting = this.waiting.filter((record) => !wanted(record));
    for (const { characters } of taken) this.characters -= characters;
    return taken;
  }

  /** Takes no more, and resolves when everything has its outcome: what is to be sent is tried until its time is over. */
  async close(): Promise<void> {
    this.closed = true;
    await this.running;
  }

  private async run(): Promise<void> {
    // What else the event loop's turn brings travels along.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      if (this.waiting.length < BATCH_ENTRIES_MAX) await this.pace.keep();
      const batch = this.takeBatch();
      this.pace.left(batch.length);
      if (batch.length > 0) await this.deliver(batch);
    }
    this.running = undefined;
    this.failingSince = undefined;
    this.failures = 0;
  }

  private takeBatch(): OutgoingRecord[] {
    const now = performance.now();
    const batch: OutgoingRecord[] = [];
    let characters = 0;
    let taken = 0;
    for (const record of this.waiting) {
      if (batch.length >= BATCH_ENTRIES_MAX || (batch.length > 0 && characters + record.characters > BATCH_CHARACTERS_MAX)) break;
      taken += 1;
      this.characters -= record.characters;
      if (record.notAfter <= now) {
        record.settled?.('not taken');
        continue;
      }
      characters += record.characters;
      batch.push(record);
    }
    this.waiting = taken === this.waiting.length ? [] : this.waiting.slice(taken);
    return batch;
  }

  private async deliver(batch: OutgoingRecord[]): Promise<void> {
    this.attemptSince = performance.now();
    for (const record of batch) record.departed = true;
    try {
      await this.send(batch);
    } catch (error) {
      this.failingSince ??= this.attemptSince;
      this.attemptSince = undefined;
      this.failures += 1;
      this.again(batch, error instanceof NotProduced);
      await this.afterFailure();
      await new Promise((resume) => setTimeout(resume, retryDelayMs(this.failures)));
      return;
    }
    this.attemptSince = undefined;
    this.failingSince = undefined;
    this.failures = 0;
    for (const record of batch) record.settled?.('taken');
  }

  /** Puts back what may be tried again, in front of what came later. */
  private again(batch: OutgoingRecord[], surelyNotTaken: boolean): void {
    const kept = batch.filter((record) => {
      if (surelyNotTaken) record.departed = false;
      if (surelyNotTaken || record.repeatable) return true;
      record.settled?.('unknown');
      return false;
    });
    for (const { characters } of kept) this.characters += characters;
    this.waiting = [...kept, ...this.waiting];
    this.sweep(performance.now());
  }
}

function retryDelayMs(failures: number): number {
  return Math.min(RETRY_DELAY_MS_MAX, RETRY_DELAY_MS_MIN * 2 ** Math.min(failures - 1, 8));
}
