import type { EncodedEvent } from './new-event';
import type { Topic } from './topic';

/** Letters that are read, and put back, at once where nobody says how many. */
export const LETTERS = 100;
export const LETTERS_REQUEUED = 1_000;

/** A record that its group could not process, as it stands on `<topic>.dead`. */
export interface DeadLetter {
  /** The group that gave it up. */
  group: string;
  /** What the handler's last error said. */
  reason: string;
  /** How often the record was handed to the handler. */
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
  /** Only the letters of these original records. Default: all. */
  ids?: readonly string[];
  /** At most this many letters, the oldest first. Default `LETTERS_REQUEUED`. */
  limit?: number;
}

/** What could not be processed, and the way back. */
export interface DeadLetters {
  /** The oldest dead letters of a topic, at most `limit` (default `LETTERS`). */
  deadLetters(topic: Topic, limit?: number): Promise<DeadLetter[]>;

  /**
   * Appends the originals to their topic again under their own ids, keys and running numbers, removes their letters, and resolves with the
   * number of records put back. Every group of the topic meets them again. A crash in between leaves the letter; another
   * call appends the original once more, under the same id.
   */
  requeueDead(topic: Topic, options?: RequeueOptions): Promise<number>;
}

/** The records that letters are about: one that was given up twice is put back once. */
export function originalsOf(letters: readonly { letter: DeadLetter }[]): EncodedEvent[] {
  const originals = letters.map(
    ({ letter: { id, key, payload, position, sequence } }) => [position, { id, key, payload, sequence }] as const,
  );
  return [...new Map(originals).values()];
}
