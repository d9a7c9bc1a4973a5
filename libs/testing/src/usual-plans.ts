import type { Database } from '@tidings/persistence/database';

/**
 * Runs a statement with PostgreSQL's default plan settings. An explained plan must be good by itself: with sequential scans off, as
 * on our connections, PostgreSQL would hide a full scan by reading a whole index instead.
 */
export function withUsualPlans<Row extends object>(database: Database, text: string, values: readonly unknown[]): Promise<Row[]> {
  return database.transaction(async (tx) => {
    await tx.query('set local enable_seqscan = on');
    return tx.query<Row>(text, values);
  });
}
