import { audienceDeadLetters } from '@tidings/contracts/audience/dead-letters';
import { contentDeadLetters } from '@tidings/contracts/content/dead-letters';
import type { CallContext } from '@tidings/contracts/core/context';
import type { DeadLetterOperations, AnsweringService } from '@tidings/contracts/core/dead-letter-operations';
import {
  DEAD_LETTERS_STEP,
  type DeadLetterInRange,
  type DeadLetterPage,
  type DeadLetterRecord,
  type DeadLettersStep,
  type DeadLettersStepped,
  type DeadLetterSummary,
  type LeftDeadLetter,
  type NamedDeadLetter,
  type PageDeadLetters,
} from '@tidings/contracts/core/dead-letters';
import { conflict, invalid, notFound } from '@tidings/contracts/core/refusals';
import { identityDeadLetters } from '@tidings/contracts/identity/dead-letters';
import { messagingDeadLetters } from '@tidings/contracts/messaging/dead-letters';
import { DEAD_LETTER_TOPICS, type DeadLetterTopic } from '@tidings/events/dead-letter-topics';
import type { EventLog } from '@tidings/events/event-log';
import { decodeOriginal } from '@tidings/events/original-record';
import type { OperationClient } from '@tidings/rpc/operation-client';

/** A step begins no further records after this time, in ms: its caller waits no longer than some more seconds. */
const STEP_MS_MAX = 5_000;
/** Topic, cursor of the last dead letter before, and of the last one that waited when the topic was started. */
const CURSOR = /^([\w.-]{1,249}):(\d{0,25}):(\d{0,25})$/;

const OPERATIONS: Readonly<Record<AnsweringService, DeadLetterOperations>> = {
  identity: identityDeadLetters,
  audience: audienceDeadLetters,
  messaging: messagingDeadLetters,
  content: contentDeadLetters,
};

/** Where a listing or a step is. */
interface Position {
  /** Index of the topic. */
  index: number;
  after?: string;
  upTo?: string;
}

/** What is done with dead letters. */
type Treatment = 'redrive' | 'discard';

/**
 * The dead letters of all topics. Each service answers for the topics that it reads. A redriven record is appended by a service that
 * writes its topic, since the reader has no right to; after a crash in between it is there twice, under one id.
 */
export class AdminDeadLetters {
  constructor(
    private readonly client: OperationClient,
    private readonly events: EventLog,
  ) {}

  /** @throws ServiceError `invalid_request` for a topic that has no dead letters, or a cursor of another listing. */
  async page(context: CallContext, { topic, cursor, limit = DEAD_LETTERS_STEP }: PageDeadLetters): Promise<DeadLetterPage> {
    const topics = topicsNamed(topic);
    const results: DeadLetterSummary[] = [];
    for (let at: Position | undefined = positionOf(topics, cursor); at;) {
      const { found, last } = await this.range(context, topics[at.index]!, { ...at, limit: limit - results.length });
      results.push(...found.map(({ cursor: _, ...letter }) => letter));
      at = positionAfter(topics, at.index, found.at(-1)?.cursor, last);
      if (results.length >= limit) return { paging: { more: at !== undefined, ...(at && { cursor: textOf(topics, at) }) }, results };
    }
    return { paging: { more: false }, results };
  }

  async retrieve(context: CallContext, request: NamedDeadLetter): Promise<DeadLetterRecord> {
    const { reader } = topicOf(request.id);
    return this.client.call(OPERATIONS[reader].retrieve, context, request);
  }

  /** @throws ServiceError `not_found` for one that is missing, `conflict` for one without the bytes of its record. */
  async redrive(context: CallContext, { id }: NamedDeadLetter): Promise<void> {
    const { left, missing } = await this.redriveAll(context, topicOf(id), [id]);
    if (missing.length > 0) throw noDeadLetter(id);
    if (left[0]) throw conflict(left[0].error);
  }

  /** @throws ServiceError `not_found` for one that is missing. */
  async discard(context: CallContext, { id }: NamedDeadLetter): Promise<void> {
    const { missing } = await this.client.call(OPERATIONS[topicOf(id).reader].discard, context, { ids: [id] });
    if (missing.length > 0) throw noDeadLetter(id);
  }

  /** One step over the dead letters that wait, topic after topic. What comes back as a dead letter meanwhile is not among them. */
  async step(context: CallContext, { topic, cursor }: DeadLettersStep, treatment: Treatment): Promise<DeadLettersStepped> {
    const topics = topicsNamed(topic ?? undefined);
    for (let at: Position | undefined = positionOf(topics, cursor ?? undefined); at;) {
      const entry = topics[at.index]!;
      const { found, last } = await this.range(context, entry, { ...at, limit: DEAD_LETTERS_STEP });
      const ids = found.map(({ id }) => id);
      const next = positionAfter(topics, at.index, found.at(-1)?.cursor, at.upTo ?? last);
      if (ids.length === 0) {
        at = next;
        continue;
      }
      const { done, left, covered } =
        treatment === 'redrive' ? await this.redriveAll(context, entry, ids) : await this.discardAll(context, entry, ids);
      const reached = covered < ids.length ? { index: at.index, after: found[covered - 1]!.cursor, upTo: at.upTo ?? last } : next;
      return { done, left, ...(reached && { next: textOf(topics, reached) }) };
    }
    return { done: 0, left: [] };
  }

