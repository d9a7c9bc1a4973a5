import '@tidings/testing/quiet';
import { randomUUID } from 'node:crypto';
import { bulk } from '@tidings/contracts/messaging/bulk';
import { type ErasedMessages, erasureTraces, messagingErasure } from '@tidings/contracts/messaging/erasure';
import { type MessageRequested, messageRequested, messageStatus } from '@tidings/contracts/messaging/events';
import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { type ProviderEventReported, providerEventReported } from '@tidings/contracts/messaging/provider-events';
import { messageActions, messages } from '@tidings/contracts/messaging/messages';
import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import { UnstoredMessages } from '../record/unstored-messages';
import { StepWriter } from '../deliver/step-writer';
import { Messaging } from '../testing/start-messaging';
import { storeMessages } from '../testing/stored-messages';
import { tablesWith } from '../testing/tables-with';
import { TopicReaders } from '../testing/topic-readers';
import { ERASED } from '../record/erased';
import { STEP_MESSAGES } from './erasure.handlers';
const HOUR_MS = 3_600_000;
const STEPS_MAX = 50;
/** Occurs in all data of the user, and nowhere else. */
const NAME = 'Lovelace';
const EMAIL = 'lovelace@example.com';

let messaging: Messaging;
let readers: TopicReaders;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start('', { publishHistory: true });
  readers = await TopicReaders.on(messaging.log);
});
afterAll(() => messaging.end());

const step = (user_id: string, accepted_up_to?: number): Promise<ErasedMessages> =>
  messaging.call(messagingErasure.erase, { user_id, accepted_up_to });

/** Repeats the steps until nothing is left; resolves with the sums of their counts. `time`: `accepted_up_to` of an earlier step. */
async function erase(user: string, time?: number): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const { done, removed, accepted_up_to } = await step(user, time);
    time = accepted_up_to;
    for (const [what, count] of Object.entries(removed)) sums[what] = (sums[what] ?? 0) + count;
    if (done) return sums;
  }
  throw new Error(`${user} is not erased after ${STEPS_MAX} steps`);
}

const about = (userId: string) => ({
  userId,
  recipient: userId,
  profile: { email: EMAIL, name: NAME },
  data: { name: NAME, order: 'A-17' },
  tags: [`for ${NAME}`],
  traceId: `trace of ${NAME}`,
  idempotencyKey: `key of ${NAME}`,
});

it('removes every name and content of the user, and leaves the status of each message', async () => {
  messaging.profiles.stored.set('ada-1', { nickname: `${NAME}y` });
  messaging.smtp.treat('refused-lovelace@example.com', { refuse: true });
  const [delivered, refused] = await messaging.send(about('ada-1'), {
    ...about('ada-1'),
    profile: { email: 'refused-lovelace@example.com' },
  });
  await messaging.waitForStatus(delivered!, 'DELIVERED');
  await messaging.waitForStatus(refused!, 'UNDELIVERABLE');
  const types = await messaging.historyTypes(delivered!);
  expect((await tablesWith(messaging, NAME)).length).toBeGreaterThan(0);
  const [other] = await messaging.send();
  await messaging.waitForStatus(other!, 'DELIVERED');
  const others = await messaging.call(messages.history, { message_id: other! });

  expect(await erase('ada-1')).toMatchObject({ requests: 0, canceled: 0, messages: 2 });

  expect(await tablesWith(messaging, NAME)).toEqual([]);
  expect(await tablesWith(messaging, 'ada-1')).toEqual([]);
  const record = await messaging.call(messages.retrieve, { message_id: delivered! });
  expect(record).toMatchObject({
    id: delivered,
    status: 'DELIVERED',
    recipient: ERASED,
    providers: [{ provider: 'smtp', status: 'DELIVERED' }],
  });
  expect(await messaging.historyTypes(delivered!)).toEqual(types);
  expect((await messaging.call(messages.output, { message_id: delivered! })).results).toMatchObject([
    { content: { subject: '', html: '' } },
  ]);
  await expect(messaging.call(messageActions.resend, { message_id: delivered! })).rejects.toMatchObject({ code: 'not_found' });
  expect(await messaging.call(messages.history, { message_id: other! })).toEqual(others);
});

it('deletes the records from their topic, and publishes the history again without the name', async () => {
  const [id] = await messaging.send(about('ada-2'));
  await messaging.waitForStatus(id!, 'DELIVERED');
  const key = `${messaging.workspaceId}:${id}`;
  const last = () => readers.statuses.findLast((record) => record.key === key);
  await waitUntil(() => last()?.payload?.message.status === 'DELIVERED', { what: 'the record' });
  await waitUntil(() => readers.eventsOf(id!).some(({ type }) => type === 'DELIVERED'), { what: 'the history' });
  const published = readers.history.length;

  await erase('ada-2');

  await waitUntil(() => last()?.payload === null, { what: messageStatus.topic });
  const later = () => readers.history.slice(published);
  await waitUntil(() => later().some(({ payload }) => payload!.messageId === id), { what: 'the history to be published again' });
  expect(JSON.stringify(later())).not.toContain(NAME);
  expect(last()!.payload).toBeNull();
});

