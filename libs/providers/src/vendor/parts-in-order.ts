import { LRUCache } from 'lru-cache';
import type { Accepted, Outcome } from '../provider';

/** Messages whose progress is kept, and how long: repeats come within minutes. */
const MESSAGES_MAX = 10_000;
const CACHED_MS = 3_600_000;

interface Progress {
  readonly count: number;
  /** That of the first part. */
  readonly outcome: Accepted;
}

/** Sends messages that consist of several parts, one part after another. */
export class PartsInOrder {
  private readonly sent = new LRUCache<string, Progress>({ max: MESSAGES_MAX, ttl: CACHED_MS });

  /**
   * Makes the calls of a message until one is not accepted. The outcome is that of the first part where all were accepted. A repeat of
   * the message continues after the accepted parts.
   * @param key of the message. @param parts at least one.
   */
  async send<Part>(key: string, parts: readonly Part[], call: (part: Part, index: number) => Promise<Outcome>): Promise<Outcome> {
    let progress = this.sent.get(key);
    for (const [index, part] of parts.entries()) {
      if (index < (progress?.count ?? 0)) continue;
      const outcome = await call(part, index);
      if (outcome.kind !== 'accepted') return outcome;
      progress = { count: index + 1, outcome: progress?.outcome ?? outcome };
      if (progress.count < parts.length) this.sent.set(key, progress);
    }
    this.sent.delete(key);
    return progress!.outcome;
  }
}
