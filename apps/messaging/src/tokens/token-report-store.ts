import type { TokenReport } from '@tidings/contracts/identity/token-reports';
import { type Queryable, statement } from '@tidings/persistence/database';

/** A stored report that was not sent yet. */
export interface WaitingReport {
  readonly sequence: string;
  readonly report: TokenReport;
}

const INSERT = statement(
  'messaging.insert_token_reports',
  'insert into token_reports (report) select * from json_array_elements($1::json)',
);

const CLAIM = statement(
  'messaging.claim_token_reports',
  `with due as materialized (
     select sequence from token_reports where due_at <= clock_timestamp() order by due_at limit $1 for update skip locked
   )
   update token_reports set due_at = clock_timestamp() + $2 * interval '1 millisecond' from due
   where token_reports.sequence = due.sequence
   returning token_reports.sequence, token_reports.report`,
);

const DELETE = statement('messaging.delete_token_reports', 'delete from token_reports where sequence = any($1::bigint[])');

/** Stores reports; they are due at once. */
export async function storeReports(database: Queryable, reports: readonly TokenReport[]): Promise<void> {
  await database.execute(INSERT, [JSON.stringify(reports)]);
}

/** Claims up to `limit` due reports for `leaseMs`. */
export function claimReports(database: Queryable, limit: number, leaseMs: number): Promise<WaitingReport[]> {
  return database.query<WaitingReport>(CLAIM, [limit, leaseMs]);
}

/** Deletes reports that were sent or refused. */
export async function deleteReports(database: Queryable, reports: readonly WaitingReport[]): Promise<void> {
  await database.execute(DELETE, [reports.map(({ sequence }) => sequence)]);
}
