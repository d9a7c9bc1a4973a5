import { type TokenReport } from '@tidings/contracts/identity/token-reports';
import { type PushTokenStatus } from '@tidings/contracts/identity/user-tokens';
import { statement, type Transaction } from '@tidings/persistence/database';
import { hashOf } from './stored-token';
import { afterReport, type TokenState } from './token-status';

interface StateRow {
  ordinal: string;
  status: PushTokenStatus;
  status_reason: string | null;
  failed_at: Date | null;
  reported_at: Date | null;
  registered_at: Date;
}

/** SQL, because outcomes of sends report many tokens at once. Locks rows in key order, as registrations do. */
const LOCK = statement(
  'push-tokens-lock-reported',
  `select input.ordinal, stored.status, stored.status_reason, stored.failed_at, stored.reported_at, stored.registered_at
     from unnest($1::uuid[], $2::bytea[]) with ordinality as input (workspace_id, token_hash, ordinal)
     join push_tokens stored on stored.workspace_id = input.workspace_id and stored.token_hash = input.token_hash
    where coalesce(stored.expires_at > now(), true)
    order by stored.workspace_id, stored.token_hash
      for update of stored`,
);

const UPDATE = statement(
  'push-tokens-update-reported',
  `update push_tokens stored
      set status = changed.status, status_reason = changed.status_reason, failed_at = changed.failed_at, reported_at = changed.reported_at
     from unnest($1::uuid[], $2::bytea[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[])
       as changed (workspace_id, token_hash, status, status_reason, failed_at, reported_at)
    where stored.workspace_id = changed.workspace_id and stored.token_hash = changed.token_hash`,
);

/** The reports of one token. */
interface ReportedToken {
  workspaceId: string;
  hash: Buffer;
  reports: TokenReport[];
}

/**
 * Applies the reports of push services, for each token by time. Unknown and expired tokens are skipped. Report times are capped at
 * `now` (ms since the epoch): the reporter's clock may be ahead, and later reports would not count.
 */
export async function applyReports(tx: Transaction, reports: readonly TokenReport[], now: number): Promise<void> {
  const reported = byToken(reports, now);
  const rows = await tx.query<StateRow>(LOCK, [reported.map(({ workspaceId }) => workspaceId), reported.map(({ hash }) => hash)]);
  const changed = rows.flatMap((row) => {
    const { workspaceId, hash, reports: ofToken } = reported[Number(row.ordinal) - 1]!;
    const before = stateOf(row);
    const after = ofToken.reduce(afterReport, before);
    return after === before ? [] : [{ workspaceId, hash, after }];
  });
  if (changed.length === 0) return;
  await tx.execute(UPDATE, [
    changed.map(({ workspaceId }) => workspaceId),
    changed.map(({ hash }) => hash),
    changed.map(({ after }) => after.status),
    changed.map(({ after }) => after.reason),
    changed.map(({ after }) => instantOf(after.failedAt)),
    changed.map(({ after }) => instantOf(after.reportedAt)),
  ]);
}

function byToken(reports: readonly TokenReport[], now: number): ReportedToken[] {
  const tokens = new Map<string, ReportedToken>();
  for (const report of reports) {
    const hash = hashOf(report.token);
    const key = `${report.workspace_id.toLowerCase()} ${hash.toString('hex')}`;
    const reported = tokens.get(key) ?? { workspaceId: report.workspace_id, hash, reports: [] };
    reported.reports.push({ ...report, at: Math.min(report.at, now) });
    tokens.set(key, reported);
  }
  for (const { reports: ofToken } of tokens.values()) ofToken.sort((one, other) => one.at - other.at);
  return [...tokens.values()];
}

function stateOf({ status, status_reason, failed_at, reported_at, registered_at }: StateRow): TokenState {
  return {
    status,
    reason: status_reason,
    failedAt: failed_at?.getTime() ?? null,
    reportedAt: reported_at?.getTime() ?? null,
    registeredAt: registered_at.getTime(),
  };
}

function instantOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
