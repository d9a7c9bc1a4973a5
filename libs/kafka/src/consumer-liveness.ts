import type { Consumer } from 'kafkajs';

/** A fetch waits 500 ms at the broker; one that takes longer than this is late. */
const FETCH_MS_MAX = 1_000;

/** Whether a consumer's cluster answers; kafkajs' own state does not show it. */
export class ConsumerLiveness {
  private answeredAt = performance.now();
  private readonly unansweredSince = new Map<string, number>();

  /** @param fetchedAt the last fetch of the consumer before: an interruption lasts until a fetch succeeds. */
  constructor(
    consumer: Consumer,
    public fetchedAt = performance.now(),
  ) {
    const { REQUEST, FETCH_START, FETCH } = consumer.events;
    consumer.on(REQUEST, ({ payload }) => {
      this.answeredAt = performance.now();
      if (payload.apiName === 'Fetch') this.fetchedAt = this.answeredAt;
    });
    consumer.on(FETCH_START, ({ payload }) => {
      // A failed fetch is followed by another one to the same broker.
      const node = String(payload.nodeId);
      if (!this.unansweredSince.has(node)) this.unansweredSince.set(node, performance.now());
    });
    consumer.on(FETCH, ({ payload }) => void this.unansweredSince.delete(String((payload as { nodeId?: unknown }).nodeId)));
  }

  /** Time since any broker answered, in ms. */
  sinceAnswerMs(): number {
    return performance.now() - this.answeredAt;
  }

  /** How long some broker's answer to a fetch has been late, in ms; 0 while all answer. */
  interruptedForMs(): number {
    const longest = Math.max(performance.now() - this.fetchedAt, this.oldestFetchMs());
    return longest > FETCH_MS_MAX ? longest : 0;
  }

  /** Age of the oldest unanswered fetch, in ms. */
  oldestFetchMs(): number {
    const now = performance.now();
    return now - Math.min(now, ...this.unansweredSince.values());
  }
}
