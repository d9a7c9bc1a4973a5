import type { EncodedEvent } from './new-event';
import type { Topic } from './topic';

/** Default limits of listing and of requeueing. */
export const DEAD_LETTERS_LISTED = 100;
export const DEAD_LETTERS_REQUEUED = 1_000;

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

/** The original records of dead letters; one with two dead letters is returned once. */
export function originalsOf(stored: readonly { deadLetter: DeadLetter }[]): EncodedEvent[] {
  const originals = stored.map(
    ({ deadLetter: { id, key, payload, position, sequence } }) => [position, { id, key, payload, sequence }] as const,
  );
  return [...new Map(originals).values()];
}
