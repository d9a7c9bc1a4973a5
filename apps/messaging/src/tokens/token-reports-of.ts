import type { TokenReport } from '@tidings/contracts/identity/token-reports';
import type { Outcome } from '@tidings/providers/provider';
import type { Recipient } from '@tidings/providers/recipient';
import { storable } from '../store/storable';

/** Workspace and recipient of a call. */
interface Called {
  readonly workspaceId: string;
  readonly recipient: Recipient;
}

/**
 * Reports about push tokens from the outcome of a call: refused tokens, and accepted stored tokens whose status was not `active`.
 * @param at time of the push service's answer, ms since the epoch.
 */
export function tokenReportsOf({ workspaceId, recipient }: Called, outcome: Outcome, at: number): TokenReport[] {
  if (recipient.channel !== 'push' || outcome.kind === 'retry') return [];
  const refused = outcome.refusedTokens ?? [];
  const reports = refused.map(({ token, outcome: how, code }): TokenReport => ({
    workspace_id: workspaceId,
    token,
    outcome: how,
    code: code ? storable(code) : undefined,
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
