import type { TokenReport } from '@tidings/contracts/identity/token-reports';
import type { Outcome } from '@tidings/providers/provider';
import type { Recipient } from '@tidings/providers/recipient';
import { storable } from '../store/storable';

/** Whom a call was for. */
interface Called {
  readonly workspaceId: string;
  readonly recipient: Recipient;
}

/**
 * What a call taught about push tokens: those that were refused, and of those that were taken the stored ones that were not known
 * to be well. @param at when the push service answered, ms since the epoch.
 */
export function tokenReportsOf({ workspaceId, recipient }: Called, outcome: Outcome, at: number): TokenReport[] {
  if (recipient.channel !== 'push' || outcome.kind === 'retry') return [];
  const refused = outcome.refusedTokens ?? [];
  const reports = refused.map(({ token, outcome: how, code }): TokenReport => ({
    workspace_id: workspaceId,
    token,
    outcome: how,
    ...(code && { code: storable(code) }),
    at,
  }));
  if (outcome.kind !== 'accepted') return reports;
  const refusedTexts = new Set(refused.map(({ token }) => token));
  for (const { token, status } of recipient.tokens) {
    if (status === undefined || status === 'active' || refusedTexts.has(token)) continue;
    reports.push({ workspace_id: workspaceId, token, outcome: 'accepted', at });
  }
  return reports;
}
