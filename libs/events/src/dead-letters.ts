import { createHash } from 'node:crypto';
import type { AnyRecord } from './event-log';
import type { EncodedEvent } from './new-event';
import type { Topic } from './topic';

/** Most dead letters of a page. */
export const DEAD_LETTERS_PAGE = 100;
/** Characters of a reference: 96 bits. */
export const REFERENCE_LENGTH = 16;

/** A dead letter as its group stores it, with the fields of the original record. */
export interface NewDeadLetter extends Omit<AnyRecord, 'payload' | 'size'> {
  /** The group that dead-lettered it. */
  group: string;
  /** Message of the handler's last error. */
  reason: string;
  /** How often the handler was called with the record; 0 for one that could not be read or verified. */
  attempts: number;
  /** The payload as JSON text, exactly as it was appended; `null` for a tombstone. */
  payload: string | null;
}

/** A record that its group could not process. It waits on `<topic>.dead` until an operator redrives or discards it. */
export interface DeadLetter extends Pick<NewDeadLetter, 'group' | 'reason' | 'attempts' | 'position' | 'appendedAt'> {
  /** Names it among the dead letters of its topic. */
  reference: string;
  /** Of the original record. A log in PostgreSQL has the partition 0 alone. */
  partition: number;
  /** Of the original record in its partition. Decimal digits. */
  offset: string;
  /** When it was dead-lettered, in ms since the epoch, by the log's clock. */
  deadAt: number;
  /** Where it is among the dead letters of its topic; grows. Decimal digits. */
  cursor: string;
}

/** A dead letter with the record. */
export interface StoredDeadLetter extends DeadLetter, Pick<NewDeadLetter, 'id' | 'key' | 'sequence' | 'payload'> {
  /** Whether one of our processes wrote the record, so that its fields mean something. */
  isVerified: boolean;
  /** The record as it was, with its signature if it had one; absent if it was too large to be stored. */
  original?: EncodedEvent;
}

/** Part of the dead letters of a topic. */
export interface DeadLetterRange {
  /** `cursor` of the last one before. Default: from the oldest. */
  after?: string;
  /** `cursor` of the last one. Default: to the latest. */
  upTo?: string;
  /** Default and most: `DEAD_LETTERS_PAGE`. */
  limit?: number;
}

/** The dead letters of the topics that wait. Every topic is the original one. */
export interface DeadLetters {
  /** A page, the oldest first; a page may have fewer than `limit` before the last one, but not none. @throws ServiceError `unavailable` */
  page(topic: Topic, range?: DeadLetterRange): Promise<DeadLetter[]>;

  /** How many wait, counted up to a bound of some ten thousand. @throws ServiceError `unavailable` */
  count(topic: Topic): Promise<number>;

  /** `cursor` of the latest one; undefined where none waits. @throws ServiceError `unavailable` */
  last(topic: Topic): Promise<string | undefined>;

  /** Those with the references that still wait, in any order. @throws ServiceError `unavailable` */
  find(topic: Topic, references: readonly string[]): Promise<StoredDeadLetter[]>;

  /**
   * Appends records to their topic as they were, byte by byte, and resolves when they are durable. Nothing is signed. Every group of the
   * topic gets them again. @throws ServiceError as `EventLog.append`.
   */
  putBack(topic: Topic, originals: readonly EncodedEvent[]): Promise<void>;

  /** Removes those with the references; one that is missing is none. Resolves when that is durable. @throws ServiceError `unavailable` */
  remove(topic: Topic, references: readonly string[]): Promise<void>;
}

/** Depends on the record and its group alone, so that a repeated dead letter is recognised. */
export function deadLetterId({ topic }: Topic, { group, position }: Pick<NewDeadLetter, 'group' | 'position'>): string {
  return createHash('sha256')
    .update(JSON.stringify([topic, group, position]))
    .digest('base64url');
}

/** The reference of a dead letter. @param id as `deadLetterId`. */
export function referenceOf(id: string): string {
  return id.slice(0, REFERENCE_LENGTH);
}
