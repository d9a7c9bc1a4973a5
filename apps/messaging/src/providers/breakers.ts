import { Injectable } from '@nestjs/common';
import type { Outcome } from '@tidings/providers/provider';
import { metrics } from '@tidings/runtime/metrics';
import { LRUCache } from 'lru-cache';
import { type Admission, Breaker } from './breaker';

/** Configurations whose breakers are remembered; one that is forgotten begins closed. */
const BREAKERS_MAX = 10_000;

const breakerMetrics = {
  openings: metrics.counter({
    name: 'tidings_provider_breaker_openings_total',
    help: 'Times that a provider failed so often that no call was let through for a while',
    labels: ['provider'],
  }),
  refusals: metrics.counter({
    name: 'tidings_provider_breaker_refusals_total',
    help: 'Calls that were put off because their provider had failed before',
    labels: ['provider'],
  }),
};

/** What a breaker is kept for. */
interface Circuit {
  readonly workspaceId: string;
  readonly id: string;
  /** Which of its settings: whoever mended a configuration is not kept waiting for what was wrong before. Absent: they never change. */
  readonly version?: number;
  /** Key of the kind, for the metrics. */
  readonly provider: string;
}

/** The breakers of this process, one for each configuration as it is now. */
@Injectable()
export class Breakers {
  private readonly byConfiguration = new LRUCache<string, Breaker>({ max: BREAKERS_MAX });

  /** Asks before a call of the configuration; who is admitted must `record` its outcome. */
  admit(configuration: Circuit): Admission {
    const admission = this.breakerOf(configuration).admit();
    if (!admission.admitted) breakerMetrics.refusals.inc({ provider: configuration.provider });
    return admission;
  }

  /** For how many ms no call of the configuration will be admitted; 0: ask. */
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
    const known = this.byConfiguration.get(key);
    if (known) return known;
    const made = new Breaker({ now: () => performance.now() });
    this.byConfiguration.set(key, made);
    return made;
  }
}
