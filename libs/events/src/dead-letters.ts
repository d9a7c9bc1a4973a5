import { createHash } from 'node:crypto';
import type { ReadRecord } from './handle-batch';
import type { Topic } from './topic';

/** Limits of one listing and of one requeueing. */
export const DEAD_LETTERS_LISTED = 100;
export const DEAD_LETTERS_REQUEUED = 1_000;
/** Dead letters of a page, which are requeued with one append. */
export const DEAD_LETTERS_PAGE = 100;

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

/** Lists and requeues dead letters. */
export interface DeadLetters {
  /** The oldest dead letters of a topic, at most `DEAD_LETTERS_LISTED`. */
  deadLetters(topic: Topic): Promise<DeadLetter[]>;

  /**
   * Appends the originals to their topic again under their own ids, keys and running numbers, removes their dead letters, and
   * resolves with the number of records requeued, oldest first and at most `DEAD_LETTERS_REQUEUED`. Every group of the topic gets
   * them again. A crash in between leaves the dead letter; another call appends the original once more, under the same id.
   * @param ids only the dead letters of these original records. Default: all.
   */
  requeueDead(topic: Topic, ids?: readonly string[]): Promise<number>;
}

/** A dead letter and its identity on the dead topic. */
export interface StoredDeadLetter<Reference> {
  reference: Reference;
  deadLetter: DeadLetter;
}

/** The dead letters of a log. */
export interface DeadLetterStorage<Reference> {
  /** Those of a topic, oldest first, in pages of at most `DEAD_LETTERS_PAGE`; a page is read when the one before is processed. */
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
