import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { retryDelayMs, waitForRetry } from '@tidings/contracts/core/retry-delay';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { reasonOf } from '@tidings/persistence/errors';
import type { AnyRecord, BatchHandler, ConsumeOptions, GivenBatch, Subscription, Unsettled } from './event-log';
import type { RawRecord } from './new-event';
import { isTransientError } from './transient';

/** How long a stop waits for a handler before it aborts the handler's signal, and how long afterwards. */
const STOP_GRACE_MS = 10_000;
const ABORT_GRACE_MS = 1_000;
const RETRY_DELAY_MS_MAX = 2_000;
/** Attempts at a single record before it is dead-lettered. */
const SINGLE_RECORD_ATTEMPTS = 2;
/** One of so many failed attempts in a row is logged: about one a minute. */
const ATTEMPTS_PER_LOG_LINE = 12;

const logger = new Logger('EventLog');

/** A record with the text its payload was parsed from. */
export interface ReadRecord {
  record: AnyRecord;
  text: string | null;
  /** Why the text is not a payload; such a record never reaches the handler. */
  unreadable?: string;
  /** Its bytes, in a log that signs its records. */
  raw?: RawRecord;
  /** Present if none of our processes wrote the record: nothing was read from it, and it never reaches the handler. */
  unauthenticated?: UnauthenticatedRecord;
}

/** Of a record that none of our processes wrote. */
export interface UnauthenticatedRecord {
  /** What is wrong with its signature. */
  reason: string;
}

/** A record read from a log, with the payload of its text. */
export function parseRecord(record: AnyRecord, text: string | null): ReadRecord {
  try {
    if (text !== null) record.payload = JSON.parse(text) as never;
    return { record, text };
  } catch (error) {
    return { record, text, unreadable: `The payload is not JSON: ${(error as Error).message}` };
  }
}

/** Handler of a batch and where its results are reported. */
interface BatchHandling {
  handler: BatchHandler<never>;
  onDead?: ConsumeOptions<never>['onDead'];
  /** Names a record for log lines: its topic, partition and offset. */
  whereIs(record: AnyRecord): string;
  /** Puts a record on the dead topic; resolves when it is durable there, or is one too many of unauthenticated ones. */
  putDeadLetter(read: ReadRecord, reason: string, attempts: number): Promise<void>;
  /** Everything up to this record is handled, once `settled` and those of the records before have resolved. */
  onHandled(record: AnyRecord, settled?: Promise<void>): void;
  /** Present where the source gets `settled`; otherwise it is awaited before `onHandled`. */
  given?: GivenBatch;
  /** When aborted, no further attempt is started. */
  stopping: AbortSignal;
  /** When aborted, the records may belong to another member. */
  revoked: AbortSignal;
}

/** Records that this member may handle now. */
export interface SourceBatch extends Pick<BatchHandling, 'onHandled' | 'revoked' | 'given'> {
  /** May be empty: the source was read without an error. */
  records: readonly ReadRecord[];
}

/** Where a member of a group gets its records: it knows which are the member's own, waits for new ones, and commits progress. */
export interface GroupSource extends Pick<Subscription, 'hasHandledUpTo'> {
  /** For log lines. */
  readonly name: string;
  /** Records of the topic that the group has not handled. @throws ServiceError `unavailable` */
  lag(): Promise<number>;
  /**
   * Batches until the right to work is lost or `stopping` is aborted; then read again from the committed progress. The next batch is
   * read when the previous one has ended; records of it that were not reported as handled are delivered again.
   * @param abandoned aborts when a handler did not end in time.
   */
  batches(stopping: AbortSignal, abandoned: AbortSignal): AsyncIterable<SourceBatch>;
  /** Commits the last progress and leaves the group. */
  leave(): Promise<void>;
}

/** A member of a group: handles one batch of its source after the other. */
export class Consumption implements Subscription {
  private readonly stopping = new AbortController();
  private readonly abandoned = new AbortController();
  private readonly working = this.work();
  private stopped?: Promise<void>;

  constructor(
    private readonly source: GroupSource,
    private readonly handling: Pick<BatchHandling, 'handler' | 'onDead' | 'whereIs' | 'putDeadLetter'>,
    private readonly onEnd = () => {},
  ) {}

  hasHandledUpTo(time: number) {
    return this.source.hasHandledUpTo(time);
  }

  stop() {
    return (this.stopped ??= this.finish());
  }

  private async finish() {
    this.stopping.abort();
    if (!(await withTimeout(STOP_GRACE_MS, this.working))) {
      logger.error(`${this.source.name}: the handler did not finish within ${STOP_GRACE_MS} ms; aborting it`);
      this.abandoned.abort();
      await withTimeout(ABORT_GRACE_MS, this.working);
    }
    this.onEnd();
    await this.source.leave();
  }

  private async work() {
    const stopping = this.stopping.signal;
    for (let failures = 1; !stopping.aborted; failures++) {
      try {
        for await (const batch of this.source.batches(stopping, this.abandoned.signal)) {
          failures = 0;
          await this.handle(batch);
        }
      } catch (error) {
        logger.error(`${this.source.name}: reading or handling failed; retrying: ${reasonOf(error)}`);
      }
      await waitForRetry(failures + 1, RETRY_DELAY_MS_MAX, stopping);
    }
  }

  private async handle({ records, onHandled, revoked, given }: SourceBatch) {
    try {
      await handleBatch(records, { ...this.handling, onHandled, revoked, given, stopping: this.stopping.signal });
    } catch (error) {
      if (!(error instanceof BatchInterrupted)) throw error;
    }
  }
}

