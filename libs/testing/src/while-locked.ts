import { Client } from 'pg';
import { waitUntil } from './wait-until';

/** A lock that other work waits for. */
export interface AwaitedLock {
  /** Takes the lock, in a transaction that ends once `waiting` sessions wait. */
  statement: string;
  values: unknown[];
  waiting: number;
  /** Runs while they wait, before the lock is released. */
  meanwhile?: () => Promise<unknown>;
}

/**
 * Starts work that needs the lock of an open transaction, waits until `waiting` sessions wait for it, and releases the lock: a
 * deterministic race.
 */
export async function whileLocked<Result>(
  adminUrl: string,
  { statement, values, waiting, meanwhile }: AwaitedLock,
  start: () => Promise<Result>,
): Promise<Result> {
  const holder = new Client({ connectionString: adminUrl });
  const observer = new Client({ connectionString: adminUrl }); // inside a transaction pg_stat_activity does not change
  await Promise.all([holder.connect(), observer.connect()]);
  const sessions = async (): Promise<number | null> => {
    const activity = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    return (await observer.query(activity)).rowCount;
  };
  try {
    await holder.query('begin');
    await holder.query(statement, values);
    const outcome = start();
    outcome.catch(() => {}); // awaited below
    await waitUntil(async () => (await sessions()) === waiting, { what: `${waiting} sessions to wait` });
    await meanwhile?.();
    await holder.query('rollback');
    return await outcome;
  } finally {
    await Promise.all([holder.end(), observer.end()]);
  }
}
