import type { TokenReport } from '@tidings/contracts/identity/token-reports';
import type { PushTokenStatus } from '@tidings/contracts/identity/user-tokens';

/** What is stored of a token's standing. Times in ms since the epoch. */
export interface TokenState {
  status: PushTokenStatus;
  reason: string | null;
  /** Since when it is `failed`; null for every other status. */
  failedAt: number | null;
  /** The latest report that changed something since the registration. */
  reportedAt: number | null;
  registeredAt: number;
}

/** Why a token is revoked whose expiry has passed. */
export const EXPIRED = 'expired';
/** Why a token is revoked or failed of which the push service said no more. */
const UNNAMED = 'unspecified';

/**
 * The state after what a push service said; the very same state where that changes nothing:
 *
 * | reported   | active | unknown | failed  | revoked |
 * |------------|--------|---------|---------|---------|
 * | accepted   | –      | active  | active  | –       |
 * | suspicious | failed | failed  | revoked | –       |
 * | revoked    | revoked, whatever it was         | – |
 *
 * Reports of the time before the last registration say nothing about it. Nor does one that is not later than the last that
 * counted, revocations apart (their time may be the push service's own): reports arrive late and twice, and one rejection told
 * twice is not the second in a row. Only a registration brings a revoked token back.
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
