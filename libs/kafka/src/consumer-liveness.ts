import type { Consumer } from 'kafkajs';

/** A fetch waits 500 ms at the broker; one that takes longer than this is late. */
const FETCH_MS_MAX = 1_000;
const FETCH = 'Fetch';

/** Whether a consumer's cluster answers; kafkajs' own state does not show it. */
export class ConsumerLiveness {
  private answeredAt = performance.now();
  private fetchedAt = performance.now();
  private readonly unansweredSince = new Map<string, number>();
  private consumer?: Consumer;

  /** Watches a new consumer. The time of the last fetch stays, so that an interruption lasts until a fetch succeeds. */
  watch(consumer: Consumer): void {
    this.consumer = consumer;
    this.unansweredSince.clear();
    this.answeredAt = performance.now();
    const { REQUEST, FETCH_START, FETCH: FETCH_END } = consumer.events;
    const whileCurrent = (note: (now: number) => void): void => {
      if (consumer === this.consumer) note(performance.now());
    };
    consumer.on(REQUEST, ({ payload }) =>
      whileCurrent((now) => {
        this.answeredAt = now;
        if (payload.apiName === FETCH) this.fetchedAt = now;
      }),
    );
    consumer.on(FETCH_START, ({ payload }) =>
      whileCurrent((now) => {
        // A failed fetch is followed by another one to the same broker.
        const node = String(payload.nodeId);
        if (!this.unansweredSince.has(node)) this.unansweredSince.set(node, now);
      }),
    );
    consumer.on(FETCH_END, ({ payload }) =>
      whileCurrent(() => void this.unansweredSince.delete(String((payload as { nodeId?: unknown }).nodeId))),
    );
  }

  /** Time since any broker answered, in ms. */
  sinceAnswerMs(): number {
    return performance.now() - this.answeredAt;
  }

  /** How long some broker's answer to a fetch has been late, in ms; 0 while all answer. */
  interruptedForMs(): number {
    const now = performance.now();
    const longest = Math.max(now - this.fetchedAt, this.oldestFetchMs(now));
    return longest > FETCH_MS_MAX ? longest : 0;
  }

  /** Age of the oldest unanswered fetch, in ms. */
  oldestFetchMs(now = performance.now()): number {
    return Math.max(0, ...[...this.unansweredSince.values()].map((since) => now - since));
  }
}