it('cancels waiting messages, and sends no more', async () => {
  messaging.smtp.treat('later-lovelace@example.com', { deferFirst: Infinity });
  const [delayed, retried] = await messaging.send(
    { ...about('ada-3'), delay: { untilMs: Date.now() + HOUR_MS } },
    { ...about('ada-3'), profile: { email: 'later-lovelace@example.com' } },
  );
  await messaging.waitForStatus(delayed!, 'DELAYED');
  const attempts = 'select from messaging.deliveries where message_id = $1 and attempt > 0 and not attempt_open';
  await waitUntil(async () => (await messaging.rows(attempts, [messageIdToUuid(retried!)])).length === 1, { what: 'an attempt' });

  expect(await erase('ada-3')).toMatchObject({ requests: 0, canceled: 2, messages: 2 });

  for (const id of [delayed!, retried!]) {
    expect(await messaging.call(messages.retrieve, { message_id: id })).toMatchObject({ status: 'CANCELED', recipient: ERASED });
    for (const table of ['deliveries', 'open_messages']) {
      expect(await messaging.rows(`select from messaging.${table} where message_id = $1`, [messageIdToUuid(id)])).toEqual([]);
    }
  }
  expect(await tablesWith(messaging, NAME)).toEqual([]);
});

it('erases in steps, and changes nothing when it is repeated', async () => {
  await storeMessages(
    messaging,
    Array.from({ length: 2 * STEP_MESSAGES + 5 }, () => ({ recipient: 'ada-4', at: Date.now() - HOUR_MS })),
  );
  expect(await step('ada-4')).toMatchObject({ done: false, removed: { canceled: 0, messages: STEP_MESSAGES } });
  expect(await erase('ada-4')).toMatchObject({ messages: STEP_MESSAGES + 5 });
  expect(await step('ada-4')).toEqual({
    done: true,
    removed: { requests: 0, bulk_users: 0, canceled: 0, messages: 0, suppressions: 0 },
    accepted_up_to: expect.any(Number) as number,
  });
});

it('erases messages that were accepted before it and are not stored yet', async () => {
  await messaging.append(messaging.request(about('ada-5')));
  expect(await erase('ada-5')).toMatchObject({ messages: 1 });
  expect(await tablesWith(messaging, NAME)).toEqual([]);
});

it('waits for requests that were accepted before its first step, and for no later ones', async () => {
  const [loading, older, later] = [latch(), latch(), latch()];
  let next = older;
  messaging.profiles.onLoad = () => {
    loading.open();
    return next.opened;
  };
  await messaging.append(messaging.request(about('ada-10')));
  await loading.opened;
  await storeMessages(messaging, [{ recipient: 'ada-10', at: Date.now() - HOUR_MS }]);
  const { done, accepted_up_to } = await step('ada-10');
  expect(done).toBe(false);
  next = later;
  const [other] = await messaging.send({ userId: 'grace', recipient: 'grace' });
  older.open();

  expect(await erase('ada-10', accepted_up_to)).toMatchObject({ messages: 1 });

  expect(await tablesWith(messaging, NAME)).toEqual([]);
  expect(await messaging.rows('select from messaging.messages where id = $1', [messageIdToUuid(other!)])).toEqual([]);
  messaging.profiles.onLoad = () => undefined;
  later.open();
  await messaging.waitForStatus(other!, 'DELIVERED');
});

it('erases the user from a request in expansion', async () => {
  messaging.members.isUnavailable = true;
  const named = (recipient: string, name: string) => ({ kind: 'user' as const, recipient, userId: recipient, profile: { name } });
  const users = [named('ada-6', NAME), named('grace', 'Grace')];
  const request = messaging.request({ targets: [{ kind: 'list', listId: 'readers' }, ...users], recipient: 'the request', profile: {} });
  messaging.members.isUnavailable = true; // the expansion waits
  await messaging.append(request);
  await waitUntil(async () => (await messaging.rows('select from messaging.expansions')).length === 1, { what: 'the request' });

  expect(await erase('ada-6')).toMatchObject({ requests: 1 });

  expect(await tablesWith(messaging, NAME)).toEqual([]);
  await expect(messaging.call(messageActions.cancel, { message_id: request.id })).resolves.toMatchObject({ status: 'CANCELED' });
  messaging.members.isUnavailable = false;
});

