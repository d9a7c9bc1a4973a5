import { type TokenReport } from '@tidings/contracts/identity/token-reports';
import { type PushTokenStatus } from '@tidings/contracts/identity/user-tokens';
import { statement, type Transaction } from '@tidings/persistence/database';
import { hashOf } from './token.rows';
import { afterReport, type TokenState } from './token-status';

interface StateRow {
  place: string;
  status: PushTokenStatus;
  status_reason: string | null;
  failed_at: Date | null;
  reported_at: Date | null;
  registered_at: Date;
}

/** Locked in the order of the key, as registrations lock them. */
const LOCK = statement(
  'push-tokens-lock-reported',
  `select asked.place, stored.status, stored.status_reason, stored.failed_at, stored.reported_at, stored.registered_at
     from unnest($1::uuid[], $2::bytea[]) with ordinality as asked (workspace_id, token_hash, place)
     join push_tokens stored on stored.workspace_id = asked.workspace_id and stored.token_hash = asked.token_hash
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

/** What is reported of one token. */
interface Reported {
  workspaceId: string;
  hash: Buffer;
  reports: TokenReport[];
}

/**
 * Takes in what push services said, of each token in the order of time. Tokens that are not there, or whose expiry has passed, are
 * passed over. No report is of a later time than `now`: the clock of whoever wrote it may be ahead, and hold back what follows.
 */
export async function takeReports(tx: Transaction, reports: readonly TokenReport[], now: number): Promise<void> {
  const reported = byToken(reports, now);
  const rows = await tx.query<StateRow>(LOCK, [reported.map(({ workspaceId }) => workspaceId), reported.map(({ hash }) => hash)]);
  const changed = rows.flatMap((row) => {
    const { workspaceId, hash, reports: ofToken } = reported[Number(row.place) - 1]!;
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

function byToken(reports: readonly TokenReport[], now: number): Reported[] {
  const tokens = new Map<string, Reported>();
  for (const report of reports) {
    const hash = hashOf(report.token);
    const key = `${report.workspace_id.toLowerCase()} ${hash.toString('hex')}`;
    const known = tokens.get(key) ?? { workspaceId: report.workspace_id, hash, reports: [] };
    known.reports.push({ ...report, at: Math.min(report.at, now) });
    tokens.set(key, known);
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
