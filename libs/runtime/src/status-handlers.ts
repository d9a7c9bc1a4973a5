import type { AnsweringService } from '@tidings/contracts/core/dead-letter-operations';
import type { AppStatus } from '@tidings/contracts/core/status';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { DEAD_LETTER_TOPICS } from '@tidings/events/dead-letter-topics';
import type { ConsumerLags, EventLog } from '@tidings/events/event-log';
import { groupPrefixOf } from '@tidings/events/topic-access';
import type { Database } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import { statement } from '@tidings/persistence/statement';
import type { HealthRegistry } from './health';
import { redactText } from './redact';
import { VERSION } from './version';

/** A part of the status that takes longer is not known, in ms: the answer must come before the deadline of the call. */
const PART_MS_MAX = 3_000;

// SQL because it reads no table.
const ANSWER = statement('status-answer', 'select');

/** What is due and not done. */
export interface Backlog {
  /** Counted up to a bound. */
  count: number;
  /** How long the oldest waits, in seconds; 0 without one. */
  oldestSeconds: number;
}

/** Token of the function that resolves with what is due in a service beside the events of its outbox. */
export const DUE_BACKLOG = Symbol('DueBacklog');

/** The readiness of a process. */
export type Readiness = Pick<HealthRegistry, 'ready'>;

interface StatusParts {
  service: AnsweringService;
  log: EventLog & ConsumerLags;
  database: Database;
  /** Default: that database and log answer. */
  health?: Readiness;
  backlogs: readonly (() => Promise<Backlog>)[];
}

/** The status of a service. What cannot be read now is `null`; never rejects. */
export async function statusOf({ service, log, database, health, backlogs }: StatusParts): Promise<AppStatus> {
  const topics = DEAD_LETTER_TOPICS.filter(({ reader }) => reader === service);
  const [failures, waiting, lags, dead] = await Promise.all([
    inTime(health ? failedChecks(health) : unanswered(database, log)),
    inTime(Promise.all(backlogs.map((read) => read()))),
    inTime(log.consumerLag()),
    inTime(Promise.all(topics.map(async ({ topic }) => ({ topic: topic.topic, count: await log.deadLetters.count(topic) })))),
  ]);
  const groups = lags?.filter(({ group }) => group.startsWith(groupPrefixOf(service)));
  const reason = failures ? failures.join('; ') : `no answer within ${PART_MS_MAX} ms`;
  return {
    name: service,
    ready: reason === '',
    ...(reason !== '' && { reason }),
    version: VERSION,
    backlog: waiting ? sum(waiting.map(({ count }) => count)) : null,
    oldest: waiting ? Math.round(Math.max(0, ...waiting.map(({ oldestSeconds }) => oldestSeconds))) : null,
    lag: groups ? sum(groups.map(({ records }) => records)) : null,
    dead: dead ? sum(dead.map(({ count }) => count)) : null,
    groups: (groups ?? []).map(({ topic, group, records }) => ({ topic, group, records })),
    dead_letters: (dead ?? []).filter(({ count }) => count > 0),
  };
}

/** The checks of a process that fail, with their reasons. */
export async function failedChecks(health: Readiness): Promise<string[]> {
  const { checks } = await health.ready();
  return Object.entries(checks).flatMap(([name, outcome]) => (outcome === 'ok' ? [] : [`${name}: ${outcome}`]));
}

async function unanswered(database: Database, log: EventLog) {
  const answers = await Promise.all([
    database.query(ANSWER, []).then(
      () => [],
      (error: unknown) => [`database: ${redactText(reasonOf(error))}`],
    ),
    log.ready().then((isReady) => (isReady ? [] : ['event log: it accepts no records now'])),
  ]);
  return answers.flat();
}

/** The value; undefined where it is not known in time. */
async function inTime<Value>(part: Promise<Value>): Promise<Value | undefined> {
  return (await withTimeout(PART_MS_MAX, part).catch(() => undefined))?.value;
}

function sum(numbers: readonly number[]) {
  return numbers.reduce((total, one) => total + one, 0);
}
