import { Logger } from '@nestjs/common';
import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { messages } from '@tidings/contracts/messaging/messages';
import { EVERYBODY } from '@tidings/testing/capturing-smtp';
import { type Gate, gate } from '@tidings/testing/gate';
import { waitUntil } from '@tidings/testing/wait-until';
import { leaseRenewed, RENEWALS } from '../testing/lease-renewed';
import { Messaging, RENEWING_OFTEN } from '../testing/start-messaging';
import { Dispatcher, OPEN_ATTEMPTS_MAX } from './dispatcher';
/** No call ends before it is answered, however long this process stands still. */
const LONG_CALLS = '?timeout=60000';
/** Of servers that never answer. */
const SHORT_CALLS = '?timeout=500';

interface DeliveryRow {
  message_id: string;
  attempt: number;
  attempt_open: boolean;
  due_at: Date;
}

describe('delivery', () => {
  let messaging: Messaging;
  /** Answers of mail servers that are held until it is opened. */
  let held: Gate;

  beforeAll(async () => {
    messaging = await Messaging.create();
  });

  beforeEach(async () => {
    held = gate();
    await messaging.start(LONG_CALLS);
  });

  afterEach(async () => {
    held.open();
    jest.restoreAllMocks();
    await messaging.stop(); // which waits for the calls on the wire
    messaging.smtp.reset();
    await messaging.rows('truncate messaging.deliveries, messaging.open_messages, messaging.messages, messaging.history');
  });

  afterAll(() => messaging.end());

  const to = (email: string) => ({ recipient: email, profile: { email } });
  const deliveries = (): Promise<DeliveryRow[]> =>
    messaging.rows('select message_id, attempt, attempt_open, due_at from messaging.deliveries');
  const hold = (recipient: string): void => messaging.smtp.treat(recipient, { heldUntil: held.passed });
  const shortCalls = async (): Promise<void> => {
    await messaging.stop();
    await messaging.start(SHORT_CALLS);
  };

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

  it('ends at a stored address that is none, and record and history say so in the same words', async () => {
    messaging.profiles.stored.set('typo', { email: 'ada@' });
    const [id] = await messaging.send({ userId: 'typo', recipient: 'typo', profile: {} });

    await messaging.waitForStatus(id!, 'UNDELIVERABLE');

    const error = 'The address "ada@" of profile.email is no e-mail address';
    expect(await messaging.call(messages.retrieve, { message_id: id! })).toMatchObject({ reason: 'BOUNCED', error });
    const { results } = await messaging.call(messages.history, { message_id: id!, type: 'UNDELIVERABLE' });
    expect(results).toMatchObject([{ reason: 'BOUNCED', reasonCode: 'HARD', error_message: error }]);
  });

  it('repeats a call that is cut off before the answer, under the same Message-ID', async () => {
    messaging.smtp.treat('lost@example.com', { dropFirst: 1 });
    const [id] = await messaging.send(to('lost@example.com'));

    await messaging.waitForStatus(id!, 'DELIVERED');

    expect([...messaging.smtp.copies().values()]).toEqual([2]);
  });

  it('repeats a call that is never answered, under the same Message-ID', async () => {
    await shortCalls();
    messaging.smtp.treat('lost@example.com', { hang: true });
    const [id] = await messaging.send(to('lost@example.com'));

    await messaging.smtp.waitForMailsTo('lost@example.com');
    messaging.smtp.treat('lost@example.com', {});
    await messaging.waitForStatus(id!, 'DELIVERED');

    const [copies, ...others] = messaging.smtp.copies().values();
    expect(copies).toBeGreaterThanOrEqual(2); // a call may end before an answer that came late
    expect(others).toEqual([]);
  });

  it('of one recipient is not held up by a server that hangs for others', async () => {
    await shortCalls();
    const hanging = Array.from({ length: 30 }, (_, n) => `hang${n}@example.com`);
    for (const email of hanging) messaging.smtp.treat(email, { hang: true });
    await messaging.send(...hanging.map(to));
    const [id] = await messaging.send(to('fine@example.com'));
    await messaging.waitForStatus(id!, 'DELIVERED');
  });

  it('goes on for others while a server does not answer for some, who get theirs as soon as it does', async () => {
    const stuck = Array.from({ length: 5 }, (_, n) => `stuck${n}@example.com`);
    for (const email of stuck) hold(email);
    const stuckIds = await messaging.send(...stuck.map(to));
    await Promise.all(stuck.map((email) => messaging.smtp.waitForMailsTo(email)));

    const ids = await messaging.send(...Array.from({ length: 50 }, (_, n) => to(`lucky${n}@example.com`)));
    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');

    for (const id of stuckIds) expect(await messaging.statusOf(id)).toBe('ROUTED');
    held.open();
    for (const id of stuckIds) await messaging.waitForStatus(id, 'DELIVERED');
    expect(Math.max(...messaging.smtp.copies().values())).toBe(1);
  });

  it('puts off every mail as often as the server does, and delivers it once', async () => {
    const emails = Array.from({ length: 20 }, (_, n) => `patient${n}@example.com`);
    messaging.smtp.treat(EVERYBODY, { deferFirst: emails.length });
    const ids = await messaging.send(...emails.map(to));

    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');

    expect(emails.map((email) => messaging.smtp.mailsTo(email).length)).toEqual(emails.map(() => 1));
    expect(messaging.smtp.arrivals).toHaveLength(2 * emails.length);
  });

  it('beyond what one process has open waits in the table and is delivered from there', async () => {
    hold(EVERYBODY);
    const emails = Array.from({ length: OPEN_ATTEMPTS_MAX + 100 }, (_, n) => `many${n}@example.com`);
    const ids = await messaging.send(...emails.map(to));
    await waitUntil(async () => (await deliveries()).some(({ attempt }) => attempt === 0), { what: 'some to wait' });
    held.open();

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
       values ($1, 0, $2, 'email', 'smtp', 1, true, clock_timestamp() + interval '100 milliseconds')`,
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
    await messaging.start(LONG_CALLS, { workTimes: RENEWING_OFTEN });
    hold('slow@example.com');
    const [id] = await messaging.send(to('slow@example.com'));
    await messaging.smtp.waitForMailsTo('slow@example.com');

    for (let times = 0; times < RENEWALS; times += 1) await leaseRenewed(messaging, 'deliveries');
    held.open();
    await messaging.waitForStatus(id!, 'DELIVERED');

    expect([...messaging.smtp.copies().values()]).toEqual([1]);
  });

  it('counts an outcome only under the lease that made it', async () => {
    hold('taken@example.com');
    await messaging.send(to('taken@example.com'));
    await messaging.smtp.waitForMailsTo('taken@example.com');
    // Another process has taken it over meanwhile.
    await messaging.rows(`update messaging.deliveries set attempt = attempt + 1, due_at = clock_timestamp() + interval '1 hour'`);
    held.open();
    await messaging.stop(); // the outcome is known

    expect(await messaging.rows('select status from messaging.messages')).toEqual([{ status: 'ROUTED' }]);
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
    hold('last@example.com');
    await messaging.send(to('last@example.com'));
    await messaging.smtp.waitForMailsTo('last@example.com');

    const stopping = jest.spyOn(Dispatcher.prototype, 'stop');
    const stopped = messaging.stop();
    await waitUntil(() => stopping.mock.results.length > 0, { what: 'the calls to be waited for' });
    const stop = stopping.mock.results[0]!.value as Promise<void>;
    stopping.mockRestore();
    let isOver = false;
    void stop.then(() => (isOver = true));
    expect(await deliveries()).toHaveLength(1);
    expect(isOver).toBe(false);
    held.open();
    await stopped;

    expect(await deliveries()).toEqual([]);
    expect(await messaging.rows(`select status from messaging.messages`)).toEqual([{ status: 'DELIVERED' }]);
  });

  it('writes what it knows when the database is back, and calls nobody twice', async () => {
    hold(EVERYBODY);
    const emails = Array.from({ length: 10 }, (_, n) => `cut${n}@example.com`);
    const ids = await messaging.send(...emails.map(to));
    await waitUntil(() => messaging.smtp.mails.length === emails.length, { what: 'the mails to arrive' });
    const said = jest.spyOn(Logger.prototype, 'warn');
    await messaging.withoutDatabase(async () => {
      held.open();
      await waitUntil(() => said.mock.calls.some(([line]) => String(line).startsWith('Outcomes of')), { what: 'outcomes to wait' });
    });
    said.mockRestore();
    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');
    expect([...messaging.smtp.copies().values()]).toEqual(emails.map(() => 1));
  });
});
