import { Logger } from '@nestjs/common';

/** Above this skew logs of two machines are hard to compare; deadlines are not affected. */
const SKEW_WARNING_MS = 500;
/** Latest observations, of which one is used; older ones expire because the broker's clock may be set. */
const OBSERVATIONS_MAX = 8;

interface Observation {
  /** The broker's clock ahead of `performance.now()`, in ms. */
  ahead: number;
  roundTripMs: number;
}

/**
 * An estimate of the broker's clock: a deadline counts from the broker's append of the record, which has the broker's time.
 * Relative to `performance.now()`, so that setting our own clock changes nothing.
 */
export class BrokerClock {
  private readonly logger = new Logger('Kafka');
  private readonly observations: Observation[] = [];
  private ahead?: number;
  private warned = false;

  /** Notes the times a record was sent and came back (`performance.now()`), and its append by the broker's clock (ms since the epoch). */
  observe(sentAt: number, seenAt: number, appendedAt: number): void {
    this.observations.push({ ahead: appendedAt - (sentAt + seenAt) / 2, roundTripMs: seenAt - sentAt });
    if (this.observations.length > OBSERVATIONS_MAX) this.observations.shift();
    const best = this.observations.reduce((shortest, one) => (one.roundTripMs < shortest.roundTripMs ? one : shortest));
    this.ahead = best.ahead;
    this.compare(best.roundTripMs);
  }

  /** The broker's time, ms since the epoch; ours before the first observation. */
  now(): number {
    return this.ahead === undefined ? Date.now() : performance.now() + this.ahead;
  }

  /** Time since the broker appended a record, in ms; 0 when the estimate is in the future. */
  ageMs(appendedAt: number): number {
    if (this.ahead === undefined) return 0;
    return Math.max(0, performance.now() + this.ahead - appendedAt);
  }

  /** Our clock ahead of the broker's, in ms. */
  get skewMs(): number {
    return this.ahead === undefined ? 0 : Date.now() - (performance.now() + this.ahead);
  }

  /** Warns once about a clock skew; the estimate may be wrong by half the round trip. */
  private compare(roundTripMs: number) {
    const { skewMs } = this;
    const isSkewed = Math.abs(skewMs) - roundTripMs / 2 > SKEW_WARNING_MS;
    if (isSkewed && !this.warned) {
      const side = skewMs > 0 ? 'ahead of' : 'behind';
      this.logger.warn(`This machine's clock is ${Math.abs(Math.round(skewMs))} ms ${side} the broker's: synchronise them`);
    }
    this.warned = isSkewed;
  }
}
