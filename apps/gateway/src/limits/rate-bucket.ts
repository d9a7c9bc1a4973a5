import type { Rate } from '@tidings/contracts/core/rate';
import type { LeasedTokens, UsedTokens } from '@tidings/contracts/identity/rate-leases';

const SECOND_MS = 1_000;

/** Whose requests a bucket counts. */
export interface BucketOwner {
  scope: 'workspace' | 'key';
  workspaceId: string;
  /** Of a key's own bucket. */
  keyId?: string;
}

/**
 * This gateway's share of a token bucket: a part of the tokens, and a part of the rate, both given by the last lease and divided by
 * the gateways that use the bucket. Between leases it fills itself, so it continues with its last share while identity is unavailable.
 * Times are ms of a monotonic clock.
 */
export class RateBucket {
  /** Tokens that were taken since the last lease. */
  used = 0;
  /** When the last lease was requested; `-Infinity`: never. */
  leasedAt = -Infinity;
  /** A lease is in flight: there is no other until it ends. */
  isLeasing = false;
  private gateways = 1;
  private tokens = this.rate.burst;

  constructor(
    readonly owner: BucketOwner,
    readonly rate: Rate,
    private filledAt: number,
  ) {}

  /** The tokens that may be taken now; below 1: none. */
  fill(now: number) {
    this.tokens = Math.min(this.capacity, this.tokens + ((now - this.filledAt) * this.rate.perSecond) / (SECOND_MS * this.gateways));
    this.filledAt = now;
    return this.tokens;
  }

  take() {
    this.tokens -= 1;
    this.used += 1;
  }

  /** What a lease reports. Tokens that are taken from now on are part of the next one. */
  report(now: number): UsedTokens {
    const { workspaceId, keyId } = this.owner;
    const used = this.used;
    this.used = 0;
    this.leasedAt = now;
    this.isLeasing = true;
    return { workspace_id: workspaceId, key_id: keyId, rate: this.rate.text, used };
  }

  /** A lost report is part of the next one, but no more than a burst of it: a long outage is not repaid. */
  restore({ used }: UsedTokens) {
    this.isLeasing = false;
    this.used = Math.min(this.used + used, Math.ceil(this.rate.burst));
  }

  /** Continues with a lease: its part of the tokens, less those taken since the report. */
  renew({ tokens, gateways }: LeasedTokens, now: number) {
    this.isLeasing = false;
    this.gateways = Math.max(1, gateways);
    const share = tokens / this.gateways;
    // With fewer tokens than gateways none would get one: each may take it, and it is repaid.
    this.tokens = (tokens >= 1 ? Math.max(1, share) : share) - this.used;
    this.filledAt = now;
  }

  /** Seconds until there are this many tokens, at the rate of the share; at most all that fit. */
  secondsUntil(tokens = Infinity) {
    const missing = Math.min(tokens, this.capacity) - this.tokens;
    return Math.max(0, (missing * this.gateways) / this.rate.perSecond);
  }

  private get capacity() {
    return Math.max(1, this.rate.burst / this.gateways);
  }
}
