import { Injectable } from '@nestjs/common';
import type { Outcome } from '@tidings/providers/provider';
import { metrics } from '@tidings/runtime/metrics';
import { LRUCache } from 'lru-cache';
import { type Admission, Breaker } from './breaker';

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

  /** To be called before a call of the configuration; an admitted caller must `record` its outcome. */
  admit(configuration: Circuit): Admission {
    const admission = this.breakerOf(configuration).admit();
    if (!admission.admitted) breakerMetrics.refusals.inc({ provider: configuration.provider });
    return admission;
  }

  /** Ms until a call of the configuration may be admitted; 0: call `admit`. */
  openForMs(configuration: Circuit): number {
    const { openForMs } = this.breakerOf(configuration);
    if (openForMs > 0) breakerMetrics.refusals.inc({ provider: configuration.provider });
    return openForMs;
  }

  record(configuration: Circuit, outcome: Outcome, messageId: string): void {
    const breaker = this.breakerOf(configuration);
    const before = breaker.openCount;
    breaker.record(outcome, messageId);
    if (breaker.openCount > before) breakerMetrics.openings.inc({ provider: configuration.provider });
  }

  private breakerOf({ workspaceId, id, version = 0 }: Circuit): Breaker {
    const key = `${workspaceId}:${id}:${version}`;
    const existing = this.byConfiguration.get(key);
    if (existing) return existing;
    const breaker = new Breaker({ now: () => performance.now() });
    this.byConfiguration.set(key, breaker);
    return breaker;
  }
}
