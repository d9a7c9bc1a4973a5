import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';
import { setTimeout as delay } from 'node:timers/promises';
import type { BatchPacer } from './batch-pacer';
import { retryDelayMs } from './retry-delay';

/** A batch takes no further call beyond either. A single call always travels whole. */
const BATCH_ENTRIES_MAX = 1_000;
const BATCH_BYTES_MAX = 4 * 1024 * 1024;
/** What may wait behind the batch on its way; beyond it a call is refused at once. */
const WAITING_ENTRIES_MAX = 50_000;
const WAITING_BYTES_MAX = 64 * 1024 * 1024;
/** The longest an attempt may stay unanswered before its outcome counts as unknown, and the shortest it is given. */
const ATTEMPT_MS_MAX = 5_000;
const ATTEMPT_MS_MIN = 50;
/** Longest pause before an attempt to learn an unknown outcome. */
const RETRY_DELAY_MS_MAX = 1_000;

/** Thrown by a `Send`: nothing of this attempt was kept, surely. Every error but this one and `Refused` means that nobody knows. */
export class NotAppended extends Error {
  /** @param passing it will be over in a moment, so the attempt is repeated until the deadline. */
  constructor(
    override readonly cause: unknown,
    readonly passing = false,
  ) {
    super(reasonOf(cause));
  }
}

/** Thrown by a `Send`: the log will never take these entries. Their calls fail with the error, and the others are sent again. */
export class EntriesRejected extends Error {
  constructor(
    readonly entries: ReadonlySet<unknown>,
    readonly error: ServiceError,
  ) {
    super(error.message);
  }
}

export interface Attempt {
  /** Give up the answer after this long. */
  timeoutMs: number;
  /** An earlier attempt at these entries may have been kept. */
  again: boolean;
}

/** Takes all entries to the log, or none of them, and resolves when they are durable. */
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
 * Calls that arrive while a batch is on its way travel together in the next one; a call that finds nothing on its way
 * leaves at the end of the event loop's turn and waits for nobody. One batch at a time, so order of calls is order in the log.
 */
export class AppendQueue<Entry> {
  private waiting: Call<Entry>[] = [];
  private waitingEntries = 0;
  private waitingBytes = 0;
  private running?: Promise<void>;
  private closed = false;

  constructor(
    private readonly send: Send<Entry>,
    /** Batches keep it under load; without one each follows the one before at once. */
    private readonly pace?: BatchPacer,
  ) {}

  /** Whether a call would be refused for want of room. */
  get full(): boolean {
    return this.waitingEntries >= WAITING_ENTRIES_MAX || this.waitingBytes >= WAITING_BYTES_MAX;
  }

  /**
   * Resolves when the entries are durable; `unavailable` when surely none was kept, `deadline_exceeded` when that
   * stayed unknown for `deadlineMs`.
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

  /** Takes no more, and resolves when every call has its answer. */
  async close(): Promise<void> {
    this.closed = true;
    await this.running;
  }

  private async run(): Promise<void> {
    // What else the event loop's turn brings travels along.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      if (this.waitingEntries < BATCH_ENTRIES_MAX) await this.pace?.keep();
      this.refuseOverdue();
      const batch = this.takeBatch();
      this.pace?.left(batch.length);
      if (batch.length > 0) await this.deliver(batch);
    }
    this.running = undefined;
  }

  private takeBatch(): Call<Entry>[] {
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

  private async deliver(batch: Call<Entry>[]): Promise<void> {
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
          calls = rejectRefused(calls, error);
          again = true;
          continue;
        }
        if (error instanceof NotAppended && !again && !error.passing) {
          for (const call of calls) call.reject(unavailable('Events cannot be appended now', error.cause));
          return;
        }
        again ||= !(error instanceof NotAppended);
        calls = this.giveUpOverdue(calls, again, error);
        this.refuseOverdue();
        if (calls.length > 0) await delay(Math.min(retryDelayMs(attempt, RETRY_DELAY_MS_MAX), remainingMs(calls)));
      }
    }
  }

  /** Those that were never sent: nothing of them was kept. */
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

  /** Those for which no time is left, neither to be kept nor, when they may have been, to find out. */
  private giveUpOverdue(calls: Call<Entry>[], doubtful: boolean, cause: unknown): Call<Entry>[] {
    const now = performance.now();
    return calls.filter((call) => {
      if (call.deadline > now) return true;
      const late = new ServiceError('deadline_exceeded', 'The event log did not answer in time');
      call.reject(doubtful ? Object.assign(late, { cause }) : unavailable('Events could not be appended in time', cause));
      return false;
    });
  }
}

function rejectRefused<Entry>(calls: Call<Entry>[], { entries, error }: EntriesRejected): Call<Entry>[] {
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
