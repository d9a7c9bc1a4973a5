import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { HISTORY_TYPES } from '@tidings/contracts/messaging/message-history';
import { messages } from '@tidings/contracts/messaging/messages';
import { Clock } from '@tidings/runtime/clock';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import { ensurePartitions } from '../record/partitions';
import { RenderingBases } from '../record/rendering-bases';
import { MessageWriter } from '../testing/message-writer';
import { Messaging } from '../testing/start-messaging';
import { storeMessages } from '../testing/stored-messages';
import { Retention, RETENTION_DEFAULT } from './retention';

const DAY_MS = 86_400_000;
const now = Date.now();
const daysAgo = (days: number): number => now - days * DAY_MS;

let messaging: Messaging;
let writer: MessageWriter;
let retention: Retention;

beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start();
  await messaging.get<Retention>(Retention).beforeApplicationShutdown(); // its own rounds would disturb the tests
  writer = await MessageWriter.open(messaging.database.urlOf('messaging'));
  const clock: Clock = { now: () => now };
  retention = new Retention(writer.database, clock, RETENTION_DEFAULT);
});
afterEach(() => messaging.rows('truncate messaging.deliveries, messaging.messages, messaging.history, messaging.message_terms'));
afterAll(async () => {
  await writer.close();
  await messaging.end();
});

/** Runs rounds until one succeeds, as the service does. */
const enforced = (): Promise<unknown> => waitUntil(() => retention.enforce().then(() => true), { what: 'the removal', timeoutMs: 40_000 });

/** Stores a message `days` ago in a partition of its week, with a history of every event type. */
async function messageOf(days: number): Promise<string> {
  await ensurePartitions(writer.database, daysAgo(days));
  return stored(days);
}

