import { Logger } from '@nestjs/common';
import type { Database } from '@tidings/persistence/database';
import { firstIdOfWeek, weekOf } from './weeks';

/** Weeks created ahead; a running process creates the next ones long before they are needed. */
const WEEKS_AHEAD = 4;
/** Ids of last week can still arrive, with requests that waited in the log. */
const WEEKS_BEHIND = 1;

/** Error of PostgreSQL when the default partition has rows of the new partition's range (check_violation). */
const ROWS_IN_DEFAULT = '23514';

const logger = new Logger('Partitions');

const PARTITIONED = ['messages', 'message_terms', 'history'];

/**
 * Creates the missing weekly partitions around `nowMs`. Safe when many processes run it at once.
 * Rows of other weeks go to the default partitions.
 */
export async function ensurePartitions(database: Database, nowMs: number): Promise<void> {
  const thisWeek = weekOf(nowMs);
  for (let week = thisWeek - WEEKS_BEHIND; week <= thisWeek + WEEKS_AHEAD; week += 1) {
    for (const table of PARTITIONED) {
      try {
        await ensurePartition(database, table, week);
      } catch (error) {
        if ((error as { code?: string }).code !== ROWS_IN_DEFAULT) throw error;
        logger.warn(`Rows of week ${week} stay in ${table}_default: they were inserted before its partition existed`);
      }
    }
  }
}

async function ensurePartition(database: Database, table: string, week: number) {
  await database.transaction(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtext('messaging.partitions'))`);
    const options = table === 'messages' ? ' with (fillfactor = 85)' : '';
    await tx.query(
      `create table if not exists ${table}_w${week} partition of ${table} for values from ('${firstIdOfWeek(week)}') to ('${firstIdOfWeek(week + 1)}')${options}`,
    );
  });
}
