import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import { statement } from '@tidings/persistence/statement';
import { LOCK_CLASS } from '../locks';
import { Session, type SessionOptions } from './session';

const CHUNK = 5_000;
/** Steps of one kind and topic in one round; the next round continues. */
const STEPS_MAX = 2_000;
/** Older records of a key stay this long beside a newer one, so that readers see recent changes. */
const COMPACTION_LAG_MS = 60_000;
/** How long a tombstone is retained. */
const TOMBSTONE_MS = 86_400_000;

const LOCK = statement('events-maintenance-lock', `SELECT pg_try_advisory_lock(${LOCK_CLASS.maintenance}, 0)`);
const STATE = statement(
  'events-maintenance-state',
  'SELECT done_at, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM events.maintenance',
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
  options: Omit<SessionOptions, 'settings'>,
  { now, unlessWithinMs }: MaintenanceOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const session = await Session.open({ ...options, settings: ['synchronous_commit=off'] });
  try {
    const [lock] = await session.query<[boolean]>(LOCK);
    if (!lock![0]) return false;
    const [state] = await session.query<[string, string]>(STATE);
    const [doneAt, clock] = state!.map(Number) as [number, number];
    if (unlessWithinMs !== undefined && Math.abs(clock - doneAt) < unlessWithinMs) return false;

    const time = now ?? clock;
    const topics = await session.query<[number, string, boolean, boolean]>(TOPICS);
    for (const [id, name, compacted, expires] of topics) {
      if (expires) await removeExpired(session, id, name, time, signal);
      if (compacted) await compact(session, id, time, signal);
    }
    if (!signal.aborted) await session.query(DONE, [clock]);
    return true;
  } finally {
    await session.end();
  }
}

async function removeExpired(session: Session, topicId: number, name: string, now: number, signal: AbortSignal): Promise<void> {
  let upTo = 0;
  await inSteps(signal, async () => {
    const [row] = await session.query<[string, string | null]>(REMOVE_EXPIRED, [topicId, now, CHUNK]);
    upTo = Number(row![1] ?? upTo);
    return Number(row![0]);
  });
  if (upTo === 0) return;
  for (const [group] of await session.query<[string]>(SLOW_GROUPS, [topicId, upTo])) {
    logger.warn(`Group ${group} lost unread records of ${name}: they were past the topic's retention and are deleted`);
  }
}

async function compact(session: Session, topicId: number, now: number, signal: AbortSignal): Promise<void> {
  await inSteps(signal, async () => {
    const [row] = await session.query<[string]>(COMPACT, [topicId, now - COMPACTION_LAG_MS, CHUNK]);
    return Number(row![0]);
  });
  await inSteps(signal, async () => {
    const [row] = await session.query<[string]>(REMOVE_TOMBSTONES, [topicId, now - TOMBSTONE_MS, CHUNK]);
    return Number(row![0]);
  });
}

/** Repeats `step` until it processes less than a chunk. */
async function inSteps(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  for (let steps = 0; steps < STEPS_MAX && !signal.aborted; steps++) {
    if ((await step()) < CHUNK) return;
  }
}

/** Runs maintenance periodically. */
export class MaintenanceRounds {
  private timer?: NodeJS.Timeout;
  private round: Promise<unknown> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly intervalMs: number,
    private readonly maintain: (options: MaintenanceOptions) => Promise<boolean>,
  ) {
    this.schedule(Math.random() * Math.min(FIRST_DELAY_MS_MAX, intervalMs));
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.round;
  }

  private schedule(delayMs: number): void {
    this.timer = setTimeout(() => {
      this.round = this.maintain({ unlessWithinMs: this.intervalMs * (1 - JITTER) })
        .catch((error: unknown) => logger.warn(`Maintenance of the event log failed; retrying in the next round: ${reasonOf(error)}`))
        .finally(() => {
          if (!this.stopped) this.schedule(this.intervalMs * (1 - JITTER + Math.random() * 2 * JITTER));
        });
    }, delayMs);
    this.timer.unref();
  }
}
