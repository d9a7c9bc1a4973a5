import { setTimeout as delay } from 'node:timers/promises';
import { statement } from '@tidings/persistence/statement';
import { nestedValueMarks, valueMarks } from '@tidings/persistence/value-marks';
import type { ErasedPerson, LogErasure, RemainingRecords } from '../event-log';
import type { Topic } from '../topic';
import { PERSONAL_TOPICS } from '../topic-access';
import { TOMBSTONES_REMOVED_MS } from './maintenance';
import type { Session } from './session';

/** A step begins no further page after this time. */
const STEP_MS = 3_000;
const PAGE = 2_000;
/** A group commits what it has handled a little later: how long a page with such records is repeated. */
const COMMITTED_WAITS_MAX = 10;
const COMMITTED_WAIT_MS = 100;

// SQL because the records of the log have no entity.
const TOPIC = statement('events-erase-topic', 'SELECT id FROM events.topics WHERE name = $1');
/** Records of the user's key before its last tombstone; a tombstone among them is not counted. */
const ERASE_KEY = statement(
  'events-erase-key',
  `WITH own AS MATERIALIZED (
     SELECT position, payload IS NULL AS tombstone FROM events.records
     WHERE topic_id = $1 AND compacted AND hashtextextended(key, 0) = hashtextextended($2, 0) AND key = $2
   ), last AS MATERIALIZED (
     SELECT max(position) AS position FROM own WHERE tombstone
   ), deleted AS (
     DELETE FROM events.records r USING own, last
     WHERE own.position < last.position AND r.topic_id = $1 AND r.position = own.position RETURNING own.tombstone
   )
   SELECT (SELECT count(*) FROM deleted WHERE NOT tombstone), (SELECT count(*) FROM own) - (SELECT count(*) FROM deleted),
          (SELECT position IS NOT NULL FROM last)`,
);
const PAGE_KEYS = statement(
  'events-erase-page-keys',
  `SELECT DISTINCT key FROM (
     SELECT key FROM events.records WHERE topic_id = $1 AND position > $2 ORDER BY position LIMIT ${PAGE}
   ) page WHERE starts_with(key, $3)`,
);
/** What some group has not handled yet stays. */
const ERASE_PAGE = statement(
  'events-erase-page',
  `WITH page AS MATERIALIZED (
     SELECT position, key, payload FROM events.records WHERE topic_id = $1 AND position > $2 ORDER BY position LIMIT ${PAGE}
   ), named AS MATERIALIZED (
     SELECT position, position <= coalesce((SELECT min(g.position) FROM events.groups g WHERE g.topic_id = $1), position) AS handled
     FROM page WHERE starts_with(key, $3)
       AND (key = ANY ($4::text[]) OR EXISTS (SELECT FROM unnest($5::text[]) AS mark WHERE strpos(payload, mark) > 0))
   ), deleted AS (
     DELETE FROM events.records r USING named WHERE named.handled AND r.topic_id = $1 AND r.position = named.position RETURNING r.position
   )
   SELECT (SELECT count(*) FROM deleted), (SELECT count(*) FROM named WHERE NOT handled), (SELECT max(position) FROM page)`,
);

/** Of `ErasedPerson.after`: the number of a topic, and the position after which it continues. */
const CURSOR = /^(\d{1,4}):(\d{1,19})$/;

/** Removes a user's records from the topics with data of users; see `EventLog.erase`. The session is the owner's. */
export async function erasePerson(session: Session, person: ErasedPerson): Promise<LogErasure> {
  const [, first = '0', afterPosition = '0'] = CURSOR.exec(person.after ?? '') ?? [];
  const end = performance.now() + STEP_MS;
  const remaining: RemainingRecords[] = [];
  let removed = 0;
  let position = afterPosition;
  for (let index = Number(first); index < PERSONAL_TOPICS.length; index++) {
    const topic = PERSONAL_TOPICS[index]!;
    const id = await session.value<number | undefined>(TOPIC, [topic.topic]);
    while (id !== undefined) {
      const step = topic.compacted ? await eraseKey(session, id, topic, person) : await erasePage(session, id, topic, person, position);
      removed += step.removed;
      remaining.push(...step.remaining);
      if (step.next === undefined) break;
      position = step.next;
      if (performance.now() > end) return { removed, remaining, next: `${index}:${position}` };
    }
    position = '0';
  }
  return { removed, remaining };
}

const keyOf = ({ workspaceId, userId }: ErasedPerson) => `${workspaceId}:${userId}`;

async function eraseKey(session: Session, id: number, { topic }: Topic, person: ErasedPerson): Promise<LogErasure> {
  const [row] = await session.query<[removed: string, kept: string, hasTombstone: boolean]>(ERASE_KEY, [id, keyOf(person)]);
  const [removed, count, hasTombstone] = row!;
  if (Number(count) === 0) return { removed: Number(removed), remaining: [] };
  const end = hasTombstone
    ? { until: Date.now() + TOMBSTONES_REMOVED_MS }
    : { reason: 'its tombstone is not published yet: repeat the command' };
  return { removed: Number(removed), remaining: [{ topic, count: Number(count), ...end }] };
}

async function erasePage(
  session: Session,
  id: number,
  { topic, retentionMs }: Topic,
  person: ErasedPerson,
  after: string,
): Promise<LogErasure> {
  const marks = topic.endsWith('.dead') ? nestedValueMarks(person.userId) : valueMarks(person.userId);
  const keys = [keyOf(person), ...(await erasedKeys(session, id, topic, person, after))];
  const values = [id, after, `${person.workspaceId}:`, keys, marks];
  let removed = 0;
  for (let waits = 0; ; waits++) {
    const [row] = await session.query<[removed: string, kept: string, last: string | null]>(ERASE_PAGE, values);
    removed += Number(row![0]);
    const count = Number(row![1]);
    if (count > 0 && waits < COMMITTED_WAITS_MAX) {
      await delay(COMMITTED_WAIT_MS);
      continue;
    }
    const until = retentionMs === null ? {} : { until: Date.now() + retentionMs };
    const reason = 'a group of the topic has not handled it: repeat the command';
    return { removed, remaining: count > 0 ? [{ topic, count, ...until, reason }] : [], next: row![2] ?? undefined };
  }
}

/** The keys of a page whose subject is about an erased person. */
async function erasedKeys(session: Session, id: number, topic: string, { workspaceId, erasedAmong }: ErasedPerson, after: string) {
  if (!erasedAmong) return [];
  const prefix = `${workspaceId}:`;
  const rows = await session.query<[key: string]>(PAGE_KEYS, [id, after, prefix]);
  const erased = await erasedAmong(
    topic,
    rows.map(([key]) => key.slice(prefix.length)),
  );
  return erased.map((subject) => `${prefix}${subject}`);
}
