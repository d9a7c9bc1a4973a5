import type { TokenReport } from '@tidings/contracts/identity/user-tokens';
import { columnsOf } from '@tidings/persistence/columns-of';
import { statement, type Transaction } from '@tidings/persistence/database';
import { hashOf } from './stored-token';
import { afterReport, type TokenState } from './token-status';

/** SQL: a stored time in ms since the epoch. */
const msOf = (column: string) => `(extract(epoch from stored.${column}) * 1000)::float8`;

// SQL because outcomes of sends report many tokens at once.
/** Locks rows in key order, as registrations do. */
const LOCK = statement(
  'push-tokens-lock-reported',
  `select input.ordinal::int as ordinal, stored.status, stored.status_reason as reason, ${msOf('failed_at')} as "failedAt",
          ${msOf('reported_at')} as "reportedAt", ${msOf('registered_at')} as "registeredAt"
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
export async function applyReports(tx: Transaction, reports: readonly TokenReport[], now: number) {
  const reported = byToken(reports, now);
  const rows = await tx.query<TokenState & { ordinal: number }>(LOCK, columnsOf(reported, 'workspaceId', 'hash'));
  const changed = rows.flatMap(({ ordinal, ...before }) => {
    const { workspaceId, hash, reports: ofToken } = reported[ordinal - 1]!;
    const after = ofToken.reduce<TokenState>(afterReport, before);
    if (after === before) return [];
    return [{ ...after, workspaceId, hash, failedAt: instantOf(after.failedAt), reportedAt: instantOf(after.reportedAt) }];
  });
  if (changed.length > 0) {
    await tx.execute(UPDATE, columnsOf(changed, 'workspaceId', 'hash', 'status', 'reason', 'failedAt', 'reportedAt'));
  }
}

function byToken(reports: readonly TokenReport[], now: number) {
  const tokens = new Map<string, ReportedToken>();
  const capped = reports.map((report) => ({ ...report, at: Math.min(report.at, now) }));
  for (const report of capped.sort((one, other) => one.at - other.at)) {
    const hash = hashOf(report.token);
    const key = `${report.workspace_id.toLowerCase()} ${hash.toString('hex')}`;
    const reported = tokens.get(key) ?? { workspaceId: report.workspace_id, hash, reports: [] };
    reported.reports.push(report);
    tokens.set(key, reported);
  }
  return [...tokens.values()];
}

const instantOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
