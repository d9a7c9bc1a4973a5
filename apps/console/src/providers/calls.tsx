import type { ProviderHealth } from '../api/types';
import { duration } from '../format';
import { providers as words } from '../screen-texts/providers';

/** Calls of the last five minutes: how many failed, of how many. */
export function FailedCalls({ provider: { calls, calls_failed: failed } }: { provider: ProviderHealth }) {
  return calls === 0 ? '–' : words.failedOf(failed, calls);
}

/** The time within which 99 of 100 calls of the last five minutes ended. */
export function CallTime({ provider: { call_p99_ms: p99 } }: { provider: ProviderHealth }) {
  return p99 === undefined || p99 === null ? '–' : words.within(duration(p99));
}