async function stored(days: number): Promise<string> {
  const at = daysAgo(days);
  const history = HISTORY_TYPES.map((type) => ({
    ts: at,
    type,
    ...(type === 'RENDERED' ? rendered : { profile: {}, stored_profile: {} }),
  }));
  const [id] = await storeMessages(messaging, [{ at, tags: ['retained'], history }]);
  return id!;
}
const rendered = { channel: { id: 'email' }, output: { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' } };

const open = (id: string): Promise<unknown> =>
  messaging.rows(
    `insert into messaging.deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at)
     values ($1, 0, $2, 'email', 'smtp', 1, false, now() + interval '1 day')`,
    [messageIdToUuid(id), messaging.workspaceId],
  );
const exists = (id: string): Promise<boolean> =>
  messaging.call(messages.retrieve, { message_id: id }).then(
    () => true,
    (error: { code: string }) => {
      if (error.code !== 'not_found') throw error;
      return false;
    },
  );
const typesOf = async (message_id: string): Promise<string[]> =>
  (await messaging.call(messages.history, { message_id })).results.map(({ type }) => type);
const termsOf = (id: string): Promise<unknown[]> =>
  messaging.rows('select from messaging.message_terms where id = $1', [messageIdToUuid(id)]);

it('removes records after a year and histories after 90 days; the history of a record is empty then', async () => {
  const [old, middle, young] = [await messageOf(400), await messageOf(200), await messageOf(30)];
  await enforced();
  await expect(exists(old)).resolves.toBe(false);
  await expect(termsOf(old)).resolves.toEqual([]);
  await expect(exists(middle)).resolves.toBe(true);
  await expect(typesOf(middle)).resolves.toEqual([]);
  await expect(messaging.call(messages.output, { message_id: middle })).resolves.toEqual({ results: [] });
  await expect(typesOf(young)).resolves.toEqual([...HISTORY_TYPES]);
  for (const type of HISTORY_TYPES) {
    const { results } = await messaging.call(messages.history, { message_id: young, type });
    expect(results.map((event) => event.type)).toEqual([type]);
  }
  await expect(
    messaging.rows(`select from pg_class where relname ~ '^(messages|history|message_terms)_w' and not relispartition`),
  ).resolves.toEqual([]);
});

it('removes the state of canceled requests with their messages', async () => {
  const [old, young] = [400, 30].map((days) => messageIdToUuid(newMessageId(daysAgo(days))));
  await messaging.rows(
    `insert into messaging.request_cancellations (workspace_id, request_id, begun_by, finished, due_at)
     select $1, unnest($2::uuid[]), 'a call', true, now()`,
    [messaging.workspaceId, [old, young]],
  );
  await enforced();
  await expect(messaging.rows('select request_id from messaging.request_cancellations')).resolves.toEqual([{ request_id: young }]);
});

describe('a base of stored e-mails', () => {
  const base = (hash: string, days: number) =>
    messaging.rows('insert into messaging.rendering_bases (workspace_id, hash, content, used_at) values ($1, $2, $3, $4)', [
      messaging.workspaceId,
      hash,
      'a text',
      new Date(daysAgo(days)),
    ]);
  const bases = async () =>
    (await messaging.rows<{ hash: string }>('select hash from messaging.rendering_bases order by hash')).map(({ hash }) => hash);
  afterEach(() => messaging.rows('truncate messaging.rendering_bases'));

  it('is removed once it was not used for longer than histories are stored', async () => {
    for (const [hash, days] of [['old', 94], ['retained', 92], ['young', 1]] as const) await base(hash, days); // prettier-ignore
    await enforced();
    await expect(bases()).resolves.toEqual(['retained', 'young']);
  });

  it('stays as long as the oldest history, also where an open message retains that', async () => {
    const delayed = await messageOf(200);
    await open(delayed);
    for (const [hash, days] of [['older', 204], ['needed', 199]] as const) await base(hash, days); // prettier-ignore
    await enforced();
    await expect(bases()).resolves.toEqual(['needed']);
    await messaging.rows('delete from messaging.deliveries');
    await enforced();
    await expect(bases()).resolves.toEqual([]);
  });

  it('that is used while it is removed is stored again', async () => {
    await base('raced', 400);
    const user = new Client({ connectionString: messaging.database.adminUrl });
    await user.connect();
    try {
      await user.query('begin');
      await user.query('update messaging.rendering_bases set used_at = now()'); // as a process that stores a message
      await enforced(); // does not wait for it
      await user.query('commit');
    } finally {
      await user.end();
    }
    await enforced();
    await expect(bases()).resolves.toEqual(['raced']);

    await messaging.rows('delete from messaging.rendering_bases');
    const text = 'a text of a process that has it in memory';
    const used = new RenderingBases(writer.database);
    await used.store([{ workspaceId: messaging.workspaceId, hash: 'again', text }]);
    await expect(bases()).resolves.toEqual(['again']);
    await messaging.rows('delete from messaging.rendering_bases');
    used.forgetStored();
    await used.store([{ workspaceId: messaging.workspaceId, hash: 'again', text }]);
    await expect(bases()).resolves.toEqual(['again']);
  });
});

it('removes a week only when it has no open message', async () => {
  const delayed = await messageOf(400);
  await open(delayed);
  await enforced();
  await expect(exists(delayed)).resolves.toBe(true);
  await expect(typesOf(delayed)).resolves.toHaveLength(HISTORY_TYPES.length);
  await messaging.rows('delete from messaging.deliveries');
  await enforced();
  await expect(exists(delayed)).resolves.toBe(false);
});

it('removes rows of default partitions, except open messages', async () => {
  const [old, delayed, middle] = [await stored(500), await stored(501), await stored(150)];
  await open(delayed);
  await enforced();
  await expect(Promise.all([old, delayed, middle].map(exists))).resolves.toEqual([false, true, true]);
  await expect(typesOf(middle)).resolves.toEqual([]);
  await expect(termsOf(old)).resolves.toEqual([]);
  await expect(termsOf(delayed)).resolves.toHaveLength(1);
});

it('rejects while another transaction reads the table, changes nothing, and succeeds later', async () => {
  const old = await messageOf(400);
  const reader = new Client({ connectionString: messaging.database.adminUrl });
  await reader.connect();
  try {
    await reader.query('begin');
    await reader.query('select from messaging.messages limit 1');
    await expect(retention.enforce()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(exists(old)).resolves.toBe(true);
    await reader.query('commit');
  } finally {
    await reader.end();
  }
  await enforced();
  await expect(exists(old)).resolves.toBe(false);
});

it('drops partitions that an ended process detached, and is safe in several processes at once', async () => {
  const [detached, old] = [await messageOf(500), await messageOf(400)];
  const week = Math.floor(daysAgo(500) / (7 * DAY_MS));
  await messaging.rows(`alter table messaging.messages detach partition messaging.messages_w${week}`);
  await Promise.all([enforced(), enforced(), enforced()]);
  await enforced();
  await expect(exists(detached)).resolves.toBe(false);
  await expect(exists(old)).resolves.toBe(false);
  await expect(messaging.rows(`select from pg_class where relname like '%\\_w${week}'`)).resolves.toEqual([]);
});
