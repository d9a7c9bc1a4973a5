import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import type { ProviderConfigurationChanged } from '@tidings/contracts/messaging/providers';
import { PROVIDER_KINDS } from '@tidings/providers/kinds';
import type { Outcome } from '@tidings/providers/provider';
import { METRICS } from '@tidings/runtime/metric-table';
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
  get state(): 'closed' | 'open' | 'half-open' {
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
  openings: metrics.counter(METRICS.breakerOpenings),
  refusals: metrics.counter(METRICS.breakerRefusals),
};

// Announced for every kind, configured or not.
for (const { key: provider } of PROVIDER_KINDS)
  for (const metric of [METRICS.breakerOpenings, METRICS.breakerRefusals, METRICS.breakersOpen]) metrics.announce(metric, { provider });

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
export class Breakers implements OnApplicationShutdown {
  private readonly byConfiguration = new LRUCache<string, { readonly breaker: Breaker; readonly circuit: Circuit }>({ max: BREAKERS_MAX });
  private readonly endMetrics = metrics.read(METRICS.breakersOpen, () => this.openOnes());

  constructor(changes: ProviderChanges) {
    // Default configurations have no version, and the end of a pause changes none: their breakers end with the event.
    changes.onChange(({ payload }) => {
      if (payload) this.forget(payload);
    });
  }

  onApplicationShutdown() {
    this.endMetrics();
  }

  private openOnes() {
    const open = [...this.byConfiguration.values()].filter(({ breaker }) => breaker.state === 'open');
    return open.map(({ circuit }) => ({ labels: { provider: circuit.provider }, value: 1 }));
  }

  /** To be called before a call of the configuration; an admitted caller (0) must `record` its outcome. Others wait these ms. */
  admit(configuration: Circuit): number {
    return counted(configuration, this.breakerOf(configuration).admit());
  }

  /** Ms until a call of the configuration may be admitted; 0: call `admit`. */
  openForMs(configuration: Circuit): number {
    return counted(configuration, this.breakerOf(configuration).openForMs);
  }

  /** State of the breaker of a configuration, and ms until it may admit a call. Has no effect. */
  stateOf(configuration: Circuit): Pick<Breaker, 'state' | 'openForMs'> {
    return this.byConfiguration.peek(nameOf(configuration))?.breaker ?? { state: 'closed', openForMs: 0 };
  }

  record(configuration: Circuit, outcome: Outcome, messageId: string): void {
    const { provider } = configuration;
    if (this.breakerOf(configuration).record(outcome, messageId)) breakerMetrics.openings.inc({ provider });
  }

  private breakerOf(circuit: Circuit) {
    const key = nameOf(circuit);
    const existing = this.byConfiguration.get(key);
    if (existing) return existing.breaker;
    const breaker = new Breaker({ failuresMax: 10, openMs: 1_000, openMsMax: 60_000, probeMs: 30_000, now: () => performance.now() });
    this.byConfiguration.set(key, { circuit, breaker });
    return breaker;
  }

  /** @param id of a configuration, or its kind; with the system's workspace those of all are meant. */
  private forget({ workspaceId, id }: ProviderConfigurationChanged) {
    for (const [key, { circuit }] of this.byConfiguration.entries()) {
      const isOfWorkspace = workspaceId === SYSTEM_WORKSPACE_ID || workspaceId === circuit.workspaceId;
      if (isOfWorkspace && (id === circuit.id || id === circuit.provider)) this.byConfiguration.delete(key);
    }
  }
}

function nameOf({ workspaceId, id, version = 0 }: Circuit) {
  return `${workspaceId}:${id}:${version}`;
}

/** Counts a refused call. */
function counted({ provider }: Circuit, waitMs: number) {
  if (waitMs > 0) breakerMetrics.refusals.inc({ provider });
  return waitMs;
}
