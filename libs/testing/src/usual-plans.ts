import type { Database } from '@tidings/persistence/database';

/**
 * Runs a statement as on a connection with PostgreSQL's own settings. A plan that is explained must be good by itself: with sequential
 * scans off, as our connections have them, PostgreSQL would read a whole index where there is no way but the whole table.
 */
export function withUsualPlans<Row extends object>(database: Database, text: string, values: readonly unknown[]): Promise<Row[]> {
  return database.transaction(async (tx) => {
    await tx.query('set local enable_seqscan = on');
    return tx.query<Row>(text, values);
  });
}
