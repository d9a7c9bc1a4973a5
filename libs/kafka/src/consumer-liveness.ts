import type { Consumer } from 'kafkajs';
import type { PatchedFetchEvent } from './patch-broker-changes';

/** A fetch waits 500 ms at the broker; one that takes longer than this is late. */
const FETCH_MS_MAX = 1_000;
/** Between two attempts to connect; kafkajs pauses for 0.5 s at most, longer on a busy machine. */
const RECONNECT_MS_MAX = 5_000;

/** The fetches from a broker since the last one that it answered. */
interface Unanswered {
  /** Start of the first. */
  readonly since: number;
  /** End of the last one, if it failed. */
  failedAt?: number;
  /** Since when it is neither answered, nor a connection refused. */
  silentSince: number;
}

/** Whether a consumer's cluster answers; kafkajs' own state does not show it. */
export class ConsumerLiveness {
  private answeredAt = performance.now();
  /** When a connection was last refused. */
  private refusedAt = -Infinity;
  private readonly unanswered = new Map<string, Unanswered>();
  /** Start of the last fetch from each broker. */
  private readonly startedAt = new Map<string, number>();

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
    consumer.on(FETCH_START, ({ payload }) => this.onStart(String(payload.nodeId)));
    consumer.on(FETCH, ({ payload }) => {
      const { nodeId, failed = false, refused = false } = payload as PatchedFetchEvent;
      if (refused) this.onRefused();
      else this.onEnd(String(nodeId), failed);
    });
  }

  /** Time since any broker answered, in ms. */
  sinceAnswerMs(): number {
    return performance.now() - this.answeredAt;
  }

  /** Whether no broker accepts a connection, and the consumer keeps trying: another consumer could do no more. */
  isReconnecting(): boolean {
    return this.refusedAt > this.answeredAt && performance.now() - this.refusedAt < RECONNECT_MS_MAX;
  }

  /** How long some broker's answer to a fetch has been late, in ms; 0 while all answer. */
  interruptedForMs(): number {
    const longest = Math.max(performance.now() - this.fetchedAt, this.oldestFetchMs());
    return longest > FETCH_MS_MAX ? longest : 0;
  }

  /** Age of the oldest unanswered fetch, in ms. */
  oldestFetchMs(): number {
    const now = performance.now();
    return now - Math.min(now, ...[...this.unanswered.values()].map(({ since }) => since));
  }

  /** For how long the most silent broker has not answered a fetch, and no connection was refused, in ms. */
  longestSilenceMs(): number {
    const now = performance.now();
    return now - Math.min(now, ...[...this.unanswered.values()].map(({ silentSince }) => silentSince));
  }

  private onStart(node: string) {
    const now = performance.now();
    this.startedAt.set(node, now);
    // A failed fetch is followed by another one to the same broker, unless the broker leads no partition any more.
    const open = this.unanswered.get(node);
    if (open) open.failedAt = undefined;
    else this.unanswered.set(node, { since: now, silentSince: now });
  }

  private onEnd(node: string, failed: boolean) {
    const open = this.unanswered.get(node);
    if (failed) {
      if (open) open.failedAt = performance.now();
      return;
    }
    this.unanswered.delete(node);
    // After a failure kafkajs starts a fetch from every broker of the cluster at once: one without has left it.
    const started = this.startedAt.get(node) ?? 0;
    for (const [other, { failedAt }] of this.unanswered) if (failedAt !== undefined && failedAt < started) this.unanswered.delete(other);
  }

  /** A fetch ends only after kafkajs' own attempts to connect to every broker, so its time does not show silence. */
  private onRefused() {
    this.refusedAt = performance.now();
    for (const open of this.unanswered.values()) open.silentSince = this.refusedAt;
  }
}
