import { profileChanged } from '@tidings/contracts/identity/events';
import { messageRequested } from '@tidings/contracts/messaging/events';
import type { ServiceName } from '@tidings/contracts/core/operation';
import { waitUntil } from '@tidings/testing/wait-until';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { newTopic, Notes, steps } from '../spec-events.fixture';
import { groupPrefixOf, TOPIC_ACCESS } from '../topic-access';
import type { PostgresEventLog } from './postgres-event-log';
import { PostgresUnderTest } from './postgres-under-test.fixture';

const SERVICES = ['identity', 'audience', 'messaging', 'content', 'gateway'] as const;
const INSUFFICIENT_PRIVILEGE = { code: '42501' };
const APPEND = "SELECT events.append(ARRAY[$1::int], '{}', ARRAY[$1::int], ARRAY[$2], '{w:a}', '{null}', '{null}', $3)";
const LATE_MS = 600_000;

/** Each role of a service on the log in PostgreSQL. */
describe('The role of a service', () => {
  let under: PostgresUnderTest;
  let owner: PostgresEventLog;
  let ids: Map<string, number>;
  const clients = {} as Record<ServiceName, Client>;

  beforeAll(async () => {
    under = await PostgresUnderTest.start();
    owner = await under.open();
    const rows = await under.rows<{ id: number; name: string }>('SELECT id, name FROM events.topics');
    ids = new Map(rows.map(({ id, name }) => [name, id]));
    for (const service of SERVICES) {
      clients[service] = new Client({ connectionString: under.database.urlOf(service) });
      await clients[service].connect();
    }
    await owner.append(messageRequested, [{ id: 'first', key: 'w:a', payload: null }]);
    await owner.append(profileChanged, [{ id: 'first', key: 'w:a', payload: null }]);
  });
  afterAll(async () => {
    await Promise.all(Object.values(clients).map((client) => client.end()));
    await under.close();
  });

  const idOf = ({ topic }: { topic: string }): number => ids.get(topic)!;
  /** The services for which an attempt succeeds. */
  const whoMay = async (attempt: (client: Client, service: ServiceName) => Promise<boolean>): Promise<string[]> => {
    const may: string[] = [];
    for (const service of SERVICES) if (await attempt(clients[service], service)) may.push(service);
    return may.sort();
  };
  const isAllowed = (statement: Promise<unknown>): Promise<boolean> =>
    statement.then(
      () => true,
      (error: { code: string }) => {
        expect(error).toMatchObject(INSUFFICIENT_PRIVILEGE);
        return false;
      },
    );

  it.each(TOPIC_ACCESS.map((access) => [access.topic.topic, access] as const))(
    'appends to, reads and works for groups of %s as the table of topics says',
    async (_, { topic, writers, readers }) => {
      const topicId = idOf(topic);
      const appended = await whoMay((client) => isAllowed(client.query(APPEND, [topicId, randomUUID(), null])));
      const inserted = await whoMay((client) =>
        isAllowed(client.query("INSERT INTO events.records VALUES ($1, nextval('events.position'), 0, false, 'x', 'k', '{}')", [topicId])),
      );
      await under.rows(APPEND, [topicId, randomUUID(), null]);
      const read = await whoMay(async (client) => {
        const { rows } = await client.query('SELECT FROM events.records WHERE topic_id = $1 LIMIT 1', [topicId]);
        return rows.length > 0;
      });
      const joined = await whoMay((client, service) =>
        isAllowed(client.query('INSERT INTO events.groups (topic_id, name) VALUES ($1, $2)', [topicId, `${groupPrefixOf(service)}spec`])),
      );

      expect({ appended, inserted }).toEqual({ appended: [...writers].sort(), inserted: [...writers].sort() });
      expect({ read, joined }).toEqual({ read: [...readers].sort(), joined: [...readers].sort() });
    },
  );

  it('reads no topic of the others in one statement either', async () => {
    for (const service of SERVICES) {
      const { rows } = await clients[service].query<{ id: number }>('SELECT DISTINCT topic_id AS id FROM events.records');
      const own = TOPIC_ACCESS.filter(({ readers }) => readers.includes(service)).map(({ topic }) => idOf(topic));
      for (const { id } of rows) expect(own).toContain(id);
    }
  });

  it('does not learn from a repeated append what a topic of others holds', async () => {
    const stored = async (service: ServiceName, topic: { topic: string }): Promise<boolean> =>
      (await clients[service].query<{ stored: boolean }>("SELECT events.is_stored($1, 'first', 0) AS stored", [idOf(topic)])).rows[0]!
        .stored;

    expect({ writer: await stored('gateway', messageRequested), reader: await stored('audience', profileChanged) }).toEqual({
      writer: true,
      reader: false,
    });
    expect(await stored('content', messageRequested)).toBe(false);
  });

  it('stores an event once when it appends it again without reading its topic', async () => {
    const gateway = await under.open({ databaseUrl: under.database.urlOf('gateway') });
    await gateway.append(messageRequested, [{ id: 'sent', key: 'w:a', payload: null }]);
    const [row] = await under.rows<{ position: string }>("SELECT position FROM events.records WHERE id = 'sent'");

    await clients.gateway.query(APPEND, [idOf(messageRequested), 'sent', Number(row!.position) - 1]);

    expect(await under.rows("SELECT FROM events.records WHERE id = 'sent'")).toHaveLength(1);
  });

  it('neither sees nor moves the positions of other groups', async () => {
    const group = `${groupPrefixOf('messaging')}owned`;
    await clients.messaging.query('INSERT INTO events.groups (topic_id, name) VALUES ($1, $2)', [idOf(messageRequested), group]);
    const positionOf = async (): Promise<string> =>
      (await under.rows<{ position: string }>('SELECT position FROM events.groups WHERE name = $1', [group]))[0]!.position;

    const others = SERVICES.filter((service) => service !== 'messaging');
    for (const service of others) {
      const seen = await clients[service].query('SELECT FROM events.groups WHERE name = $1', [group]);
      const moved = await clients[service].query('UPDATE events.groups SET position = 9, given_to = 9 WHERE name = $1', [group]);
      expect([service, seen.rowCount, moved.rowCount]).toEqual([service, 0, 0]);
    }
    expect(await positionOf()).toBe('0');
    await clients.messaging.query('UPDATE events.groups SET position = 7 WHERE name = $1', [group]);
    expect(await positionOf()).toBe('7');
    // A name of another service's, on a topic that it may read.
    const foreign = clients.audience.query('INSERT INTO events.groups (topic_id, name) VALUES ($1, $2)', [idOf(profileChanged), group]);
    await expect(foreign).rejects.toMatchObject(INSUFFICIENT_PRIVILEGE);
  });

  it.each([
    'DELETE FROM events.records',
    "UPDATE events.records SET payload = '{}'",
    'TRUNCATE events.records',
    'DELETE FROM events.groups',
    'UPDATE events.groups SET topic_id = 1',
    'UPDATE events.topics SET retention_ms = 0',
    "INSERT INTO events.topics (name, compacted) VALUES ('tidings.mine.v1', false)",
    'UPDATE events.topic_access SET may_read = true',
    'INSERT INTO events.topic_access SELECT current_user, id, true, true, $$$$ FROM events.topics',
    'SELECT FROM events.maintenance',
    'UPDATE events.maintenance SET done_at = 0',
    "SELECT setval('events.position', 1)",
    "SELECT events.remove_dead('tidings.profiles.v1.dead', ARRAY[1])",
    'SELECT events.remove_expired(1, 9e15::bigint, 1)',
    'SELECT events.compact(1, 9e15::bigint, 1)',
    'SELECT events.remove_tombstones(1, 9e15::bigint, 1)',
    'ALTER TABLE events.records DISABLE ROW LEVEL SECURITY',
    'DROP POLICY read ON events.records',
    'CREATE TABLE events.mine ()',
  ])('may not run: %s', async (statement) => {
    for (const service of SERVICES) await expect(clients[service].query(statement)).rejects.toMatchObject(INSUFFICIENT_PRIVILEGE);
  });

  it('consumes, broadcasts and appends, woken by the commits of others', async () => {
    const [audience, identity] = await Promise.all([
      under.open({ databaseUrl: under.database.urlOf('audience').replace('127.0.0.1', 'localhost'), pollIntervalMs: LATE_MS }),
      under.open({ databaseUrl: under.database.urlOf('identity') }),
    ]);
    const [handled, received] = [new Notes(), new Notes()];
    await audience.consume(profileChanged, { group: `${groupPrefixOf('audience')}reader` }, handled.note as never);
    await audience.broadcast(profileChanged, received.add as never);
    await waitUntil(() => handled.records.length > 0, { what: 'the records of before' });

    await identity.append(profileChanged, [{ id: 'changed', key: 'w:b', payload: null }]);

    await waitUntil(() => [handled, received].every(({ records }) => records.at(-1)?.id === 'changed'), { what: 'the change' });
    await expect(audience.append(profileChanged, [{ id: 'forged', key: 'w:b', payload: null }])).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('uses no topic that the table does not name', async () => {
    const topic = newTopic();
    await owner.append(topic, steps('a', 1));
    const [row] = await under.rows<{ id: number }>('SELECT id FROM events.topics WHERE name = $1', [topic.topic]);

    expect(await whoMay((client) => isAllowed(client.query(APPEND, [row!.id, 'x', null])))).toEqual([]);
    expect(
      await whoMay(async (client) => (await client.query('SELECT FROM events.records WHERE topic_id = $1', [row!.id])).rowCount! > 0),
    ).toEqual([]);
  });
});