describe('in bulk jobs', () => {
  const job = async (job_id: string) => (await messaging.call(bulk.retrieve, { job_id })).job;
  const run = (job_id: string) => messaging.call(bulk.run, { job_id }, { ...messaging.context, mode: 'test' });
  const completed = (job_id: string) =>
    waitUntil(async () => (await job(job_id)).status === 'COMPLETED', { what: `job ${job_id} to end`, timeoutMs: 60_000 });
  const entry = (recipient: string, name: string) => ({ recipient, profile: { email: `${recipient}@example.com`, name }, data: { name } });

  /** A job with the user between two others. */
  async function prepare(recipient: string): Promise<string> {
    const { jobId } = await messaging.call(bulk.create, { message: { content: { title: 'Hello {name}', body: 'there' } } });
    const users = [entry('grace', 'Grace'), entry(recipient, NAME), entry('alan', 'Alan')];
    await messaging.call(bulk.add, { job_id: jobId, users });
    return jobId;
  }

  it('erases the user from jobs in any state, whose counts stay correct', async () => {
    const [done, waiting] = [await prepare('ada-8'), await prepare('ada-8')];
    await run(done);
    await completed(done);

    expect(await erase('ada-8')).toMatchObject({ bulk_users: 2, messages: 1 });

    expect(await tablesWith(messaging, NAME)).toEqual([]);
    expect(await tablesWith(messaging, 'ada-8')).toEqual([]);
    expect(await job(done)).toMatchObject({ received: 3, enqueued: 3, failures: 0, status: 'COMPLETED' });
    expect(await job(waiting)).toMatchObject({ received: 3, enqueued: 0, failures: 1, status: 'CREATED' });
    const { items } = await messaging.call(bulk.users, { job_id: waiting });
    expect(items).toMatchObject([{ status: 'PENDING' }, { status: 'ERROR', error: 'The user was erased' }, { status: 'PENDING' }]);
    await run(waiting);
    await completed(waiting);
    expect(await job(waiting)).toMatchObject({ received: 3, enqueued: 2, failures: 1 });
    expect(await tablesWith(messaging, 'ada-8')).toEqual([]);
  });

  it('does not wait for pages: a page that has found the user stores nothing of them afterwards', async () => {
    const id = await prepare('ada-9');
    let [isLoading, resume] = [false, (): void => undefined];
    messaging.profiles.onLoad = () => {
      messaging.profiles.onLoad = () => undefined;
      isLoading = true;
      return new Promise<void>((resolve) => (resume = resolve));
    };
    await run(id);
    await waitUntil(() => isLoading, { what: 'the page' });

    expect(await erase('ada-9')).toMatchObject({ bulk_users: 1, messages: 0 });
    resume();
    await completed(id);

    expect(await tablesWith(messaging, 'ada-9')).toEqual([]);
    expect(await tablesWith(messaging, NAME)).toEqual([]);
    expect(await job(id)).toMatchObject({ received: 3, enqueued: 2, failures: 1 });
  });
});

it("leaves another workspace's user of the same name alone", async () => {
  const workspace_id = randomUUID();
  const [id] = await storeMessages(messaging, [{ workspace_id, recipient: 'ada-7', at: Date.now() - HOUR_MS }]);
  await erase('ada-7');
  const stranger = { ...messaging.context, workspaceId: workspace_id };
  await expect(messaging.call(messages.retrieve, { message_id: id! }, stranger)).resolves.toMatchObject({ recipient: 'ada-7' });
});

