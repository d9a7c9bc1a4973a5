import { SIGNATURE_HEADER } from '@tidings/contracts/core/cloud-events';
import type { CallContext } from '@tidings/contracts/core/context';
import type { DeadLetterOperations, AnsweringService } from '@tidings/contracts/core/dead-letter-operations';
import {
  type DeadLetterInRange,
  type DeadLetterRangeOf,
  type DeadLetterRecord,
  type DeadLettersOf,
  type DeadLetterSummary,
  type MissingDeadLetters,
  type NamedDeadLetter,
  type NamedDeadLetters,
  type PutBackRecords,
  RECORDS_CHARACTERS_MAX,
  type RedrivenRecord,
  type RedrivenRecords,
} from '@tidings/contracts/core/dead-letters';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { DEAD_LETTER_TOPICS } from '@tidings/events/dead-letter-topics';
import { type DeadLetter, REFERENCE_LENGTH, type StoredDeadLetter } from '@tidings/events/dead-letters';
import type { EventLog } from '@tidings/events/event-log';
import { decodeOriginal, encodeOriginal } from '@tidings/events/original-record';
import type { Topic } from '@tidings/events/topic';
import type { CallJournal } from '@tidings/persistence/call-journal';

/** Characters of a value that are shown. */
const VALUE_SHOWN_MAX = 64 * 1024;
/** The topic and the reference of a dead letter. */
const ID = new RegExp(`^([\\w.-]+):([\\w-]{${REFERENCE_LENGTH}})$`);

/** Handlers of the operations on dead letters, for the service that reads their topics or writes them. */
export abstract class DeadLetterHandlers {
  protected abstract readonly service: AnsweringService;
  protected abstract readonly operations: DeadLetterOperations;

  constructor(
    private readonly log: EventLog,
    private readonly journal: CallJournal,
  ) {}

  async range(_context: CallContext, { topic: name, after, up_to: upTo, limit }: DeadLetterRangeOf): Promise<DeadLettersOf> {
    const topic = this.ownTopic(name);
    const last = await this.log.deadLetters.last(topic);
    const page = last === undefined ? [] : await this.log.deadLetters.page(topic, { after, upTo: upTo ?? last, limit });
    return { results: page.map((letter) => toInRange(topic, letter)), last };
  }

  async retrieve(_context: CallContext, { id }: NamedDeadLetter): Promise<DeadLetterRecord> {
    const { topic, found } = await this.find([id]);
    if (!found[0]) throw noDeadLetter(id);
    return toRecord(topic, found[0]);
  }

  async redrive(context: CallContext, { ids }: NamedDeadLetters): Promise<RedrivenRecords> {
    const { topic, found } = await this.find(ids);
    const records: RedrivenRecord[] = [];
    const missing: string[] = [];
    let characters = 0;
    for (const id of ids) {
      const letter = found.find(({ reference }) => idOf(topic, reference) === id);
      const record = letter?.original && encodeOriginal(letter.original);
      characters += record?.length ?? 0;
      if (characters > RECORDS_CHARACTERS_MAX && records.length > 0) break;
      if (letter) records.push({ id, record });
      else missing.push(id);
    }
    const redriven = records.flatMap(({ id, record }) => (record === undefined ? [] : [id]));
    await this.record(context, 'redriven', redriven, this.operations.redrive.pattern);
    return { records, missing, covered: records.length + missing.length };
  }

  async putBack(_context: CallContext, { topic: name, records }: PutBackRecords): Promise<void> {
    const found = DEAD_LETTER_TOPICS.find(({ topic, writers }) => topic.topic === name && writers.includes(this.service));
    if (!found) throw notFound(`The ${this.service} service appends to no topic ${name}`);
    await this.log.deadLetters.putBack(found.topic, records.map(decodeOriginal));
  }

  async remove(_context: CallContext, { ids }: NamedDeadLetters): Promise<void> {
    const { topic, references } = this.parse(ids);
    await this.log.deadLetters.remove(topic, references);
  }

  async discard(context: CallContext, { ids }: NamedDeadLetters): Promise<MissingDeadLetters> {
    const { topic, references, found } = await this.find(ids);
    const waiting = new Set(found.map(({ reference }) => idOf(topic, reference)));
    const [discarded, missing] = [ids.filter((id) => waiting.has(id)), ids.filter((id) => !waiting.has(id))];
    await this.record(context, 'discarded', discarded, this.operations.discard.pattern);
    await this.log.deadLetters.remove(topic, references);
    return { missing };
  }

  /** Before the change, so that none is made without its audit event. */
  private async record(context: CallContext, what: 'redriven' | 'discarded', ids: readonly string[], operation: string) {
    await this.journal.recordForAll(context, ...ids.map((targetId) => ({ type: `dead-letter:${what}` as const, targetId, operation })));
  }

  private async find(ids: readonly string[]) {
    const { topic, references } = this.parse(ids);
    return { topic, references, found: await this.log.deadLetters.find(topic, references) };
  }

  /** The topic of ids, and what names their dead letters there. @throws ServiceError `invalid_request` for ids of several topics. */
  private parse(ids: readonly string[]) {
    const parts = ids.map(partsOf);
    const name = parts[0]?.topic ?? '';
    if (parts.some(({ topic }) => topic !== name)) throw invalid('The dead letters of one call have one topic');
    return { topic: this.ownTopic(name), references: parts.map(({ reference }) => reference) };
  }

  private ownTopic(name: string): Topic {
    const found = DEAD_LETTER_TOPICS.find(({ topic, reader }) => topic.topic === name && reader === this.service);
    if (!found) throw notFound(`The ${this.service} service has no dead letters of a topic ${name}`);
    return found.topic;
  }
}

function partsOf(id: string) {
  const [, topic, reference] = ID.exec(id) ?? [];
  if (topic === undefined || reference === undefined) throw noDeadLetter(id);
  return { topic, reference };
}

function idOf({ topic }: Topic, reference: string) {
  return `${topic}:${reference}`;
}

function noDeadLetter(id: string) {
  return notFound(`There is no dead letter ${id}: it was redriven or discarded, or its topic's retention has ended`);
}

function toSummary(topic: Topic, { reference, partition, offset, group, reason, deadAt, attempts }: DeadLetter): DeadLetterSummary {
  const time = new Date(deadAt).toISOString();
  return { id: idOf(topic, reference), topic: topic.topic, partition, offset, group, error: reason, time, count: attempts };
}

function toInRange(topic: Topic, letter: DeadLetter): DeadLetterInRange {
  return { ...toSummary(topic, letter), cursor: letter.cursor };
}

function toRecord(topic: Topic, letter: StoredDeadLetter): DeadLetterRecord {
  const { id, key, sequence, payload, original, isVerified, appendedAt } = letter;
  return {
    ...toSummary(topic, letter),
    appended_at: new Date(appendedAt).toISOString(),
    verified: isVerified,
    redrivable: original !== undefined,
    event_id: id,
    key: original?.raw?.key?.toString() ?? key,
    sequence,
    headers: original?.raw && headersOf(original.raw.headers),
    value: payload && payload.slice(0, VALUE_SHOWN_MAX).toWellFormed(),
  };
}

function headersOf(headers: NonNullable<NonNullable<StoredDeadLetter['original']>['raw']>['headers']) {
  const shown = Object.entries(headers).flatMap(([name, value]) => {
    const last = Array.isArray(value) ? value.at(-1) : value;
    return last === undefined || name === SIGNATURE_HEADER ? [] : [[name, last.toString()] as const];
  });
  return Object.fromEntries(shown);
}
