import { Logger } from '@nestjs/common';
import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { messages } from '@tidings/contracts/messaging/messages';
import { WorkTimes } from '@tidings/jobs/work-times';
import { ANY_RECIPIENT } from '@tidings/testing/capturing-smtp';
import { type Latch, latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import { leaseRenewed, RENEWALS } from '../testing/lease-renewed';
import { Messaging, RENEWING_OFTEN } from '../testing/start-messaging';
import { Dispatcher, OPEN_ATTEMPTS_MAX } from './dispatcher';
/** Longer than any pause of this process, so that no call times out. */
const LONG_CALLS = '?timeout=60000';
const HOUR_MS = 3_600_000;
/** For servers that never answer. */
const SHORT_CALLS = '?timeout=500';
/** Calls that time out open the breaker; these last longer than it takes to route some messages on a busy machine. */
const SLOW_CALLS = '?timeout=2500';

interface DeliveryRow {
  message_id: string;
  attempt: number;
  attempt_open: boolean;
  due_at: Date;
}

describe('delivery', () => {
  let messaging: Messaging;
  /** Mail servers answer when it is opened. */
  let answers: Latch;

  beforeAll(async () => {
    messaging = await Messaging.create();
  });

  beforeEach(async () => {
    answers = latch();
    await messaging.start(LONG_CALLS);
  });

  afterEach(async () => {
    answers.open();
    jest.restoreAllMocks();
    await messaging.stop(); // waits for open calls
    messaging.smtp.reset();
    await messaging.rows('truncate messaging.deliveries, messaging.open_messages, messaging.messages, messaging.history');
  });

  afterAll(() => messaging.end());

  const to = (email: string) => ({ recipient: email, profile: { email } });
  const deliveries = (): Promise<DeliveryRow[]> =>
    messaging.rows('select message_id, attempt, attempt_open, due_at from messaging.deliveries');
  const delayAnswer = (recipient: string): void => messaging.smtp.treat(recipient, { answerAfter: answers.opened });
  const restart = async (calls: string): Promise<void> => {
    await messaging.stop();
    await messaging.start(calls);
  };

  it('retries a transient refusal; the history records only the success', async () => {
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
    messaging.smtp.treat('unknown@example.com', { refuse: true });
    const [id] = await messaging.send(to('unknown@example.com'));

    await messaging.waitForStatus(id!, 'UNDELIVERABLE');

    const record = await messaging.call(messages.retrieve, { message_id: id! });
    expect(record).toMatchObject({ reason: 'BOUNCED', error: expect.stringContaining('550') as string });
    const { results } = await messaging.call(messages.history, { message_id: id!, type: 'UNDELIVERABLE' });
    expect(results).toMatchObject([{ channel: { id: 'email' }, integration: { provider: 'smtp' }, reason: 'BOUNCED', reasonCode: 'HARD' }]);
    expect(await deliveries()).toEqual([]);
  });

  it('ends at an invalid stored address, with the same error in record and history', async () => {
    messaging.profiles.stored.set('typo', { email: 'ada@' });
    const [id] = await messaging.send({ userId: 'typo', recipient: 'typo', profile: {} });

    await messaging.waitForStatus(id!, 'UNDELIVERABLE');

    const error = 'The address "ada@" of profile.email is no e-mail address';
    expect(await messaging.call(messages.retrieve, { message_id: id! })).toMatchObject({ reason: 'BOUNCED', error });
    const { results } = await messaging.call(messages.history, { message_id: id!, type: 'UNDELIVERABLE' });
    expect(results).toMatchObject([{ reason: 'BOUNCED', reasonCode: 'HARD', error_message: error }]);
  });

  it('repeats a call whose connection closed before the answer, under the same Message-ID', async () => {
    messaging.smtp.treat('lost@example.com', { dropFirst: 1 });
    const [id] = await messaging.send(to('lost@example.com'));

    await messaging.waitForStatus(id!, 'DELIVERED');

    expect([...messaging.smtp.copies().values()]).toEqual([2]);
  });

  it('repeats a call that is never answered, under the same Message-ID', async () => {
    await restart(SHORT_CALLS);
    messaging.smtp.treat('lost@example.com', { neverAnswers: true });
    const [id] = await messaging.send(to('lost@example.com'));

    await messaging.smtp.waitForMailsTo('lost@example.com');
    messaging.smtp.treat('lost@example.com', {});
    await messaging.waitForStatus(id!, 'DELIVERED');

    const [copies, ...others] = messaging.smtp.copies().values();
    expect(copies).toBeGreaterThanOrEqual(2); // a call may end before an answer that came late
    expect(others).toEqual([]);
  });

  it('delivers to one recipient while the server never answers for others', async () => {
    await restart(SLOW_CALLS);
    const unanswered = Array.from({ length: 30 }, (_, n) => `unanswered${n}@example.com`);
    for (const email of unanswered) messaging.smtp.treat(email, { neverAnswers: true });
    await messaging.send(...unanswered.map(to));
    const [id] = await messaging.send(to('fine@example.com'));
    await messaging.waitForStatus(id!, 'DELIVERED');
  });

  it('delivers to others while a server does not answer for some, and to these once it answers', async () => {
    const stuck = Array.from({ length: 5 }, (_, n) => `stuck${n}@example.com`);
    for (const email of stuck) delayAnswer(email);
    const stuckIds = await messaging.send(...stuck.map(to));
    await Promise.all(stuck.map((email) => messaging.smtp.waitForMailsTo(email)));

    const ids = await messaging.send(...Array.from({ length: 50 }, (_, n) => to(`prompt${n}@example.com`)));
    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');

    for (const id of stuckIds) expect(await messaging.statusOf(id)).toBe('ROUTED');
    answers.open();
    for (const id of stuckIds) await messaging.waitForStatus(id, 'DELIVERED');
    expect(Math.max(...messaging.smtp.copies().values())).toBe(1);
  });

  it('retries every mail that the server defers, and delivers it once', async () => {
    const emails = Array.from({ length: 20 }, (_, n) => `deferred${n}@example.com`);
    messaging.smtp.treat(ANY_RECIPIENT, { deferFirst: emails.length });
    const ids = await messaging.send(...emails.map(to));

    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');

    expect(emails.map((email) => messaging.smtp.mailsTo(email).length)).toEqual(emails.map(() => 1));
    expect(messaging.smtp.arrivals).toHaveLength(2 * emails.length);
  });

  it('delivers from the table what exceeds the open attempts of one process', async () => {
    delayAnswer(ANY_RECIPIENT);
    const emails = Array.from({ length: OPEN_ATTEMPTS_MAX + 100 }, (_, n) => `many${n}@example.com`);
    const ids = await messaging.send(...emails.map(to));
    await waitUntil(async () => (await deliveries()).some(({ attempt }) => attempt === 0), { what: 'some to wait' });
    answers.open();

    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');

    expect(Math.max(...messaging.smtp.copies().values())).toBe(1);
  });

  it('wakes another process for what exceeds the open attempts of one', async () => {
    await messaging.stop();
    const workTimes = new WorkTimes({ pollMs: HOUR_MS });
    await messaging.start(LONG_CALLS, { workTimes });
    const other = await messaging.replica({ workTimes });
    delayAnswer(ANY_RECIPIENT);
    const count = OPEN_ATTEMPTS_MAX + 20;
    const ids = await messaging.send(...Array.from({ length: count }, (_, n) => to(`shared${n}@example.com`)));

    const attempted = async (): Promise<number> => (await deliveries()).filter(({ attempt }) => attempt === 1).length;
    try {
      await waitUntil(async () => (await attempted()) === count, { what: 'all to be attempted' });
      answers.open();
      for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');
    } finally {
      answers.open();
      await other.stop();
    }
    expect(Math.max(...messaging.smtp.copies().values())).toBe(1);
  });

  it('repeats an attempt that a process left open, once its lease has ended', async () => {
    const [id] = await messaging.send(to('orphan@example.com'));
    await messaging.waitForStatus(id!, 'DELIVERED');
    await messaging.stop();
    // The state after a kill between the call and the outcome.
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

  it('records DELIVERING for an attempt that two processes left open before they could record it', async () => {
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

  it('renews its lease while the call is open', async () => {
    await messaging.stop();
    await messaging.start(LONG_CALLS, { workTimes: RENEWING_OFTEN });
    delayAnswer('slow@example.com');
    const [id] = await messaging.send(to('slow@example.com'));
    await messaging.smtp.waitForMailsTo('slow@example.com');

    for (let renewals = 0; renewals < RENEWALS; renewals += 1) await leaseRenewed(messaging, 'deliveries');
    answers.open();
    await messaging.waitForStatus(id!, 'DELIVERED');

    expect([...messaging.smtp.copies().values()]).toEqual([1]);
  });

  it('drops an outcome whose lease another process has since', async () => {
    delayAnswer('reclaimed@example.com');
    await messaging.send(to('reclaimed@example.com'));
    await messaging.smtp.waitForMailsTo('reclaimed@example.com');
    await waitUntil(async () => (await deliveries()).length > 0, { what: 'the stored delivery' });
    // Another process leases it.
    await messaging.rows(`update messaging.deliveries set attempt = attempt + 1, due_at = clock_timestamp() + interval '1 hour'`);
    answers.open();
    await messaging.stop(); // the outcome is known

    expect(await messaging.rows('select status from messaging.messages')).toEqual([{ status: 'ROUTED' }]);
    expect(await deliveries()).toMatchObject([{ attempt: 2, attempt_open: true }]);
  });

  it('ends an inconsistent delivery and goes on with the others', async () => {
    const [id] = await messaging.send(to('inconsistent@example.com'));
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

  it('finishes open calls when the service stops', async () => {
    delayAnswer('last@example.com');
    await messaging.send(to('last@example.com'));
    await messaging.smtp.waitForMailsTo('last@example.com');

    const stopping = jest.spyOn(Dispatcher.prototype, 'stop');
    const stopped = messaging.stop();
    await waitUntil(() => stopping.mock.results.length > 0, { what: 'the stop of the dispatcher' });
    const stop = stopping.mock.results[0]!.value as Promise<void>;
    stopping.mockRestore();
    let isOver = false;
    void stop.then(() => (isOver = true));
    expect(await deliveries()).toHaveLength(1);
    expect(isOver).toBe(false);
    answers.open();
    await stopped;

    expect(await deliveries()).toEqual([]);
    expect(await messaging.rows(`select status from messaging.messages`)).toEqual([{ status: 'DELIVERED' }]);
  });

  it('writes outcomes when the database is back, and repeats no call', async () => {
    delayAnswer(ANY_RECIPIENT);
    const emails = Array.from({ length: 10 }, (_, n) => `cut${n}@example.com`);
    const ids = await messaging.send(...emails.map(to));
    await waitUntil(() => messaging.smtp.mails.length === emails.length, { what: 'the mails to arrive' });
    const warnings = jest.spyOn(Logger.prototype, 'warn');
    await messaging.withoutDatabase(async () => {
      answers.open();
      await waitUntil(() => warnings.mock.calls.some(([line]) => String(line).startsWith('Outcomes of')), { what: 'outcomes to wait' });
    });
    warnings.mockRestore();
    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');
    expect([...messaging.smtp.copies().values()]).toEqual(emails.map(() => 1));
  });
});
