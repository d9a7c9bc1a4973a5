import { Logger } from '@nestjs/common';

/** Beyond this, logs of two machines are hard to read together; deadlines do not care. */
const SKEW_WARNING_MS = 500;
/** Observations the estimate is chosen from: the broker's clock may be set. */
const OBSERVATIONS_MAX = 8;

interface Observation {
  /** The broker's clock ahead of `performance.now()`, in ms. */
  ahead: number;
  roundTripMs: number;
}

/**
 * The broker's clock as this process sees it: a deadline counts from the moment the broker took the record, and only that
 * clock knows it. Kept against `performance.now()`, so that setting our own clock changes nothing.
 */
export class BrokerClock {
  private readonly logger = new Logger('Kafka');
  private readonly observations: Observation[] = [];
  private ahead?: number;
  private warned = false;

  /** A record was sent and came back at these moments (`performance.now()`), and the broker took it at `appendedAt` by its own clock. */
  observe(sentAt: number, seenAt: number, appendedAt: number): void {
    this.observations.push({ ahead: appendedAt - (sentAt + seenAt) / 2, roundTripMs: seenAt - sentAt });
    if (this.observations.length > OBSERVATIONS_MAX) this.observations.shift();
    const best = this.observations.reduce((shortest, one) => (one.roundTripMs < shortest.roundTripMs ? one : shortest));
    this.ahead = best.ahead;
    this.compare(best.roundTripMs);
  }

  /** Milliseconds since the broker took the record; 0 for one that it seems to have taken in the future. */
  ageMs(appendedAt: number): number {
    if (this.ahead === undefined) return 0;
    return Math.max(0, performance.now() + this.ahead - appendedAt);
  }

  /** Our clock ahead of the broker's, in ms. */
  get skewMs(): number {
    return this.ahead === undefined ? 0 : Date.now() - (performance.now() + this.ahead);
  }

  /** Half the round trip is how wrong the estimate may be. */
  private compare(roundTripMs: number): void {
    const { skewMs } = this;
    const far = Math.abs(skewMs) - roundTripMs / 2 > SKEW_WARNING_MS;
    if (far && !this.warned) {
      const side = skewMs > 0 ? 'ahead of' : 'behind';
      this.logger.warn(`This machine's clock is ${Math.abs(Math.round(skewMs))} ms ${side} the broker's: synchronise them`);
    }
    this.warned = far;
  }
}
