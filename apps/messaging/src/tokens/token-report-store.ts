import type { TokenReport } from '@tidings/contracts/identity/token-reports';
import { type Queryable, statement } from '@tidings/persistence/database';

/** A report that waits to be told. */
export interface WaitingReport {
  readonly sequence: string;
  readonly report: TokenReport;
}

const KEEP = statement('messaging.keep_token_reports', 'insert into token_reports (report) select * from json_array_elements($1::json)');

const CLAIM = statement(
  'messaging.claim_token_reports',
  `with due as materialized (
     select sequence from token_reports where due_at <= clock_timestamp() order by due_at limit $1 for update skip locked
   )
   update token_reports set due_at = clock_timestamp() + $2 * interval '1 millisecond' from due
   where token_reports.sequence = due.sequence
   returning token_reports.sequence, token_reports.report`,
);

const FORGET = statement('messaging.forget_token_reports', 'delete from token_reports where sequence = any($1::bigint[])');

export async function keepReports(database: Queryable, reports: readonly TokenReport[]): Promise<void> {
  await database.execute(KEEP, [JSON.stringify(reports)]);
}

/** Up to `limit` reports that are due; nobody else is given them for `leaseMs`. */
export function claimReports(database: Queryable, limit: number, leaseMs: number): Promise<WaitingReport[]> {
  return database.query<WaitingReport>(CLAIM, [limit, leaseMs]);
}

export async function forgetReports(database: Queryable, told: readonly WaitingReport[]): Promise<void> {
  await database.execute(FORGET, [told.map(({ sequence }) => sequence)]);
}