describe('of the traces of a user', () => {
  it('finds the messages to others that went to an address as cc or bcc, and changes none', async () => {
    const copy = (fields: Record<string, string>): Partial<MessageRequested> => ({ channels: { email: { override: fields } } });
    const [cc, bcc, mentioned] = await messaging.send(copy({ cc: `Ada <${EMAIL.toUpperCase()}>, bob@example.com` }), copy({ bcc: EMAIL }), {
      data: { text: `cc ${EMAIL}`, email: EMAIL },
    });
    for (const id of [cc, bcc, mentioned]) await messaging.waitForStatus(id!, 'DELIVERED');
    const history = await messaging.call(messages.history, { message_id: cc! });

    const { message_ids, next } = await messaging.call(erasureTraces.copies, { addresses: [EMAIL] });

    expect({ message_ids: [...message_ids].sort(), next }).toEqual({ message_ids: [cc, bcc].sort(), next: undefined });
    expect(await messaging.call(messages.history, { message_id: cc! })).toEqual(history);
    expect((await messaging.call(erasureTraces.copies, { addresses: ['ob@example.com'] })).message_ids).toEqual([]);
  });

  it('removes the accepted sends of the user from the log', async () => {
    const [id] = await messaging.send({ ...about('ada-11'), tags: [] });
    await messaging.waitForStatus(id!, 'DELIVERED');
    await erase('ada-11');
    const named = () =>
      messaging.rows(
        `select from events.records r join events.topics t on t.id = r.topic_id where t.name = $1 and strpos(r.payload, '${NAME}') > 0`,
        [messageRequested.topic],
      );
    const before = (await named()).length;
    expect(before).toBeGreaterThan(0);

    const { done, removed } = await messaging.call(erasureTraces.log, { user_id: 'ada-11' });

    expect([done, removed.records]).toEqual([true, expect.any(Number)]);
    expect(await named()).toHaveLength(before - 1);
  });

  it('removes what providers reported of messages to the user, by message or by reference', async () => {
    const [erased, other] = await messaging.send(about('ada-13'), {});
    for (const id of [erased!, other!]) await messaging.waitForStatus(id, 'DELIVERED');
    const { workspaceId } = messaging;
    await messaging.rows(`insert into messaging.provider_callbacks (workspace_id, configuration_id, secrets) values ($1, 'prv_1', '')`, [
      workspaceId,
    ]);
    await messaging.rows(
      `insert into messaging.provider_references (workspace_id, configuration_id, reference, message_id) values ($1, 'prv_1', 'r-1', $2)`,
      [workspaceId, messageIdToUuid(erased!)],
    );
    const events = [erased!, other!, 'r-1', 'r-2'].map((subject): ProviderEventReported => {
      const of = { provider: 'whatsapp', configurationId: 'prv_1', kind: 'COMPLAINED', at: Date.now() } as const;
      return {
        workspaceId,
        subject,
        eventId: randomUUID(),
        ...of,
        ...(subject.startsWith('r-') ? { reference: subject } : { messageId: subject }),
      };
    });
    await messaging.log.append(
      providerEventReported,
      events.map((payload) => ({ id: payload.eventId, payload })),
    );
    await erase('ada-13');

    await messaging.call(erasureTraces.log, { user_id: 'ada-13' });

    const left = await messaging.rows<{ key: string }>(
      'select r.key from events.records r join events.topics t on t.id = r.topic_id where t.name = $1 order by r.position',
      [providerEventReported.topic],
    );
    expect(left.map(({ key }) => key)).toEqual([`${workspaceId}:${other!}`, `${workspaceId}:r-2`]);
  });

  it('counts the answers under Idempotency-Keys that name the user, with their end', async () => {
    const insert = `insert into messaging.idempotency_keys (workspace_id, id, call_id, leased_until, expires_at, outcome)
      select $1, name, 'c', now(), now() + interval '1 day', outcome
      from (values ('ada', '{"value":{"recipient":"ada-12"}}'), ('other', '{"value":{"recipient":"bob","ada-12":1}}')) as one (name, outcome)`;
    await messaging.rows(insert, [messaging.workspaceId]);

    const { remaining } = await messaging.call(erasureTraces.remaining, { user_id: 'ada-12' });

    expect(remaining).toEqual([
      { what: 'answers under Idempotency-Keys', count: 1, until: expect.stringMatching(/^\d{4}-.*Z$/) as string },
    ]);
  });
});

it('refuses the user id that stands for erased users', async () => {
  await expect(step(ERASED)).rejects.toMatchObject({ code: 'invalid_request' });
});

it('of a user who is called now waits for the message, though the lock of its page is lost', async () => {
  const [answer, hold] = [latch(), latch()];
  messaging.smtp.treat('called-lovelace@example.com', { answerAfter: answer.opened });
  const store = StepWriter.prototype.store;
  jest.spyOn(StepWriter.prototype, 'store').mockImplementation(async function (this: StepWriter, ...values) {
    await hold.opened;
    return store.apply(this, values);
  });
  messaging.profiles.stored.set('called', { email: 'called-lovelace@example.com', name: NAME });
  messaging.members.subscribe('called-now', ['called']);
  await messaging.send({ recipient: 'called-now', profile: {}, targets: [{ kind: 'list', listId: 'called-now' }] });
  await waitUntil(() => messaging.smtp.arrivals.some(({ envelope }) => envelope.to.includes('called-lovelace@example.com')));
  // The page is not repeated meanwhile.
  messaging.members.isUnavailable = true;
  await messaging.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`,
  );

  const unstored = messaging.get<UnstoredMessages>(UnstoredMessages);
  const waiting = jest.spyOn(unstored, 'stored');
  const erasing = erase('called');
  await Promise.race([erasing, waitUntil(() => waiting.mock.calls.length > 0, { what: 'the wait for the message' })]);
  answer.open();
  hold.open();

  await erasing;
  await unstored.stored();
  expect(await messaging.rows('select from messaging.messages where recipient = $1', ['called'])).toEqual([]);
  messaging.members.isUnavailable = false;
});
