import type { PushTokenStatus, TokenReport } from '@tidings/contracts/identity/user-tokens';

/** The stored status of a token. Times in ms since the epoch. */
export interface TokenState {
  status: PushTokenStatus;
  reason: string | null;
  /** Since when it is `failed`; null for every other status. */
  failedAt: number | null;
  /** Time of the latest report since the registration that changed the state. */
  reportedAt: number | null;
  registeredAt: number;
}

/** The reason of a revoked or failed token when the push service gave none. */
const UNNAMED = 'unspecified';

/** Whether a token has expired; one without an expiry never does. */
export function isPast(expiresAt: Date | null, now: number) {
  return expiresAt !== null && expiresAt.getTime() <= now;
}

/**
 * The state after a report of a push service; the same object where the report changes nothing:
 *
 * | reported   | active | unknown | failed  | revoked |
 * |------------|--------|---------|---------|---------|
 * | accepted   | –      | active  | active  | –       |
 * | suspicious | failed | failed  | revoked | –       |
 * | revoked    | revoked, whatever it was         | – |
 *
 * Reports from before the last registration do not count. Nor does a report that is not later than the last one that counted, except
 * revocations (their time may be the push service's own): reports arrive late and twice, and one rejection reported twice is not the
 * second in a row. Only a registration makes a revoked token active again.
 */
export function afterReport(state: TokenState, { outcome, code, at }: Pick<TokenReport, 'outcome' | 'code' | 'at'>): TokenState {
  if (at <= state.registeredAt || state.status === 'revoked') return state;
  const reason = code ?? UNNAMED;
  const reportedAt = Math.max(at, state.reportedAt ?? 0);
  const revoked: TokenState = { ...state, status: 'revoked', reason, failedAt: null, reportedAt };
  if (outcome === 'revoked') return revoked;
  if (state.reportedAt !== null && at <= state.reportedAt) return state;
  switch (outcome) {
    case 'accepted':
      return state.status === 'active' ? state : { ...state, status: 'active', reason: null, failedAt: null, reportedAt };
    case 'suspicious':
      return state.status === 'failed' ? revoked : { ...state, status: 'failed', reason, failedAt: at, reportedAt };
  }
}
