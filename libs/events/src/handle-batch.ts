import { Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';
import { setTimeout as delay } from 'node:timers/promises';
import type { BatchHandler, ConsumeOptions, EventRecord } from './event-log';
import { retryDelayMs } from './retry-delay';
import { isTransient } from './transient';

/** How often a record that stands alone is handed over before it is given up. */
const ALONE_ATTEMPTS = 2;

/** Of so many attempts in a row the log says one: about every minute, as long as they fail. */
const SAID_ATTEMPTS = 12;

const logger = new Logger('EventLog');

/** A record with the text its payload was read from. */
export interface ReadRecord<Payload extends object> {
  record: EventRecord<Payload>;
  text: string | null;
  /** Why the text is not a payload; such a record never reaches the handler. */
  unreadable?: string;
}

export interface Delivery<Payload extends object> {
  handler: BatchHandler<Payload>;
  onDead?: ConsumeOptions<Payload>['onDead'];
  /** Puts a record on the dead topic; resolves when it is durable there. */
  bury(read: ReadRecord<Payload>, reason: string, attempts: number): Promise<void>;
  /** Everything up to this record is handled. */
  onHandled(record: EventRecord<Payload>): void;
  /** No further attempt is begun. */
  stopping: AbortSignal;
  /** The records may be another member's now. */
  left: AbortSignal;
}

/** The rest of the batch was not handled, because the subscription ends or its place is lost. */
export class BatchInterrupted extends Error {}

/**
 * Hands a batch over until every record is handled or buried, in order. What is not the batch's fault is tried again for
 * ever; otherwise the batch is halved until the bad record stands alone.
 * @throws DeliveryInterrupted after reporting what was handled until then.
 */
export async function handleBatch<Payload extends object>(
  batch: readonly ReadRecord<Payload>[],
  delivery: Delivery<Payload>,
): Promise<void> {
  let from = 0;
  for (const [index, read] of batch.entries()) {
    if (read.unreadable === undefined) continue;
    await deliverPart(batch.slice(from, index), delivery, 0);
    await giveUp(read, read.unreadable, 0, delivery);
    from = index + 1;
  }
  await deliverPart(from === 0 ? batch : batch.slice(from), delivery, 0);
}

async function deliverPart<Payload extends object>(
  part: readonly ReadRecord<Payload>[],
  delivery: Delivery<Payload>,
  attemptsBefore: number,
): Promise<void> {
  if (part.length === 0) return;
  const failure = await attempt(part, delivery);
  if (failure === undefined) return;

  if (part.length > 1) {
    const middle = Math.ceil(part.length / 2);
    if (attemptsBefore === 0) logger.warn(`A batch of ${part.length} records failed and is halved: ${textOf(failure.error)}`);
    await deliverPart(part.slice(0, middle), delivery, attemptsBefore + 1);
    await deliverPart(part.slice(middle), delivery, attemptsBefore + 1);
    return;
  }
  let { error } = failure;
  for (let attempts = 1; attempts < ALONE_ATTEMPTS; attempts++) {
    const again = await attempt(part, delivery);
    if (again === undefined) return;
    error = again.error;
  }
  await giveUp(part[0]!, textOf(error), attemptsBefore + ALONE_ATTEMPTS, delivery);
}

/** Resolves with the error that blames the part, or with `undefined` when it is handled. */
async function attempt<Payload extends object>(
  part: readonly ReadRecord<Payload>[],
  delivery: Delivery<Payload>,
): Promise<{ error: unknown } | undefined> {
  const records = part.map(({ record }) => record);
  try {
    await untilPossible(() => delivery.handler(records, delivery.left), delivery);
  } catch (error) {
    if (error instanceof BatchInterrupted) throw error;
    return { error };
  }
  delivery.onHandled(records.at(-1)!);
  return undefined;
}

async function giveUp<Payload extends object>(
  read: ReadRecord<Payload>,
  reason: string,
  attempts: number,
  delivery: Delivery<Payload>,
): Promise<void> {
  logger.error(`A record is put on the dead topic (id ${read.record.id}, position ${read.record.position}): ${reason}`);
  await untilPossible(() => delivery.bury(read, reason, attempts), delivery);
  try {
    await untilPossible(async () => delivery.onDead?.(read.record, reason), delivery);
  } catch (error) {
    if (error instanceof BatchInterrupted) throw error;
    logger.error(`Nobody could be told about the dead record ${read.record.id}: ${textOf(error)}`);
  }
  delivery.onHandled(read.record);
}

/** Repeats while the error is nobody's fault, with back-off; throws any other error. */
async function untilPossible<Payload extends object>(action: () => Promise<void>, { stopping, left }: Delivery<Payload>): Promise<void> {
  for (let retry = 1; ; retry++) {
    if (stopping.aborted || left.aborted) throw new BatchInterrupted();
    try {
      await action();
      // A place lost meanwhile is another member's to report.
      if (left.aborted) throw new BatchInterrupted();
      return;
    } catch (error) {
      if (left.aborted) throw new BatchInterrupted();
      if (!isTransient(error)) throw error;
      if (retry % SAID_ATTEMPTS === 1) {
        logger.warn(`Events are handed over again when it is possible (attempt ${retry} failed): ${textOf(error)}`);
      }
      await delay(retryDelayMs(retry), undefined, { signal: AbortSignal.any([stopping, left]) }).catch(() => {});
    }
  }
}

const textOf = (error: unknown): string => (error instanceof ServiceError ? `${error.code}: ${error.message}` : reasonOf(error));
