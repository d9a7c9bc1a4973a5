import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { parseRate } from '@tidings/contracts/core/rate';
import type { AccessLimits } from '@tidings/contracts/identity/keys';
import { LEASES_MAX, rateLeases } from '@tidings/contracts/identity/rate-leases';
import { OperationClient } from '@tidings/rpc/operation-client';
import { METRICS } from '@tidings/runtime/metric-table';
import { metrics } from '@tidings/runtime/metrics';
import { systemTimers as timers, type Timer } from '@tidings/runtime/timers';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../auth/caller';
import { type BucketOwner, RateBucket } from './rate-bucket';

const logger = new Logger('RateLimiter');

/** Buckets of this process; the least recently used one is forgotten first, and is full when it is used again. */
const BUCKETS_MAX = 20_000;
/** Interval of leases of a bucket in use, in ms: each is about a second's worth ahead. */
const LEASE_MS = 1_000;
/** The same for an empty bucket, where other gateways may have left tokens. */
const LEASE_EMPTY_MS = 250;
/** A first lease waits for others of the same moment, in ms. */
const LEASE_FIRST_MS = 5;

const LIMITED = metrics.counter(METRICS.rateLimited);

/** The bucket of a caller that has the fewest tokens. */
export interface RateState {
  limit: number;
  /** Whole requests that may come now. */
  remaining: number;
  /** Seconds until a burst may come again. */
  resetSeconds: number;
  /** Set if the request is refused. */
  refusal?: ServiceError;
}

/**
 * Limits the requests of callers whose key or workspace has a rate. No request waits for identity: buckets are shares of those that
 * all gateways use, and in the background each bucket in use is leased again about once a second, all of them in one call.
 */
@Injectable()
export class RateLimiter implements OnApplicationShutdown {
  private readonly gateway = randomUUID();
  private readonly buckets = new LRUCache<string, RateBucket>({ max: BUCKETS_MAX });
  /** The buckets of a caller; the limits are one object for as long as the key is cached. */
  private readonly ofLimits = new WeakMap<AccessLimits, readonly RateBucket[]>();
  /** Buckets that were used since their last lease. */
  private readonly due = new Set<RateBucket>();
  private timer: Timer | undefined;
  private timerAt = Infinity;

  constructor(private readonly client: OperationClient) {}

  /**
   * Takes a token from each bucket of the caller, or from none: then the request is refused (`rate_limited`, with the time until the next
   * token). Undefined for a caller without a rate.
   */
  admit(caller: Caller): RateState | undefined {
    const { limits } = caller;
    if (!limits) return undefined;
    const buckets = this.ofLimits.get(limits) ?? this.open(caller, limits);
    if (buckets.length === 0) return undefined;
    const now = timers.now();
    let [least] = buckets as [RateBucket];
    let tokens = Infinity;
    for (const bucket of buckets) {
      const filled = bucket.fill(now);
      if (filled < tokens) [least, tokens] = [bucket, filled];
    }
    if (tokens >= 1) for (const bucket of buckets) bucket.take();
    for (const bucket of buckets) this.lease(bucket, now, tokens < 2);
    const state = {
      limit: least.rate.limit,
      remaining: Math.max(0, Math.floor(tokens - 1)),
      resetSeconds: Math.ceil(least.secondsUntil()),
    };
    return tokens >= 1 ? state : { ...state, refusal: refused(least) };
  }

  onApplicationShutdown() {
    timers.clear(this.timer);
  }

  private open({ workspaceId, keyId }: Caller, limits: AccessLimits) {
    const { workspace_rate, key_rate } = limits;
    const buckets = [
      ...(key_rate === undefined ? [] : [this.bucket({ scope: 'key', workspaceId, keyId }, key_rate)]),
      ...(workspace_rate === undefined ? [] : [this.bucket({ scope: 'workspace', workspaceId }, workspace_rate)]),
    ];
    this.ofLimits.set(limits, buckets);
    return buckets;
  }

  /** The bucket of an owner; a full one after its rate was changed. */
  private bucket(owner: BucketOwner, text: string) {
    const name = `${owner.workspaceId} ${owner.keyId ?? ''}`;
    const present = this.buckets.get(name);
    if (present?.rate.text === text) return present;
    const rate = parseRate(text);
    if (!rate) throw new Error(`The rate ${text} of ${owner.scope} ${owner.keyId ?? owner.workspaceId} is none`);
    const bucket = new RateBucket(owner, rate, timers.now());
    this.buckets.set(name, bucket);
    return bucket;
  }

  /** Leases the bucket when it is due, together with all others that were used. */
  private lease(bucket: RateBucket, now: number, isEmpty: boolean) {
    if (bucket.isLeasing || (!isEmpty && this.due.has(bucket))) return;
    this.due.add(bucket);
    const at = bucket.leasedAt === -Infinity ? now + LEASE_FIRST_MS : bucket.leasedAt + (isEmpty ? LEASE_EMPTY_MS : LEASE_MS);
    if (at < this.timerAt) this.schedule(at, now);
  }

  private schedule(at: number, now: number) {
    timers.clear(this.timer);
    this.timerAt = at;
    this.timer = timers.setTimeout(() => void this.leaseDue(), Math.max(0, at - now)).unref();
  }

  /** Never rejects. */
  private async leaseDue() {
    this.timerAt = Infinity;
    const buckets = [...this.due].slice(0, LEASES_MAX);
    const now = timers.now();
    const reports = buckets.map((bucket) => bucket.report(now));
    for (const bucket of buckets) this.due.delete(bucket);
    if (this.due.size > 0) this.schedule(now, now);
    try {
      const request = { gateway: this.gateway, buckets: reports };
      const { leases } = await this.client.call(rateLeases.lease, systemContext(randomUUID()), request);
      buckets.forEach((bucket, index) => bucket.renew(leases[index]!, timers.now()));
    } catch (error) {
      buckets.forEach((bucket, index) => bucket.restore(reports[index]!));
      logger.debug(`Rate limits continue with their last shares: ${(error as Error).message}`);
    }
  }
}

function refused(bucket: RateBucket) {
  const { owner, rate } = bucket;
  LIMITED.inc({ scope: owner.scope });
  const whose = owner.scope === 'key' ? 'API key' : 'workspace';
  return new ServiceError('rate_limited', `The ${whose} may make ${rate.text} requests: try again later`, {
    retryAfterSeconds: bucket.secondsUntil(1),
    shouldRetry: true,
  });
}