/** The rest of the batch was not handled: the subscription ends, or its partition or group lock is lost. */
class BatchInterrupted extends Error {}

/**
 * Calls the handler until every record is handled or dead-lettered, in order. Transient errors are retried without limit; after
 * any other error the batch is halved until the bad record is alone.
 * @throws BatchInterrupted after reporting what was handled until then.
 */
export async function handleBatch(batch: readonly ReadRecord[], handling: BatchHandling): Promise<void> {
  let from = 0;
  for (const [index, read] of batch.entries()) {
    if (read.unreadable === undefined && !read.unauthenticated) continue;
    await handlePart(batch.slice(from, index), handling, 0);
    if (read.unauthenticated) await setAside(read, read.unauthenticated, handling);
    else await deadLetter(read, read.unreadable!, 0, handling);
    from = index + 1;
  }
  await handlePart(from === 0 ? batch : batch.slice(from), handling, 0);
}

async function handlePart(part: readonly ReadRecord[], first: BatchHandling, attemptsBefore: number) {
  if (part.length === 0) return;
  const isSingle = part.length === 1;
  let failure = await attempt(part, first);
  const handling = { ...first, given: undefined };
  for (let attempts = 1; failure && isSingle && attempts < SINGLE_RECORD_ATTEMPTS; attempts++) failure = await attempt(part, handling);
  if (!failure) return;
  if (isSingle) return deadLetter(part[0]!, textOf(failure.error), attemptsBefore + SINGLE_RECORD_ATTEMPTS, handling);

  const middle = Math.ceil(part.length / 2);
  if (attemptsBefore === 0) logger.warn(`A batch of ${part.length} records failed; halving it: ${textOf(failure.error)}`);
  await handlePart(part.slice(0, middle), handling, attemptsBefore + 1);
  await handlePart(part.slice(middle), handling, attemptsBefore + 1);
}

/** Resolves with a permanent error, or with `undefined` when the part is handled. */
async function attempt(part: readonly ReadRecord[], handling: BatchHandling) {
  const records = part.map(({ record }) => record);
  let { given } = handling;
  try {
    const unsettled = await retryTransient(() => {
      const ofFirstAttempt = given;
      given = undefined;
      return handling.handler(records, handling.revoked, ofFirstAttempt);
    }, handling);
    const raws = part.map(({ raw }) => raw);
    const settled = unsettled ? settle(records, raws, unsettled, handling) : undefined;
    if (!handling.given) await settled;
    handling.onHandled(records.at(-1)!, handling.given && settled);
    return undefined;
  } catch (error) {
    if (error instanceof BatchInterrupted) throw error;
    return { error };
  }
}

/**
 * Resolves when the records are handled, if need be by another call of the handler. Meanwhile their texts are not in memory: many records
 * may be unsettled.
 */
async function settle(
  records: readonly AnyRecord[],
  raws: readonly (RawRecord | undefined)[],
  { settled }: Unsettled,
  handling: BatchHandling,
) {
  try {
    await settled;
  } catch (error) {
    logger.warn(`${records.length} records are handled again: ${textOf(error)}`);
    const part = records.map((record, index) => ({
      record,
      text: record.payload && JSON.stringify(record.payload),
      raw: raws[index],
    }));
    await handlePart(part, { ...handling, given: undefined, onHandled: () => {} }, 0);
  }
}

async function deadLetter(read: ReadRecord, reason: string, attempts: number, handling: BatchHandling) {
  logger.error(`Dead-lettering record ${read.record.id} of ${handling.whereIs(read.record)}: ${reason}`);
  await retryTransient(() => handling.putDeadLetter(read, reason, attempts), handling);
  try {
    await retryTransient(async () => handling.onDead?.(read.record, reason), handling);
  } catch (error) {
    if (error instanceof BatchInterrupted) throw error;
    logger.error(`Reporting dead-lettered record ${read.record.id} failed: ${textOf(error)}`);
  }
  handling.onHandled(read.record);
}

/** As a dead letter, but without `onDead`, which would treat the record as one of ours. */
async function setAside(read: ReadRecord, { reason }: UnauthenticatedRecord, handling: BatchHandling) {
  await retryTransient(() => handling.putDeadLetter(read, `unauthenticated: ${reason}`, 0), handling);
  handling.onHandled(read.record);
}

/** Retries transient errors with backoff; throws any other error. */
async function retryTransient<Result>(action: () => Promise<Result>, { stopping, revoked }: BatchHandling): Promise<Result> {
  for (let retry = 1; ; retry++) {
    if (stopping.aborted || revoked.aborted) throw new BatchInterrupted();
    try {
      const result = await action();
      // Revoked meanwhile: another member reports these records.
      if (revoked.aborted) throw new BatchInterrupted();
      return result;
    } catch (error) {
      if (revoked.aborted) throw new BatchInterrupted();
      if (!isTransientError(error)) throw error;
      if (retry % ATTEMPTS_PER_LOG_LINE === 1) {
        logger.warn(`Retrying a batch of events (attempt ${retry} failed): ${textOf(error)}`);
      }
      await delay(retryDelayMs(retry), undefined, { signal: AbortSignal.any([stopping, revoked]) }).catch(() => {});
    }
  }
}

const textOf = (error: unknown) => (error instanceof ServiceError ? `${error.code}: ${reasonOf(error)}` : reasonOf(error));
