import { setTimeout as delay } from 'node:timers/promises';
import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { messages } from '@tidings/contracts/messaging/messages';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../testing/start-messaging';
import { DeliveryLeases } from '../store/lease-store';
import { OPEN_ATTEMPTS_MAX } from './dispatcher';

const SHORT_CALLS = '?timeout=2000';
const LOOKS_A_SECOND_MAX = 20;

interface DeliveryRow {
  message_id: string;
  attempt: number;
  attempt_open: boolean;
}

describe('delivery', () => {
  let messaging: Messaging;

  beforeEach(async () => {
    messaging = await Messaging.create();
    await messaging.start(SHORT_CALLS);
  });

  afterEach(() => messaging.end());

  const to = (email: string) => ({ recipient: email, profile: { email } });
  const deliveries = (): Promise<DeliveryRow[]> => messaging.rows('select message_id, attempt, attempt_open from messaging.deliveries');

  it('tries again after a passing refusal; the history tells of the success alone', async () => {
    messaging.smtp.treat('busy@example.com', { deferFirst: 1 });
    const [id] = await messaging.send(to('busy@example.com'));

    await messaging.waitForStatus(id!, 'DELIVERED');

    expect(messaging.smtp.arrivals).toHaveLength(2);
    expect(messaging.smtp.copies().size).toBe(1);
    expect(await messaging.historyTypes(id!)).toEqual([
      'ENQUEUED',
      'PROFILE_LOADED',
      'ROUTED',
      'RENDERED',
      'DELIVERING',
      'SENT',
      'DELIVERED',
    ]);
  });

  it('ends at a refused address', async () => {
    messaging.smtp.treat('nobody@example.com', { refuse: true });
    const [id] = await messaging.send(to('nobody@example.com'));

    await messaging.waitForStatus(id!, 'UNDELIVERABLE');

    const record = await messaging.call(messages.retrieve, { message_id: id! });
    expect(record).toMatchObject({ reason: 'BOUNCED', error: expect.stringContaining('550') as string });
    const { results } = await messaging.call(messages.history, { message_id: id!, type: 'UNDELIVERABLE' });
    expect(results).toMatchObject([{ channel: { id: 'email' }, integration: { provider: 'smtp' }, reason: 'BOUNCED', reasonCode: 'HARD' }]);
    expect(await deliveries()).toEqual([]);
  });

  it.each([
    ['is cut off before the answer', { dropFirst: 1 }],
    ['is never answered', { hang: true }],
  ])('repeats a call that %s, under the same Message-ID', async (_story, behaviour) => {
    messaging.smtp.treat('lost@example.com', behaviour);
    const [id] = await messaging.send(to('lost@example.com'));

    await waitUntil(async () => (await deliveries()).some(({ attempt_open }) => !attempt_open), { what: 'the first attempt to end' });
    messaging.smtp.treat('lost@example.com', {});
    await messaging.waitForStatus(id!, 'DELIVERED');

    expect([...messaging.smtp.copies().values()]).toEqual([2]);
  });

  it('of one recipient is not held up by a server that hangs for others', async () => {
    const hanging = Array.from({ length: 30 }, (_, n) => `hang${n}@example.com`);
    for (const email of hanging) messaging.smtp.treat(email, { hang: true });
    await messaging.send(...hanging.map(to));
    const [id] = await messaging.send(to('fine@example.com'));
    await messaging.waitForStatus(id!, 'DELIVERED');
  });

  it('that waits for calls which hang is not asked for again and again', async () => {
    messaging.smtp.treat('*', { hang: true });
    await messaging.send(...Array.from({ length: OPEN_ATTEMPTS_MAX + 50 }, (_, n) => to(`stuck${n}@example.com`)));
    await waitUntil(async () => (await deliveries()).some(({ attempt }) => attempt === 0), { what: 'some to wait' });
    const looks = jest.spyOn(DeliveryLeases.prototype, 'take');

    await delay(1_000); // the promise is about this time

    expect(looks.mock.calls.length).toBeLessThan(LOOKS_A_SECOND_MAX);
    looks.mockRestore();
    messaging.smtp.treat('*', {});
  });

  it('beyond what one process has open waits in the table and is delivered from there', async () => {
    messaging.smtp.treat('*', { slowMs: 300 });
    const emails = Array.from({ length: OPEN_ATTEMPTS_MAX + 100 }, (_, n) => `many${n}@example.com`);
    const ids = await messaging.send(...emails.map(to));
    await waitUntil(async () => (await deliveries()).some(({ attempt }) => attempt === 0), { what: 'some to wait' });
    messaging.smtp.treat('*', {});

    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');

    expect(Math.max(...messaging.smtp.copies().values())).toBe(1);
  });

  it('repeats what a process left open when its lease has run out', async () => {
    const [id] = await messaging.send(to('orphan@example.com'));
    await messaging.waitForStatus(id!, 'DELIVERED');
    await messaging.stop();
    // As a kill between the call and the outcome leaves it.
    const uuid = messageIdToUuid(id!);
    await messaging.rows(
      `insert into messaging.deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at)
       values ($1, 0, $2, 'email', 'smtp', 1, true, clock_timestamp() + interval '1 second')`,
      [uuid, messaging.workspaceId],
    );

    await messaging.start();
    await waitUntil(async () => (await deliveries()).length === 0, { what: 'the orphan to be delivered' });

    expect([...messaging.smtp.copies().values()]).toEqual([2]);
  });

  it('that processes left open twice tells that it was begun: nobody lived to tell it', async () => {
    const [id] = await messaging.send(to('twice@example.com'));
    await messaging.waitForStatus(id!, 'DELIVERED');
    const before = (await messaging.historyTypes(id!)).length;
    await messaging.stop();
    await messaging.rows(
      `insert into messaging.deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at)
       values ($1, 0, $2, 'email', 'smtp', 2, true, clock_timestamp())`,
      [messageIdToUuid(id!), messaging.workspaceId],
    );

    await messaging.start();
    await waitUntil(async () => (await deliveries()).length === 0, { what: 'the orphan to be delivered' });

    expect((await messaging.historyTypes(id!)).slice(before)).toEqual(['DELIVERING', 'SENT', 'DELIVERED']);
  });

  it('keeps its lease as long as the call is open', async () => {
    await messaging.stop();
    await messaging.start('?timeout=20000');
    messaging.smtp.treat('slow@example.com', { slowMs: 6_500 });
    const [id] = await messaging.send(to('slow@example.com'));
    await messaging.waitForStatus(id!, 'DELIVERED');
    expect([...messaging.smtp.copies().values()]).toEqual([1]);
  }, 20_000);

  it('counts an outcome only under the lease that made it', async () => {
    messaging.smtp.treat('taken@example.com', { slowMs: 400 });
    const [id] = await messaging.send(to('taken@example.com'));
    await waitUntil(async () => (await deliveries()).length === 1);
    // Another process has taken it over meanwhile.
    await messaging.rows(`update messaging.deliveries set attempt = attempt + 1, due_at = clock_timestamp() + interval '1 hour'`);
    await messaging.smtp.waitForMailsTo('taken@example.com');
    const [after] = await messaging.send(to('after@example.com'));
    await messaging.waitForStatus(after!, 'DELIVERED');
    expect(await messaging.statusOf(id!)).toBe('ROUTED');
    expect(await deliveries()).toMatchObject([{ attempt: 2, attempt_open: true }]);
  });

  it('ends a delivery that cannot be read, and goes on with the others', async () => {
    const [id] = await messaging.send(to('torn@example.com'));
    await messaging.waitForStatus(id!, 'DELIVERED');
    await messaging.stop();
    const uuid = messageIdToUuid(id!);
    await messaging.rows(`update messaging.history set events = '[]' where message_id = $1 and number = 1`, [uuid]);
    await messaging.rows(
      `insert into messaging.deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at)
       values ($1, 0, $2, 'email', 'smtp', 1, false, clock_timestamp()),
              (gen_random_uuid(), 0, $2, 'email', 'smtp', 1, false, clock_timestamp())`,
      [uuid, messaging.workspaceId],
    );

    await messaging.start();
    await waitUntil(async () => (await deliveries()).length === 0, { what: 'both to end' });

    expect(await messaging.statusOf(id!)).toBe('UNDELIVERABLE');
    const [after] = await messaging.send(to('after@example.com'));
    await messaging.waitForStatus(after!, 'DELIVERED');
  });

  it('finishes what is on the wire when the service stops', async () => {
    messaging.smtp.treat('last@example.com', { slowMs: 300 });
    await messaging.send(to('last@example.com'));
    await waitUntil(async () => (await deliveries()).length === 1);
    await messaging.stop();
    expect(await deliveries()).toEqual([]);
    expect(await messaging.rows(`select status from messaging.messages`)).toEqual([{ status: 'DELIVERED' }]);
  });

  it('writes what it knows when the database is back, and calls nobody twice', async () => {
    messaging.smtp.treat('*', { slowMs: 300 });
    const emails = Array.from({ length: 10 }, (_, n) => `cut${n}@example.com`);
    const ids = await messaging.send(...emails.map(to));
    await waitUntil(async () => (await deliveries()).length === emails.length);
    await messaging.withoutDatabase(async () => {
      await waitUntil(() => messaging.smtp.mails.length === emails.length, { what: 'the mails to arrive' });
    });
    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');
    expect([...messaging.smtp.copies().values()]).toEqual(emails.map(() => 1));
  });
});
