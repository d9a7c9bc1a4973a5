import type { Database } from '@tidings/persistence/database';

const WEEK_SECONDS = 7 * 24 * 3600;
/** Partitions made ahead of time; a process that runs makes the next ones long before they are needed. */
const WEEKS_AHEAD = 4;
/** Ids of last week can still arrive: requests that waited in the log. */
const WEEKS_BEHIND = 1;

const PARTITIONED = ['messages', 'history'] as const;

/**
 * Makes the weekly partitions around `nowMs` that do not exist yet. Safe when many processes run it at once.
 * Rows of other weeks are kept by the default partitions.
 */
export async function ensurePartitions(database: Database, nowMs: number): Promise<void> {
  const thisWeek = Math.floor(nowMs / 1000 / WEEK_SECONDS);
  await database.transaction(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtext('messaging.partitions'))`);
    for (let week = thisWeek - WEEKS_BEHIND; week <= thisWeek + WEEKS_AHEAD; week += 1) {
      for (const table of PARTITIONED) {
        const partition = `${table}_w${week}`;
        const [{ exists } = { exists: false }] = await tx.query<{ exists: boolean }>(`select to_regclass($1) is not null as exists`, [
          partition,
        ]);
        if (exists) continue;
        const options = table === 'messages' ? ' with (fillfactor = 85)' : '';
        await tx.query(
          `create table ${partition} partition of ${table} for values from ('${lowestId(week)}') to ('${lowestId(week + 1)}')${options}`,
        );
      }
    }
  });
}

/** The lowest id of a week, as a uuid. Weeks are numbers of ours, so the text above holds no input. */
function lowestId(week: number): string {
  return `${(week * WEEK_SECONDS).toString(16).padStart(8, '0')}-0000-0000-0000-000000000000`;
}
