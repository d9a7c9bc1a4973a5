import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import { type Statement, statement } from '@tidings/persistence/statement';
import { setTimeout as delay } from 'node:timers/promises';
import { LOCK_CLASS } from '../locks';
import { Session, type SessionOptions } from './session';

/** Default of the interval of rounds. */
export const MAINTENANCE_INTERVAL_MS = 600_000;
const CHUNK = 5_000;
/** Steps of one kind and topic in one round; the next round continues. */
const STEPS_MAX = 2_000;
/** Older records of a key stay this long beside a newer one, so that readers see recent changes. */
const COMPACTION_LAG_MS = 60_000;
/** How long a tombstone is retained. */
const TOMBSTONE_MS = 86_400_000;
/** After this a tombstone is removed, by the round that follows its time. */
export const TOMBSTONES_REMOVED_MS = TOMBSTONE_MS + 2 * MAINTENANCE_INTERVAL_MS;

// SQL because its steps are functions of the database, called on a connection outside TypeORM.
const START = statement(
  'events-maintenance-start',
  `SELECT pg_try_advisory_lock(${LOCK_CLASS.maintenance}, 0), done_at, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
   FROM events.maintenance`,
);
const DONE = statement('events-maintenance-done', 'UPDATE events.maintenance SET done_at = $1');
const TOPICS = statement(
  'events-maintenance-topics',
  'SELECT id, name, compacted, retention_ms IS NOT NULL FROM events.topics ORDER BY id',
);
const REMOVE_EXPIRED = statement('events-remove-expired', 'SELECT removed, up_to FROM events.remove_expired($1, $2, $3)');
const COMPACT = statement('events-compact', 'SELECT events.compact($1, $2, $3)');
const REMOVE_TOMBSTONES = statement('events-remove-tombstones', 'SELECT events.remove_tombstones($1, $2, $3)');
const SLOW_GROUPS = statement('events-slow-groups', 'SELECT name FROM events.groups WHERE topic_id = $1 AND position < $2 ORDER BY name');

/** Longest random delay of the first round, so that it does not add to the start's load. */
const FIRST_DELAY_MS_MAX = 60_000;
/** Randomises the interval of each instance; a round that another instance has just run is skipped. */
const JITTER = 0.1;

const logger = new Logger('EventLog');

/** Options of one round of maintenance. */
export interface MaintenanceOptions {
  /** The current time, ms since the epoch. Default: the database's clock. */
  now?: number;
  /** Skip the round when an instance ran one within this many ms. Default: never skip. */
  unlessWithinMs?: number;
}

/**
 * Removes expired records, older records of a key in compacted topics, and old tombstones; over a separate connection and in
 * small steps. Resolves with false, having done nothing, when another instance runs it or has just run it.
 */
export async function maintainLog(
  options: SessionOptions,
  { now, unlessWithinMs }: MaintenanceOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const session = await Session.open(options, { synchronous_commit: 'off' });
  /** Repeats a step until it processes less than a chunk; returns the highest position it removed. */
  const inSteps = async (step: Statement, topicId: number, time: number) => {
    let upTo = 0;
    for (let steps = 0; steps < STEPS_MAX && !signal.aborted; steps++) {
      const [row] = await session.query<[string, (string | null)?]>(step, [topicId, time, CHUNK]);
      upTo = Number(row![1] ?? upTo);
      if (Number(row![0]) < CHUNK) break;
    }
    return upTo;
  };
  try {
    const [row] = await session.query<[boolean, string, string]>(START);
    const [isLocked, doneAt, clock] = row!;
    if (!isLocked || (unlessWithinMs !== undefined && Math.abs(Number(clock) - Number(doneAt)) < unlessWithinMs)) return false;

    const time = now ?? Number(clock);
    for (const [id, name, compacted, expires] of await session.query<[number, string, boolean, boolean]>(TOPICS)) {
      const removedTo = expires ? await inSteps(REMOVE_EXPIRED, id, time) : 0;
      if (removedTo > 0) {
        for (const [group] of await session.query<[string]>(SLOW_GROUPS, [id, removedTo])) {
          logger.warn(`Group ${group} lost unread records of ${name}: they were past the topic's retention and are deleted`);
        }
      }
      if (!compacted) continue;
      await inSteps(COMPACT, id, time - COMPACTION_LAG_MS);
      await inSteps(REMOVE_TOMBSTONES, id, time - TOMBSTONE_MS);
    }
    if (!signal.aborted) await session.query(DONE, [clock]);
    return true;
  } finally {
    await session.end();
  }
}

/** Runs maintenance periodically; resolves when the signal aborts and no round is running. */
export async function maintainPeriodically(
  intervalMs: number,
  maintain: (options: MaintenanceOptions) => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  for (let pauseMs = Math.random() * Math.min(FIRST_DELAY_MS_MAX, intervalMs); ;) {
    await delay(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    await maintain({ unlessWithinMs: intervalMs * (1 - JITTER) }).catch((error: unknown) =>
      logger.warn(`Maintenance of the event log failed; retrying in the next round: ${reasonOf(error)}`),
    );
    pauseMs = intervalMs * (1 - JITTER + Math.random() * 2 * JITTER);
  }
}
