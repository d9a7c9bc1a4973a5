import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';
import { setTimeout as delay } from 'node:timers/promises';
import { logClosed } from './log-closed';
import { BatchQueue } from '@tidings/kafka/batch-queue';
import { retryDelayMs } from '@tidings/contracts/core/retry-delay';

/** A single call is never split. */
const BATCH = { count: 1_000, size: 4 * 1024 * 1024 };
/** Of what waits behind the batch in flight. */
const WAITING = { count: 50_000, size: 64 * 1024 * 1024 };
/** Longest and shortest time an attempt may stay unanswered before its outcome counts as unknown. */
const ATTEMPT_MS_MAX = 5_000;
const ATTEMPT_MS_MIN = 50;
/** Longest pause between two attempts. */
const RETRY_DELAY_MS_MAX = 1_000;
const LATE = 'Events could not be appended in time';

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

/** One call of the log for a batch of entries. */
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
  count: number;
  size: number;
  /** By `performance.now()`. */
  deadline: number;
  resolve(): void;
  reject(error: Error): void;
}

/** Batches concurrent calls: see `BatchQueue`. A batch is retried, before later calls, until it is stored or its calls are overdue. */
export class AppendQueue<Entry> {
  private readonly queue = new BatchQueue<Call<Entry>>({
    batch: BATCH,
    waiting: WAITING,
    paced: this.paced,
    withdrawOverdue: () => this.refuseOverdue(),
    send: (calls) => this.sendBatch(calls),
  });
  private closed = false;

  /** @param paced spaces batches under load; otherwise each batch follows the one before at once. */
  constructor(
    private readonly send: Send<Entry>,
    private readonly paced = false,
  ) {}

  /** Whether a call would be refused because too much waits. */
  get full(): boolean {
    return this.queue.isFull;
  }

  /**
   * Resolves when the entries are durable.
   * @throws ServiceError `unavailable` when none was stored, `deadline_exceeded` when the outcome stayed unknown for `deadlineMs`.
   */
  async add(entries: readonly Entry[], size: number, deadlineMs: number): Promise<void> {
    if (this.closed) throw logClosed();
    if (this.full) throw unavailable('Too many events wait to be appended');
    await new Promise<void>((resolve, reject) =>
      this.queue.add({ entries, count: entries.length, size, deadline: performance.now() + deadlineMs, resolve, reject }),
    );
  }

  /** Refuses further calls, and resolves when every earlier call is answered. */
  async close(): Promise<void> {
    this.closed = true;
    await this.queue.drained();
  }

  private async sendBatch(batch: Call<Entry>[]) {
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
          const { entries: refused, error: reason } = error;
          calls = rejectSome(calls, ({ entries }) => entries.some((entry) => refused.has(entry)), reason);
          again = true;
          continue;
        }
        if (error instanceof NotAppended && !again && !error.isTransient) {
          for (const call of calls) call.reject(unavailable('Events cannot be appended now', error.cause));
          return;
        }
        again ||= !(error instanceof NotAppended);
        const now = performance.now();
        const mayBeStored = new ServiceError('deadline_exceeded', 'The event log did not answer in time');
        const late = again ? Object.assign(mayBeStored, { cause: error }) : unavailable(LATE, error);
        calls = rejectSome(calls, ({ deadline }) => deadline <= now, late);
        this.refuseOverdue();
        if (calls.length > 0) await delay(Math.min(retryDelayMs(attempt, RETRY_DELAY_MS_MAX), remainingMs(calls)));
      }
    }
  }

  /** Fails waiting calls past their deadline: they were never sent. */
  private refuseOverdue() {
    const now = performance.now();
    for (const call of this.queue.withdraw(({ deadline }) => deadline <= now)) call.reject(unavailable(LATE));
  }
}

/** Rejects the calls that are meant, and returns the others. */
function rejectSome<Entry>(calls: Call<Entry>[], isMeant: (call: Call<Entry>) => boolean, error: Error) {
  return calls.filter((call) => {
    if (!isMeant(call)) return true;
    call.reject(error);
    return false;
  });
}

function remainingMs(calls: readonly { deadline: number }[]) {
  return Math.max(0, Math.min(...calls.map(({ deadline }) => deadline)) - performance.now());
}

function attemptMs(calls: readonly { deadline: number }[]) {
  return Math.ceil(Math.min(ATTEMPT_MS_MAX, Math.max(ATTEMPT_MS_MIN, remainingMs(calls))));
}
