import { createHash } from 'node:crypto';
import type { RawRecord, RecordOrigin } from './consumption';
import type { AnyRecord } from './event-log';
import type { EncodedEvent } from './new-event';
import type { Topic } from './topic';

/** Limits of one listing and of one requeueing. */
const DEAD_LETTERS_LISTED = 100;
const DEAD_LETTERS_REQUEUED = 1_000;
/** Dead letters of a page, which are requeued with one append. */
export const DEAD_LETTERS_PAGE = 100;

/** A record that its group could not process, as stored on `<topic>.dead`; with the fields of the original record. */
export interface DeadLetter extends Omit<AnyRecord, 'payload' | 'size'> {
  /** The group that dead-lettered it. */
  group: string;
  /** Message of the handler's last error. */
  reason: string;
  /** How often the handler was called with the record. */
  attempts: number;
  /** The payload as JSON text, exactly as it was appended; `null` for a tombstone. */
  payload: string | null;
}

/** Lists and requeues dead letters. */
export interface DeadLetters {
  /** The oldest dead letters of a topic, at most `DEAD_LETTERS_LISTED`. */
  deadLetters(topic: Topic): Promise<DeadLetter[]>;

  /**
   * Appends the originals to their topic again as they were, under their own ids, keys, running numbers and signatures, removes their dead letters, and
   * resolves with the number of records requeued, oldest first and at most `DEAD_LETTERS_REQUEUED`. Every group of the topic gets
   * them again. A crash in between leaves the dead letter; another call appends the original once more, under the same id.
   * @param ids only the dead letters of these original records. Default: all.
   */
  requeueDead(topic: Topic, ids?: readonly string[]): Promise<number>;
}

/** A dead letter and its identity on the dead topic. */
export interface StoredDeadLetter {
  reference: string;
  deadLetter: DeadLetter;
  /** In a log that signs its records: of a record of ours. */
  origin?: RecordOrigin;
  /** Of a record that is none of ours, unless it is too large. */
  raw?: RawRecord;
}

/** Depends on the record and its group alone, so that a repeated dead letter is recognised. */
export function deadLetterId({ topic }: Topic, { group, position }: DeadLetter): string {
  return createHash('sha256')
    .update(JSON.stringify([topic, group, position]))
    .digest('base64url');
}

/** The oldest of the dead letters in these pages: see `DeadLetters.deadLetters`. */
export async function oldestDead(pages: AsyncIterable<StoredDeadLetter[]>): Promise<DeadLetter[]> {
  const listed: DeadLetter[] = [];
  for await (const page of pages) {
    for (const { deadLetter } of page) listed.push(deadLetter);
    if (listed.length >= DEAD_LETTERS_LISTED) break;
  }
  return listed.slice(0, DEAD_LETTERS_LISTED);
}

/**
 * Requeues the dead letters in these pages: see `DeadLetters.requeueDead`.
 * @param requeue appends the originals, then removes the dead letters at the references.
 */
export async function requeuePages(
  pages: AsyncIterable<StoredDeadLetter[]>,
  ids: readonly string[] | undefined,
  requeue: (originals: readonly EncodedEvent[], references: readonly string[]) => Promise<void>,
): Promise<number> {
  let requeued = 0;
  for await (const page of pages) {
    const chosen = page.filter(({ deadLetter }) => ids?.includes(deadLetter.id) ?? true).slice(0, DEAD_LETTERS_REQUEUED - requeued);
    if (chosen.length === 0) continue;
    // A record with two dead letters is appended once.
    const originals = new Map(
      chosen.map(({ deadLetter: { id, key, payload, position, sequence }, origin, raw }) => [
        position,
        { id, key, payload, sequence, origin, raw },
      ]),
    );
    await requeue(
      [...originals.values()],
      chosen.map(({ reference }) => reference),
    );
    requeued += chosen.length;
    if (requeued >= DEAD_LETTERS_REQUEUED) break;
  }
  return requeued;
}
