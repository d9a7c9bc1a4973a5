import type { Consumer } from 'kafkajs';

/** A fetch waits 500 ms at the broker; what takes longer than this does not come back as it should. */
const FETCH_MS_MAX = 1_000;
const FETCH = 'Fetch';

/** Whether a consumer still hears from its cluster: what it believes itself is no sign. */
export class ConsumerLiveness {
  private answeredAt = performance.now();
  private fetchedAt = performance.now();
  private readonly asking = new Map<string, number>();
  private consumer?: Consumer;

  /** Listens to a new consumer; what was known of the one before is kept, so that an interruption lasts until a fetch succeeds. */
  begin(consumer: Consumer): void {
    this.consumer = consumer;
    this.asking.clear();
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
        // One that failed is followed by another, to the same broker.
        const node = String(payload.nodeId);
        if (!this.asking.has(node)) this.asking.set(node, now);
      }),
    );
    consumer.on(FETCH_END, ({ payload }) => whileCurrent(() => void this.asking.delete(String((payload as { nodeId?: unknown }).nodeId))));
  }

  /** Since any broker answered anything, in ms. */
  sinceAnswerMs(): number {
    return performance.now() - this.answeredAt;
  }

  /** How long some broker has been due to answer a fetch, in ms; 0 while all do. */
  interruptedForMs(): number {
    const now = performance.now();
    const longest = Math.max(now - this.fetchedAt, this.longestAskedMs(now));
    return longest > FETCH_MS_MAX ? longest : 0;
  }

  /** How long the broker that owes this consumer a fetch for the longest time has owed it, in ms. */
  longestAskedMs(now = performance.now()): number {
    return Math.max(0, ...[...this.asking.values()].map((since) => now - since));
  }
}
