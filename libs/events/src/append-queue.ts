import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';
import { setTimeout as delay } from 'node:timers/promises';
import type { BatchPacer } from '@tidings/kafka/batch-pacer';
import { retryDelayMs } from '@tidings/contracts/core/retry-delay';

/** Limits of a batch; a single call is never split. */
const BATCH_ENTRIES_MAX = 1_000;
const BATCH_BYTES_MAX = 4 * 1024 * 1024;
/** Limits of what waits behind the batch in flight; above them a call is refused at once. */
const WAITING_ENTRIES_MAX = 50_000;
const WAITING_BYTES_MAX = 64 * 1024 * 1024;
/** Longest and shortest time an attempt may stay unanswered before its outcome counts as unknown. */
const ATTEMPT_MS_MAX = 5_000;
const ATTEMPT_MS_MIN = 50;
/** Longest pause between two attempts. */
const RETRY_DELAY_MS_MAX = 1_000;

/** Thrown by a `Send`: nothing of this attempt was stored. Any error but this one and `EntriesRejected` leaves the outcome unknown. */
export class NotAppended extends Error {
  /** @param isTransient the attempt is retried until the deadline. */
  constructor(
    override readonly cause: unknown,
    readonly isTransient = false,
  ) {
    super(reasonOf(cause));
  }
}

/** Thrown by a `Send`: the log never accepts these entries. Their calls fail with `error`; the others are sent again. */
export class EntriesRejected extends Error {
  constructor(
    readonly entries: ReadonlySet<unknown>,
    readonly error: ServiceError,
  ) {
    super(error.message);
  }
}

export interface Attempt {
  /** How long to wait for the answer, in ms. */
  timeoutMs: number;
  /** An earlier attempt may have stored these entries. */
  again: boolean;
}

/** Appends all entries or none, and resolves when they are durable. */
type Send<Entry> = (entries: readonly Entry[], attempt: Attempt) => Promise<void>;

interface Call<Entry> {
  entries: readonly Entry[];
  bytes: number;
  /** By `performance.now()`. */
  deadline: number;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * Batches concurrent calls: those that arrive while a batch is in flight form the next one; without one in flight a call is
 * sent at the end of the event loop's tick. One batch at a time, so the order of calls is the order in the log.
 */
export class AppendQueue<Entry> {
  private waiting: Call<Entry>[] = [];
  private waitingEntries = 0;
  private waitingBytes = 0;
  private running?: Promise<void>;
  private closed = false;

  constructor(
    private readonly send: Send<Entry>,
    /** Spaces batches under load; without one each batch follows the one before at once. */
    private readonly pacer?: BatchPacer,
  ) {}

  /** Whether a call would be refused because too much waits. */
  get full(): boolean {
    return this.waitingEntries >= WAITING_ENTRIES_MAX || this.waitingBytes >= WAITING_BYTES_MAX;
  }

  /**
   * Resolves when the entries are durable.
   * @throws ServiceError `unavailable` when none was stored, `deadline_exceeded` when the outcome stayed unknown for `deadlineMs`.
   */
  add(entries: readonly Entry[], bytes: number, deadlineMs: number): Promise<void> {
    if (this.closed) return Promise.reject(unavailable('The event log is closed'));
    if (this.full) return Promise.reject(unavailable('Too many events wait to be appended'));
    return new Promise((resolve, reject) => {
      this.waiting.push({ entries, bytes, deadline: performance.now() + deadlineMs, resolve, reject });
      this.waitingEntries += entries.length;
      this.waitingBytes += bytes;
      this.running ??= this.run();
    });
  }

  /** Refuses further calls, and resolves when every earlier call is answered. */
  async close(): Promise<void> {
    this.closed = true;
    await this.running;
  }

  private async run(): Promise<void> {
    // Later calls of this tick join the batch.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      if (this.waitingEntries < BATCH_ENTRIES_MAX) await this.pacer?.wait();
      this.refuseOverdue();
      const batch = this.nextBatch();
      this.pacer?.noteSent(batch.length);
      if (batch.length > 0) await this.sendBatch(batch);
    }
    this.running = undefined;
  }

  private nextBatch(): Call<Entry>[] {
    let entries = 0;
    let bytes = 0;
    let count = 0;
    for (const call of this.waiting) {
      if (count > 0 && (entries + call.entries.length > BATCH_ENTRIES_MAX || bytes + call.bytes > BATCH_BYTES_MAX)) break;
      entries += call.entries.length;
      bytes += call.bytes;
      count += 1;
    }
    const batch = count === this.waiting.length ? this.waiting : this.waiting.slice(0, count);
    this.waiting = count === this.waiting.length ? [] : this.waiting.slice(count);
    this.waitingEntries -= entries;
    this.waitingBytes -= bytes;
    return batch;
  }

  private async sendBatch(batch: Call<Entry>[]): Promise<void> {
    let calls = batch;
    let again = false;
    for (let attempt = 1; calls.length > 0; attempt++) {
      try {
        await this.send(
          calls.flatMap(({ entries }) => entries),
          { timeoutMs: attemptMs(calls), again },
        );
        for (const call of calls) call.resolve();
        return;
      } catch (error) {
        if (error instanceof EntriesRejected) {
          calls = rejectCallsOf(calls, error);
          again = true;
          continue;
        }
        if (error instanceof NotAppended && !again && !error.isTransient) {
          for (const call of calls) call.reject(unavailable('Events cannot be appended now', error.cause));
          return;
        }
        again ||= !(error instanceof NotAppended);
        calls = this.failOverdue(calls, again, error);
        this.refuseOverdue();
        if (calls.length > 0) await delay(Math.min(retryDelayMs(attempt, RETRY_DELAY_MS_MAX), remainingMs(calls)));
      }
    }
  }

  /** Fails waiting calls past their deadline: they were never sent. */
  private refuseOverdue(): void {
    const now = performance.now();
    if (this.waiting.every(({ deadline }) => deadline > now)) return;
    const overdue = this.waiting.filter(({ deadline }) => deadline <= now);
    this.waiting = this.waiting.filter(({ deadline }) => deadline > now);
    for (const call of overdue) {
      this.waitingEntries -= call.entries.length;
      this.waitingBytes -= call.bytes;
      call.reject(unavailable('Events could not be appended in time'));
    }
  }

  /** Fails calls past their deadline, with `deadline_exceeded` when they may be stored; returns the others. */
  private failOverdue(calls: Call<Entry>[], mayBeStored: boolean, cause: unknown): Call<Entry>[] {
    const now = performance.now();
    return calls.filter((call) => {
      if (call.deadline > now) return true;
      const late = new ServiceError('deadline_exceeded', 'The event log did not answer in time');
      call.reject(mayBeStored ? Object.assign(late, { cause }) : unavailable('Events could not be appended in time', cause));
      return false;
    });
  }
}

function rejectCallsOf<Entry>(calls: Call<Entry>[], { entries, error }: EntriesRejected): Call<Entry>[] {
  return calls.filter((call) => {
    if (!call.entries.some((entry) => entries.has(entry))) return true;
    call.reject(error);
    return false;
  });
}

function remainingMs(calls: readonly { deadline: number }[]): number {
  return Math.max(0, Math.min(...calls.map(({ deadline }) => deadline)) - performance.now());
}

function attemptMs(calls: readonly { deadline: number }[]): number {
  return Math.ceil(Math.min(ATTEMPT_MS_MAX, Math.max(ATTEMPT_MS_MIN, remainingMs(calls))));
}
