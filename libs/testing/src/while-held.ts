import { Client } from 'pg';
import { waitUntil } from './wait-until';

export interface Hold {
  /** What holds, in a transaction that ends once so many wait. */
  statement: string;
  values: unknown[];
  waiting: number;
  /** What happens while they wait, before it is let go. */
  meanwhile?: () => Promise<unknown>;
}

/**
 * Starts work that meets what an open transaction holds, waits until `waiting` sessions stand before it, and lets go:
 * a race whose outcome does not hang on luck.
 */
export async function whileHeld<Result>(
  adminUrl: string,
  { statement, values, waiting, meanwhile }: Hold,
  start: () => Promise<Result>,
): Promise<Result> {
  const holder = new Client({ connectionString: adminUrl });
  const observer = new Client({ connectionString: adminUrl }); // inside a transaction the activity of others stands still
  await Promise.all([holder.connect(), observer.connect()]);
  const sessions = async (): Promise<number | null> => {
    const activity = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    return (await observer.query(activity)).rowCount;
  };
  try {
    await holder.query('begin');
    await holder.query(statement, values);
    const outcome = start();
    outcome.catch(() => {}); // it is the caller's, once we have let go
    await waitUntil(async () => (await sessions()) === waiting, { what: `${waiting} sessions to wait` });
    await meanwhile?.();
    await holder.query('rollback');
    return await outcome;
  } finally {
    await Promise.all([holder.end(), observer.end()]);
  }
}
