import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import { statement } from '@tidings/persistence/statement';
import { LOCK_CLASS } from './locks';
import { Session, type SessionOptions } from './session';

const CHUNK = 5_000;
/** Steps of one kind and topic in one round; what is left waits for the next round. */
const STEPS_MAX = 2_000;
/** Older records of a key stay this long beside a newer one, so that nobody has to ask twice what just changed. */
const COMPACTION_LAG_MS = 60_000;
/** How long a tombstone can be read. */
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

/** The first round comes this soon, at most; starting is busy enough. */
const FIRST_DELAY_MS_MAX = 60_000;
/** Instances draw their moments around the interval, and leave a round that another one has just done. */
const JITTER = 0.1;

const logger = new Logger('EventLog');

export interface MaintenanceOptions {
  /** The time to go by, ms since the epoch. Default: the database's clock. */
  now?: number;
  /** Leave it, when somebody did it within this many ms. Default: never leave it. */
  unlessWithinMs?: number;
}

/**
 * Removes what is past its topic's retention, older records of a key where a topic is compacted, and old tombstones. Over a
 * connection of its own and in small steps. Resolves with false, having done nothing, when another instance is at it.
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
    logger.warn(`Group ${group} has not read all records of ${name} that are now past the topic's retention and gone`);
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

/** Until a step finds less than a chunk to do. */
async function inSteps(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  for (let steps = 0; steps < STEPS_MAX && !signal.aborted; steps++) {
    if ((await step()) < CHUNK) return;
  }
}

/** Rounds of maintenance, again and again. */
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
        .catch((error: unknown) => logger.warn(`The event log could not be tidied up and will be later: ${reasonOf(error)}`))
        .finally(() => {
          if (!this.stopped) this.schedule(this.intervalMs * (1 - JITTER + Math.random() * 2 * JITTER));
        });
    }, delayMs);
    this.timer.unref();
  }
}