  private async range(context: CallContext, { topic, reader }: DeadLetterTopic, { after, upTo, limit }: Position & { limit: number }) {
    const request = { topic: topic.topic, after, up_to: upTo, limit };
    const { results, last } = await this.client.call(OPERATIONS[reader].range, context, request);
    const found: readonly DeadLetterInRange[] = results;
    return { found, last: upTo ?? last };
  }

  private async redriveAll(context: CallContext, entry: DeadLetterTopic, ids: readonly string[]) {
    const { redrive, remove } = OPERATIONS[entry.reader];
    const until = performance.now() + STEP_MS_MAX;
    const left: LeftDeadLetter[] = [];
    const missing: string[] = [];
    let [done, covered] = [0, 0];
    while (covered < ids.length && (covered === 0 || performance.now() < until)) {
      const answer = await this.client.call(redrive, context, { ids: ids.slice(covered) });
      const stored = answer.records.flatMap(({ id, record }) => (record === undefined ? [] : [{ id, record }]));
      if (stored.length > 0) {
        const records = stored.map(({ record }) => record);
        await this.putBack(context, entry, records);
        await this.client.call(remove, context, { ids: stored.map(({ id }) => id) });
      }
      left.push(...answer.records.filter(({ record }) => record === undefined).map(({ id }) => ({ id, error: withoutBytes(id) })));
      missing.push(...answer.missing);
      done += stored.length;
      covered += answer.covered;
    }
    return { done, left, missing, covered };
  }

  private async discardAll(context: CallContext, { reader }: DeadLetterTopic, ids: readonly string[]) {
    const { missing } = await this.client.call(OPERATIONS[reader].discard, context, { ids: [...ids] });
    return { done: ids.length - missing.length, left: [], covered: ids.length };
  }

  private async putBack(context: CallContext, { topic, writers }: DeadLetterTopic, records: string[]) {
    if (writers.includes('gateway')) return this.events.deadLetters.putBack(topic, records.map(decodeOriginal));
    const writer = writers.find((one): one is AnsweringService => one !== 'gateway')!;
    return this.client.call(OPERATIONS[writer].putBack, context, { topic: topic.topic, records });
  }
}

function withoutBytes(id: string) {
  return `The record of ${id} was too large to be stored with it, so it cannot be put back: read it from its topic, or discard it`;
}

function noDeadLetter(id: string) {
  return notFound(`There is no dead letter ${id}: it was redriven or discarded, or the retention of its topic has ended`);
}

function topicsNamed(name: string | undefined): readonly DeadLetterTopic[] {
  if (name === undefined) return DEAD_LETTER_TOPICS;
  const found = DEAD_LETTER_TOPICS.filter(({ topic }) => topic.topic === name);
  if (found.length > 0) return found;
  throw invalid(
    `topic ${name} has no dead letters: those that may have some are ${DEAD_LETTER_TOPICS.map(({ topic }) => topic.topic).join(', ')}`,
  );
}

function topicOf(id: string): DeadLetterTopic {
  const found = DEAD_LETTER_TOPICS.find(({ topic }) => id.startsWith(`${topic.topic}:`));
  if (!found) throw notFound(`There is no dead letter ${id.slice(0, 100)}: an id is a topic and a reference, as the list shows it`);
  return found;
}

function positionOf(topics: readonly DeadLetterTopic[], cursor: string | undefined): Position {
  if (cursor === undefined) return { index: 0 };
  const [, name, after, upTo] = CURSOR.exec(cursor) ?? [];
  const index = topics.findIndex(({ topic }) => topic.topic === name);
  if (index < 0) throw invalid(`cursor "${cursor.slice(0, 100)}" is none of this listing: begin without one`);
  return { index, after: after || undefined, upTo: upTo || undefined };
}

/** Behind the dead letter at `after`, or in the next topic; undefined at the end. */
function positionAfter(
  topics: readonly DeadLetterTopic[],
  index: number,
  after: string | undefined,
  last: string | undefined,
): Position | undefined {
  if (after !== undefined && last !== undefined && after !== last) return { index, after, upTo: last };
  return index + 1 < topics.length ? { index: index + 1 } : undefined;
}

function textOf(topics: readonly DeadLetterTopic[], { index, after = '', upTo = '' }: Position) {
  return `${topics[index]!.topic.topic}:${after}:${upTo}`;
}
