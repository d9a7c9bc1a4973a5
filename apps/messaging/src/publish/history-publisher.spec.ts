import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { systemContext } from '@tidings/contracts/core/context';
import { type AuditRecord, auditRecorded } from '@tidings/contracts/identity/audit-events';
import { messagingEventTopics } from '@tidings/contracts/messaging/event-topics';
import { messageHistory } from '@tidings/contracts/messaging/events';
import { messages } from '@tidings/contracts/messaging/messages';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import { MessageWriter } from '../testing/message-writer';
import { Messaging } from '../testing/start-messaging';
import { TopicReaders } from '../testing/topic-readers';
import { HistoryPublisher } from './history-publisher';

const EVENTS_ROUTED = 4;
const EVENTS_FINISHED = 2;
const SLOW_COMMIT_MS = 150;
const NO_SWEEP_MS = 600_000;
/** Duration of every ninth commit under load. */
const SLOW_MS = 8;

describe('the published history', () => {
  let messaging: Messaging;
  let readers: TopicReaders;
  let writer: MessageWriter;
  let publishers: HistoryPublisher[];

  beforeEach(async () => {
    messaging = await Messaging.create();
    await messaging.start('', { publishHistory: true });
    readers = await TopicReaders.on(messaging.log);
    writer = await MessageWriter.open(messaging.database.urlOf('messaging'));
    publishers = [];
  });

  afterEach(async () => {
    await Promise.all(publishers.map((publisher) => publisher.stop()));
    await writer.close();
    await messaging.end();
  });

  const history = async (id: string) => (await messaging.call(messages.history, { message_id: id })).results;
  const record = (id: string) => messaging.call(messages.retrieve, { message_id: id });

  /** Waits until every stored event and the record are published, and compares them. */
  async function expectPublished(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const stored = await history(id);
      await waitUntil(() => readers.eventsOf(id).length >= stored.length, { what: `${stored.length} events of ${id}` });
      expect(readers.eventsOf(id)).toEqual(stored);
      const message = await record(id);
      await waitUntil(() => readers.statusNumberOf(id) === stored.length, { what: `the record of ${id}` });
      expect(readers.statusOf(id)).toEqual(message);
    }
  }

  const RELAYS = `from pg_stat_activity where application_name = 'tidings-relay' and datname = current_database()`;
  const relays = () => messaging.rows(`select ${RELAYS}`);
  const killRelays = () => messaging.rows(`select pg_terminate_backend(pid) ${RELAYS}`);

  it('equals the history of the HTTP interface, for every end of a message', async () => {
    messaging.smtp.treat('refused@example.com', { refuse: true });
    messaging.profiles.stored.set('grace', { email: 'grace@example.com', name: 'Grace' });
    const ids = await messaging.send(
      {},
      { userId: 'grace', profile: { name: null }, tags: ['vip'] },
      { mode: 'test' },
      { recipient: '+49', profile: {} },
      { profile: { email: 'refused@example.com' } },
    );
    const ends = ['DELIVERED', 'DELIVERED', 'SIMULATED', 'UNROUTABLE', 'UNDELIVERABLE'];
    for (const [index, id] of ids.entries()) await messaging.waitForStatus(id, ends[index]!);

    await expectPublished(ids);

    const key = `${messaging.workspaceId}:${ids[0]}`;
    const first = readers.history.filter((each) => each.key === key);
    expect(first.map(({ id, sequence, payload }) => [id, sequence, payload!.number])).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((number) => [`${ids[0]}/${number}`, String(number), number]),
    );
    const status = readers.statuses.findLast((each) => each.key === key)!;
    expect(status).toMatchObject({ id: `${ids[0]}/status/7`, sequence: '7', payload: { workspaceId: messaging.workspaceId, number: 7 } });
  });

  it('has every record again after it was republished', async () => {
    const [id] = await messaging.send();
    await messaging.waitForStatus(id!, 'DELIVERED');
    await expectPublished([id!]);
    const before = readers.statuses.length;

    const audited: AuditRecord[] = [];
    await messaging.log.broadcast(auditRecorded, ({ payload }) => void (payload && audited.push(payload)));

    const operator = { ...systemContext(randomUUID()), actor: { type: 'operator', id: 'alice' } as const };

    expect(await messaging.call(messagingEventTopics.republishStatuses, {}, operator)).toEqual({ published: 1 });

    await waitUntil(() => readers.statuses.length > before);
    expect(readers.statuses.at(-1)).toMatchObject({ id: `${id}/status/7`, sequence: '7', payload: readers.statuses[before - 1]!.payload });
    await waitUntil(() => audited.length > 0);
    expect(audited).toEqual([expect.objectContaining({ type: 'events:republished', targetId: 'tidings.message-status.v1' })]);
  });

  /** Restarts the service with sweeps so rare that only notifications cause publishing. */
  async function withoutSweeps(): Promise<void> {
    await messaging.stop();
    const to = HistoryPublisher.to.bind(HistoryPublisher);
    const replaced = jest.spyOn(HistoryPublisher, 'to');
    replaced.mockImplementation((log, database) => to(log, database, { sweepIntervalMs: NO_SWEEP_MS }));
    await messaging.start('', { publishHistory: true });
    replaced.mockRestore();
  }

  it('is published immediately after every commit', async () => {
    await withoutSweeps();
    for (let round = 0; round < 5; round++) {
      const [id] = await messaging.send();
      await waitUntil(() => readers.statusOf(id!)?.status === 'DELIVERED', { intervalMs: 2 });
    }
  });

  it('is published immediately after a commit of another process', async () => {
    await withoutSweeps();
    for (let round = 0; round < 5; round++) {
      const message = writer.routed(messaging.workspaceId);
      await writer.route(message);
      await waitUntil(() => readers.eventsOf(message.messageId).length === EVENTS_ROUTED, { intervalMs: 2 });
    }
  });

  it('waits for a slow commit between two fast ones, and omits no event', async () => {
    const [one, slow, other] = [1, 2, 3].map(() => writer.routed(messaging.workspaceId)) as [Routed, Routed, Routed];
    await writer.route(one, slow, other);
    await writer.finish(one, 0);
    let onDrawn = () => {};
    const sequenceDrawn = new Promise<void>((resolve) => (onDrawn = resolve));
    const slowCommit = writer.database.transaction(async (tx) => {
      await writer.finishWithin(tx, slow, 0);
      onDrawn();
      await delay(SLOW_COMMIT_MS);
    });
    await sequenceDrawn;
    await Promise.all([slowCommit, writer.finish(other, 0), writer.finish(one, 1)]);

    await expectPublished([one, slow, other].map(({ messageId }) => messageId));
  });

  it('keeps the order of a message whose oldest transaction changes it last', async () => {
    const message = writer.routed(messaging.workspaceId);
    await writer.database.transaction(async (first) => {
      await first.query('select pg_current_xact_id()');
      await writer.route(message);
      await writer.finish(message, 0);
      await waitUntil(() => readers.eventsOf(message.messageId).length === EVENTS_ROUTED + EVENTS_FINISHED, { what: 'both changes' });
      await writer.finishWithin(first, message, 1);
    });
    writer.source.notifyCommitted();

    await expectPublished([message.messageId]);
    expect(readers.eventsOf(message.messageId)).toHaveLength(EVENTS_ROUTED + 2 * EVENTS_FINISHED);
  });

  it('does not wait for an old transaction in its own or another database of the cluster', async () => {
    const otherDatabase = Object.assign(new URL(messaging.database.adminUrl), { pathname: '/postgres' }).href;
    const idle = await Promise.all(
      [otherDatabase, messaging.database.adminUrl].map(async (connectionString) => {
        const client = new Client({ connectionString });
        await client.connect();
        await client.query('begin');
        await client.query('select pg_current_xact_id()');
        return client;
      }),
    );
    const [id] = await messaging.send();
    await messaging.waitForStatus(id!, 'DELIVERED');

    await expectPublished([id!]);

    await Promise.all(idle.map((client) => client.end()));
  });

  it('is complete and in order with concurrent writers and relays that are killed', async () => {
    const other = HistoryPublisher.to(messaging.log, writer.database);
    publishers.push(other);
    other.start();
    const all = Array.from({ length: 40 }, () => writer.routed(messaging.workspaceId));
    const sent = messaging.send(...Array.from({ length: 60 }, (_, n) => ({ profile: { email: `many${n}@example.com` } })));
    let killed = 0;
    const write = async (part: readonly Routed[], offset: number): Promise<void> => {
      for (let leaf = 0; leaf < 5; leaf++) {
        for (const [index, message] of part.entries()) await writer.finish(message, offset + leaf, index % 9 === 0 ? SLOW_MS : 0);
      }
    };

    await writer.route(...all);
    const writing = Promise.all([write(all, 0), write([...all].reverse(), 10), write(all.slice(0, 20), 20)]);
    let done = false;
    void writing.finally(() => (done = true));
    while (!done) {
      const before = readers.history.length;
      await waitUntil(() => done || readers.history.length > before + 50, { what: 'the relay to continue' });
      killed += (await killRelays()).length;
    }
    await writing;
    const ids = await sent;
    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');

    expect(killed).toBeGreaterThan(0);
    await expectPublished([...ids, ...all.map(({ messageId }) => messageId)]);
    expect(readers.eventsOf(all[0]!.messageId)).toHaveLength(EVENTS_ROUTED + 15 * EVENTS_FINISHED);
  });

  it('is published in batches after a pause, from the oldest stored row on', async () => {
    await messaging.stop();
    const backlog = Array.from({ length: 1_000 }, () => writer.routed(messaging.workspaceId));
    await writer.route(...backlog);

    await messaging.start('', { publishHistory: true });

    await waitUntil(() => readers.history.length >= backlog.length * EVENTS_ROUTED, { what: 'the backlog' });
    const statusIds = () => new Set(readers.statuses.map(({ id }) => id));
    await waitUntil(() => statusIds().size >= backlog.length, { what: 'the records of the backlog' });
    expect(readers.history).toHaveLength(backlog.length * EVENTS_ROUTED); // no event twice
    expect(statusIds().size).toBe(backlog.length); // records of the first batch may have been republished
    await expectPublished([backlog[0]!.messageId, backlog.at(-1)!.messageId]);
  });

  it('includes the outcomes of the last calls when the service has stopped', async () => {
    messaging.smtp.treat('last@example.com', { slowMs: 300 });
    const [id] = await messaging.send({ profile: { email: 'last@example.com' } });
    await messaging.smtp.waitForMailsTo('last@example.com'); // the server has not answered yet

    await messaging.stop();

    await messaging.log.append(messageHistory, []); // appends no further event
    await waitUntil(() => readers.statusOf(id!)?.status === 'DELIVERED', { what: 'the record' });
    await waitUntil(() => readers.eventsOf(id!).at(-1)?.type === 'DELIVERED', { what: 'the last event' });
    expect(readers.eventsOf(id!).map(({ type }) => type)).toEqual([
      'ENQUEUED',
      'PROFILE_LOADED',
      'ROUTED',
      'RENDERED',
      'DELIVERING',
      'SENT',
      'DELIVERED',
    ]);
  });

  it('is not published, and no relay runs for it, unless configured', async () => {
    await messaging.stop();
    await messaging.start();
    const [id] = await messaging.send();
    await messaging.waitForStatus(id!, 'DELIVERED');

    // The relay of provider changes remains. Connections of the stopped process may end a little later.
    await waitUntil(async () => (await relays()).length <= 1, { what: 'one relay at most' });
    expect(readers.history).toEqual([]);
  });

  it('replaces large fields with references that lead to the omitted values', async () => {
    const large = writer.routed(messaging.workspaceId, {
      data: { text: 'あ'.repeat(500_000) },
      profile: { email: 'ada@example.com', notes: 'x'.repeat(200_000) },
      html: '<p>'.repeat(400_000),
    });
    await writer.route(large);
    await waitUntil(() => readers.eventsOf(large.messageId).length === EVENTS_ROUTED);

    const [enqueued, loaded, routed, rendered] = readers.eventsOf(large.messageId);
    const path = `/messages/${large.messageId}/history#/results`;
    expect(enqueued).toMatchObject({ data: { $ref: `${path}/0/data` }, profile: { notes: expect.any(String) as string } });
    expect(rendered).toMatchObject({ type: 'RENDERED', output: { html: `/messages/${large.messageId}/output/4/html` } });
    const stored = await history(large.messageId);
    expect([loaded, routed]).toEqual([stored[1], stored[2]]);
    for (const [index, event] of [enqueued, loaded, routed, rendered].entries()) {
      expect(Buffer.byteLength(JSON.stringify(readers.history[index]!.payload))).toBeLessThanOrEqual(1_000_000);
      for (const value of Object.values(event!)) {
        const { $ref } = Object(value) as { $ref?: string };
        if ($ref) expect(at(stored, $ref)).toBeDefined();
      }
    }
  });
});

type Routed = ReturnType<MessageWriter['routed']>;

/** The value that a reference points to in the response of its path. */
function at(results: unknown, reference: string): unknown {
  const pointer = reference
    .slice(reference.indexOf('#') + 1)
    .split('/')
    .slice(1);
  return pointer.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], { results });
}
