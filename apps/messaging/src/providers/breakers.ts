import { Injectable } from '@nestjs/common';
import type { Outcome } from '@tidings/providers/provider';
import { metrics } from '@tidings/runtime/metrics';
import { LRUCache } from 'lru-cache';
import { ProviderChanges } from './provider-configurations';

interface BreakerOptions {
  /** Consecutive failures that open it. */
  readonly failuresMax: number;
  /** Open time after the first opening, in ms; each failed probe doubles it. */
  readonly openMs: number;
  /** Longest open time, in ms, unless the receiver's `Retry-After` is longer. */
  readonly openMsMax: number;
  /** A probe without an outcome for this time counts as lost, and another one is admitted. */
  readonly probeMs: number;
  /** Current time in ms; only differences matter. */
  readonly now: () => number;
}

/**
 * Stops calls of a receiver that keeps failing. After `failuresMax` failures in a row it admits no call for a while, then a single one, the
 * probe, whose outcome closes or reopens it. Failures are errors that any message would meet: an outage, a wrong configuration, or no
 * answer in time, which counts once per message. Refusing or deferring a message, an address or a token is no failure.
 *
 * Pure except for its clock. State of one process: each replica has its own.
 */
export class Breaker {
  private failures = 0;
  /** Messages whose calls got no answer since the last success. */
  private readonly unanswered = new Set<string>();
  /** Openings since the last success. */
  private openings = 0;
  /** While it is open: when the next probe is admitted. */
  private probeAt: number | undefined;
  private probing = false;

  constructor(private readonly options: BreakerOptions) {}

  /** `half-open` when the next call is the probe, or the probe is in progress. */
  get state() {
    if (this.probeAt === undefined) return 'closed';
    return this.options.now() >= this.probeAt || this.probing ? 'half-open' : 'open';
  }

  /** Ms until a call may be admitted; 0: call `admit`. Has no effect. */
  get openForMs(): number {
    return this.probeAt === undefined ? 0 : Math.max(0, Math.ceil(this.probeAt - this.options.now()));
  }

  /**
   * To be called before a call: 0 admits it, otherwise it may be admitted after these ms. An admitted caller makes the call and passes its
   * outcome to `record`.
   */
  admit(): number {
    const waitMs = this.openForMs;
    if (this.probeAt !== undefined && waitMs === 0) {
      this.probing = true;
      this.probeAt = this.options.now() + this.options.probeMs;
    }
    return waitMs;
  }

  /** Records the outcome of an admitted call with this message. Returns whether it opened the breaker. */
  record(outcome: Outcome, messageId: string): boolean {
    if (!isFailure(outcome)) {
      this.failures = 0;
      this.unanswered.clear();
      this.openings = 0;
      this.probing = false;
      this.probeAt = undefined;
      return false;
    }
    const wasClosed = this.probeAt === undefined;
    if (wasClosed && isHung(outcome)) {
      if (this.unanswered.has(messageId)) return false; // the message may be the cause
      this.unanswered.add(messageId);
    }
    this.failures += 1;
    // Calls that were open when the breaker opened end one after the other; they do not count.
    if (wasClosed ? this.failures < this.options.failuresMax : !this.probing) return false;
    const retryAfterMs = outcome.kind === 'retry' ? (outcome.retryAfterMs ?? 0) : 0;
    const backoffMs = Math.min(this.options.openMs * 2 ** Math.min(this.openings, 30), this.options.openMsMax);
    this.openings += 1;
    this.probing = false;
    this.unanswered.clear();
    this.probeAt = this.options.now() + Math.max(backoffMs, retryAfterMs);
    return true;
  }
}

function isFailure(outcome: Outcome) {
  if (outcome.kind === 'retry') return outcome.outage === true || isHung(outcome);
  return outcome.kind === 'failed' && outcome.cause === 'configuration';
}

function isHung(outcome: Outcome) {
  return outcome.kind === 'retry' && outcome.hung === true;
}

/** Cached breakers; an evicted one starts closed again. */
const BREAKERS_MAX = 10_000;

const breakerMetrics = {
  openings: metrics.counter({
    name: 'tidings_provider_breaker_openings_total',
    help: 'Times that the breaker of a provider opened',
    labels: ['provider'],
  }),
  refusals: metrics.counter({
    name: 'tidings_provider_breaker_refusals_total',
    help: 'Calls not made because the breaker of their provider was open',
    labels: ['provider'],
  }),
};

/** The key of a breaker. */
interface Circuit {
  readonly workspaceId: string;
  readonly id: string;
  /** Version of its settings: a corrected configuration starts with a closed breaker. Absent: they never change. */
  readonly version?: number;
  /** Key of the kind, for the metrics. */
  readonly provider: string;
}

/** The breakers of this process, one per version of each configuration. */
@Injectable()
export class Breakers {
  private readonly byConfiguration = new LRUCache<string, Breaker>({ max: BREAKERS_MAX });

  constructor(changes: ProviderChanges) {
    // Default configurations have no version: their breakers end with the event of a retry on demand.
    changes.onChange(({ payload }) => {
      if (payload) this.byConfiguration.delete(nameOf(payload));
    });
  }

  /** To be called before a call of the configuration; an admitted caller (0) must `record` its outcome. Others wait these ms. */
  admit(configuration: Circuit): number {
    return counted(configuration, this.breakerOf(configuration).admit());
  }

  /** Ms until a call of the configuration may be admitted; 0: call `admit`. */
  openForMs(configuration: Circuit): number {
    return counted(configuration, this.breakerOf(configuration).openForMs);
  }

  record(configuration: Circuit, outcome: Outcome, messageId: string): void {
    const { provider } = configuration;
    if (this.breakerOf(configuration).record(outcome, messageId)) breakerMetrics.openings.inc({ provider });
  }

  private breakerOf(circuit: Circuit) {
    const key = nameOf(circuit);
    const existing = this.byConfiguration.get(key);
    if (existing) return existing;
    const breaker = new Breaker({ failuresMax: 10, openMs: 1_000, openMsMax: 60_000, probeMs: 30_000, now: () => performance.now() });
    this.byConfiguration.set(key, breaker);
    return breaker;
  }
}

function nameOf({ workspaceId, id, version = 0 }: Pick<Circuit, 'workspaceId' | 'id' | 'version'>) {
  return `${workspaceId}:${id}:${version}`;
}

/** Counts a refused call. */
function counted({ provider }: Circuit, waitMs: number) {
  if (waitMs > 0) breakerMetrics.refusals.inc({ provider });
  return waitMs;
}
