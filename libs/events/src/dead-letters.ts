import { createHash } from 'node:crypto';
import type { ReadRecord } from './handle-batch';
import type { EncodedEvent } from './new-event';
import type { Topic } from './topic';

/** Default limits of listing and of requeueing. */
const DEAD_LETTERS_LISTED = 100;
const DEAD_LETTERS_REQUEUED = 1_000;
/** Dead letters that are requeued with one append. */
const PAGE = 100;

/** A record that its group could not process, as stored on `<topic>.dead`. */
export interface DeadLetter {
  /** The group that dead-lettered it. */
  group: string;
  /** Message of the handler's last error. */
  reason: string;
  /** How often the handler was called with the record. */
  attempts: number;
  /** Of the original record, as are the fields below. */
  id: string;
  key: string;
  position: string;
  appendedAt: number;
  /** The payload as JSON text, exactly as it was appended; `null` for a tombstone. */
  payload: string | null;
  /** The running number it was appended with. */
  sequence?: string;
}

export interface RequeueOptions {
  /** Only the dead letters of these original records. Default: all. */
  ids?: readonly string[];
  /** At most this many dead letters, oldest first. Default `DEAD_LETTERS_REQUEUED`. */
  limit?: number;
}

/** Lists and requeues dead letters. */
export interface DeadLetters {
  /** The oldest dead letters of a topic, at most `limit` (default `DEAD_LETTERS_LISTED`). */
  deadLetters(topic: Topic, limit?: number): Promise<DeadLetter[]>;

  /**
   * Appends the originals to their topic again under their own ids, keys and running numbers, removes their dead letters, and
   * resolves with the number of records requeued. Every group of the topic gets them again. A crash in between leaves the dead
   * letter; another call appends the original once more, under the same id.
   */
  requeueDead(topic: Topic, options?: RequeueOptions): Promise<number>;
}

/** A dead letter and its identity on the dead topic. */
export interface StoredDeadLetter<Reference> {
  reference: Reference;
  deadLetter: DeadLetter;
}

/** The dead letters of a log. */
export interface DeadLetterStorage<Reference> {
  /** Those of a topic, oldest first, in pages; each page is read when the one before is processed. */
  pages(topic: Topic): AsyncIterable<StoredDeadLetter<Reference>[]>;
  /** Resolves when they are removed. */
  remove(topic: Topic, references: readonly Reference[]): Promise<void>;
}

/** The dead letter of a record. */
export function deadLetterOf<Payload extends object>(
  group: string,
  { record: { id, key, position, appendedAt, sequence }, text }: ReadRecord<Payload>,
  reason: string,
  attempts: number,
): DeadLetter {
  return { group, reason, attempts, id, key, position, appendedAt, payload: text, ...(sequence !== undefined && { sequence }) };
}

/** Depends on the record and its group alone, so that a repeated dead letter is recognised. */
export function deadLetterId({ topic }: Topic, { group, position }: DeadLetter): string {
  return createHash('sha256')
    .update(JSON.stringify([topic, group, position]))
    .digest('base64url');
}

/** See `DeadLetters.deadLetters`. */
export async function listDeadLetters<Reference>(
  storage: DeadLetterStorage<Reference>,
  topic: Topic,
  limit = DEAD_LETTERS_LISTED,
): Promise<DeadLetter[]> {
  const listed: DeadLetter[] = [];
  for await (const page of storage.pages(topic)) {
    for (const { deadLetter } of page) listed.push(deadLetter);
    if (listed.length >= limit) break;
  }
  return listed.slice(0, limit);
}

/** See `DeadLetters.requeueDead`. */
export async function requeueDeadLetters<Reference>(
  storage: DeadLetterStorage<Reference>,
  append: (originals: readonly EncodedEvent[]) => Promise<void>,
  topic: Topic,
  { ids, limit = DEAD_LETTERS_REQUEUED }: RequeueOptions = {},
): Promise<number> {
  const wanted = ids && new Set(ids);
  let requeued = 0;
  for await (const page of storage.pages(topic)) {
    const chosen = page.filter(({ deadLetter }) => !wanted || wanted.has(deadLetter.id)).slice(0, limit - requeued);
    for (let begin = 0; begin < chosen.length; begin += PAGE) {
      const part = chosen.slice(begin, begin + PAGE);
      // A record with two dead letters is appended once.
      const originals = new Map(
        part.map(({ deadLetter: { id, key, payload, position, sequence } }) => [position, { id, key, payload, sequence }]),
      );
      await append([...originals.values()]);
      await storage.remove(
        topic,
        part.map(({ reference }) => reference),
      );
    }
    requeued += chosen.length;
    if (requeued >= limit) break;
  }
  return requeued;
}
