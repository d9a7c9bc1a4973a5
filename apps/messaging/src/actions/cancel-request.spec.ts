import '@tidings/testing/quiet';
import { randomUUID } from 'node:crypto';
import type { ServiceError } from '@tidings/contracts/core/errors';
import { bulk } from '@tidings/contracts/messaging/bulk';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { derivedMessageId, messageIdToUuid, newMessageId, uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { messageActions, type MessageDetails, messages } from '@tidings/contracts/messaging/messages';
import type { Target } from '@tidings/contracts/messaging/targets';
import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { MessageActionsHandlers } from './message-actions.handlers';
import { STEP_MESSAGES } from './request-cancellations';
import { ExpansionRunner } from '../expand/expansion.runner';
import { PAGE_SIZE } from '../expand/derive';
import { retryWhileUnavailable } from '../testing/retry-while-unavailable';
import { makeDue, untilMadeDue } from '../testing/make-due';
import { refusing } from '../testing/refusing';
import { Messaging } from '../testing/start-messaging';
import { storeMessages } from '../testing/stored-messages';

const READERS: Target[] = [{ kind: 'list', listId: 'readers' }];
const HOUR_MS = 3_600_000;

let messaging: Messaging;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start();
});
beforeEach(() => {
  messaging.members.clear();
  messaging.profiles.isUnavailable = false;
});
afterAll(() => messaging.end());

const cancel = (message_id: string, context = messaging.context): Promise<MessageDetails> =>
  retryWhileUnavailable(() => messaging.call(messageActions.cancel, { message_id }, context));
const retrieve = (message_id: string): Promise<MessageDetails> => messaging.call(messages.retrieve, { message_id });
const expansions = (): Promise<unknown[]> => messaging.rows('select from messaging.expansions');
const conflict = (record: object) => ({ code: 'conflict', hints: { shouldRetry: false, answer: record } });

/** Whether a call canceled something; if not, expects a conflict with the record. */
async function hasCanceled(id: string): Promise<boolean> {
  try {
    return (await cancel(id)).status === 'CANCELED';
  } catch (error) {
    const { code, hints } = error as ServiceError;
    expect({ code, ...hints }).toMatchObject({ code: 'conflict', shouldRetry: false, answer: { id } });
    return false;
  }
}

/** Ids of new users with a stored profile. */
function users(count: number): string[] {
  const prefix = randomUUID().slice(0, 8);
  const all = Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, '0')}`);
  for (const one of all) messaging.profiles.stored.set(one, { email: `${one}@example.com` });
  return all;
}

const named = (userId: string): Target => ({ kind: 'user', userId, recipient: userId, profile: {} });

async function send(targets: Target[], fields: Partial<MessageRequested> = {}): Promise<string> {
  const id = newMessageId(Date.now());
  await messaging.send({ mode: 'test', id, recipient: id, profile: {}, targets, ...fields });
  return id;
}

/** Messages of a request, by recipient. */
const derived = (id: string): Promise<{ id: string; recipient: string; status: string }[]> =>
  messaging.rows('select id, recipient, status from messaging.messages where request_id = $1 order by recipient', [messageIdToUuid(id)]);

/** A delayed send, once it has a message for each recipient. */
async function delayed(targets: Target[], count: number, fields: Partial<MessageRequested> = {}): Promise<string> {
  const id = await send(targets, { delay: untilMadeDue(), ...fields });
  await waitUntil(async () => (await derived(id)).length === count && (await expansions()).length === 0, { what: `${count} messages` });
  return id;
}

const waiting = async (id: string): Promise<number> => {
  const rows = (table: string) =>
    messaging.rows(
      `select from messaging.${table} where message_id = any(array(select id from messaging.messages where request_id = $1))`,
      [messageIdToUuid(id)],
    );
  return (await rows('open_messages')).length + (await rows('deliveries')).length;
};

/** Sends the messages of some recipients. */
async function sendTo(id: string, recipients: readonly string[]): Promise<void> {
  const sent = (await derived(id)).filter(({ recipient }) => recipients.includes(recipient)).map((one) => uuidToMessageId(one.id));
  await makeDue(messaging, sent);
  for (const one of sent) await messaging.waitForStatus(one, 'SIMULATED');
}

it('cancels a request whose messages are all delayed, with a record that counts them', async () => {
  messaging.members.subscribe('readers', users(3));
  const id = await delayed(READERS, 3, { tags: ['orders'], traceId: 'trace-7', event: 'shipped' });
  const before = Date.now();

  const record = await cancel(id);

  expect(record).toEqual({
    id,
    status: 'CANCELED',
    enqueued: expect.any(Number) as number,
    canceledAt: expect.any(Number) as number,
    recipient: 'list:readers',
    event: 'shipped',
    notification: '',
    tags: ['orders'],
    providers: [],
    canceled: 3,
    left: 0,
  });
  expect(record.canceledAt).toBeGreaterThanOrEqual(before);
  expect(await retrieve(id)).toEqual(record);
  expect(await messaging.historyTypes(id)).toEqual(['ENQUEUED', 'CANCELED']);
  const made = await derived(id);
  expect(made.map(({ status }) => status)).toEqual(['CANCELED', 'CANCELED', 'CANCELED']);
  expect(await messaging.historyTypes(uuidToMessageId(made[0]!.id))).toEqual(['ENQUEUED', 'DELAYED', 'CANCELED']);
  expect(await waiting(id)).toBe(0);
  await expect(cancel(id)).rejects.toMatchObject(conflict(record));
  await expect(messaging.call(messageActions.resend, { message_id: id })).rejects.toMatchObject({
    code: 'not_found',
    message: `${id} is a request to several, no message: it cannot be sent again`,
  });
});

it('cancels the messages that were not sent, and counts the others', async () => {
  const readers = users(5);
  messaging.members.subscribe('readers', readers);
  const id = await delayed(READERS, 5);
  await sendTo(id, readers.slice(0, 2));
  const alone = (await derived(id)).find(({ recipient }) => recipient === readers[2])!;
  await cancel(uuidToMessageId(alone.id));

  await expect(cancel(id)).resolves.toMatchObject({ status: 'CANCELED', canceled: 3, left: 2 });

  const statuses = (await derived(id)).map(({ status }) => status);
  expect(statuses).toEqual(['SIMULATED', 'SIMULATED', 'CANCELED', 'CANCELED', 'CANCELED']);
});

it('answers a conflict with the record, which is not stored, when all messages were sent', async () => {
  messaging.members.subscribe('readers', users(3));
  const id = await send(READERS);
  await waitUntil(async () => (await derived(id)).length === 3 && (await expansions()).length === 0, { what: 'the messages' });

  const record = { id, status: 'SENT', recipient: 'list:readers', event: '', notification: '', canceled: 0, left: 3 };
  await expect(cancel(id)).rejects.toMatchObject(conflict({ ...record, enqueued: expect.any(Number) as number }));
  await expect(cancel(id)).rejects.toMatchObject(conflict(record));

  await expect(retryWhileUnavailable(() => retrieve(id))).rejects.toMatchObject({ code: 'not_found' });
});

it('answers a conflict with the status of the last message when none was sent', async () => {
  messaging.members.subscribe('readers', users(2));
  const id = await send(READERS, { template: 'no-such-template' });
  await waitUntil(async () => (await derived(id)).length === 2 && (await expansions()).length === 0, { what: 'the messages' });

  await expect(cancel(id)).rejects.toMatchObject(
    conflict({
      id,
      status: 'UNMAPPED',
      canceled: 0,
      left: 2,
      message: expect.stringContaining('nothing left to cancel: 0 of its') as string,
    }),
  );
});

it.each<[string, (one: string, other: string) => Target[], string | undefined]>([
  ['a list', () => READERS, 'list:readers'],
  ['a pattern', () => [{ kind: 'pattern', pattern: 'read.*' }], 'pattern:read.*'],
  ['an audience', () => [{ kind: 'audience', audienceId: 'vip' }], 'audience:vip'],
  ['a tenant', () => [{ kind: 'tenant', tenantId: 'acme', includeChildren: false }], 'tenant:acme'],
  ['an array of users', (one, other) => [named(one), named(other)], undefined],
  ['an array of a list and an audience', (one) => [{ kind: 'audience', audienceId: 'one' }, named(one)], undefined],
])('names a request to %s by its target, or by its id', async (_, targetsOf, recipient) => {
  const [one, other] = users(2) as [string, string];
  for (const list of ['readers', 'read.all']) messaging.members.subscribe(list, [one, other]);
  messaging.members.audiences.set('vip', [one, other]).set('one', [other]);
  messaging.members.tenants.set(
    'acme',
    [one, other].map((user_id) => ({ user_id, tenant_id: 'acme' })),
  );
  const id = await delayed(targetsOf(one, other), 2);

  await expect(cancel(id)).resolves.toMatchObject({ status: 'CANCELED', recipient: recipient ?? id, canceled: 2, left: 0 });
});

it('cancels a request before its expansion, and it stays canceled when the log delivers it again', async () => {
  messaging.members.isUnavailable = true;
  const warnings = ['unknown field message.contnt'];
  const request = messaging.request({ targets: READERS, profile: {}, warnings });
  await messaging.append(request);
  await waitUntil(async () => (await messaging.rows('select from messaging.expansions')).length === 1, { what: 'the request' });

  const record = await cancel(request.id);

  expect(record).toMatchObject({ id: request.id, status: 'CANCELED', recipient: 'list:readers', canceled: 0, left: 0 });
  expect(await retrieve(request.id)).toEqual(record);
  const { results } = await messaging.call(messages.history, { message_id: request.id });
  expect(results).toMatchObject([{ type: 'ENQUEUED', warnings }, { type: 'CANCELED' }]);
  await expect(cancel(request.id)).rejects.toMatchObject({ code: 'conflict', hints: { answer: record } });

  messaging.members.isUnavailable = false;
  await messaging.get<ExpansionRunner>(ExpansionRunner).open([request]);
  await waitUntil(async () => (await messaging.rows('select from messaging.expansions')).length === 0, { what: 'it to be dropped' });
  expect(await retrieve(request.id)).toEqual(record);
});

it('cancels a request during its expansion: stored messages are not sent, the page in progress stores none', async () => {
  const readers = users(PAGE_SIZE + 50);
  messaging.members.subscribe('readers', readers);
  const [inPage, resume, loaded] = [latch(), latch(), latch()];
  messaging.members.onPage = (cursor) => {
    if (cursor !== String(PAGE_SIZE)) return undefined;
    inPage.open();
    return resume.opened;
  };
  const id = await send(READERS, { delay: untilMadeDue() });
  await inPage.opened;

  const record = await cancel(id);
  messaging.profiles.onLoad = () => loaded.open();
  resume.open();
  await loaded.opened;
  messaging.profiles.onLoad = () => undefined;
  await messaging.stop(); // waits for the page
  await messaging.start();

  expect(record).toMatchObject({ status: 'CANCELED', recipient: 'list:readers', canceled: PAGE_SIZE, left: 0 });
  const made = await derived(id);
  expect(made.map(({ recipient }) => recipient)).toEqual(readers.slice(0, PAGE_SIZE));
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set(['CANCELED']));
  expect(await retrieve(id)).toEqual(record);
});

it('answers 404 for the id of a bulk job, whose run goes on', async () => {
  messaging.profiles.isUnavailable = true;
  const { jobId } = await messaging.call(bulk.create, { message: { content: { title: 'Hello', body: 'there' } } });
  await messaging.call(bulk.add, { job_id: jobId, users: [{ recipient: 'ada', profile: { email: 'ada@example.com' } }] });
  await messaging.call(bulk.run, { job_id: jobId }, { ...messaging.context, mode: 'test' });
  const [{ request_id: run } = { request_id: '' }] = await messaging.rows<{ request_id: string }>(
    'select request_id from messaging.expansions',
  );

  await expect(cancel(uuidToMessageId(run))).rejects.toMatchObject({ code: 'not_found' });

  messaging.profiles.isUnavailable = false;
  await waitUntil(async () => (await messaging.call(bulk.retrieve, { job_id: jobId })).job.status === 'COMPLETED', { what: 'the run' });
  await expect(cancel(jobId)).rejects.toMatchObject({ code: 'not_found' });
});

describe('many messages', () => {
  const COUNT = 2 * STEP_MESSAGES + 50;

  /** A request with delayed messages, some of them archived. */
  async function requested(): Promise<{ id: string; last: string }> {
    const at = Date.now() - HOUR_MS;
    const request = newMessageId(at);
    const rows = Array.from({ length: COUNT }, (_, n) => ({
      id: derivedMessageId(request, 0, `user-${n}`),
      at,
      request,
      recipient: `user-${n}`,
      status: 'DELAYED' as const,
      list_id: 'readers',
      archived: n % 7 === 0,
    }));
    await storeMessages(messaging, rows);
    const ids = rows.map(({ id }) => messageIdToUuid(id)!).sort();
    return { id: request, last: ids.at(-1)! };
  }
  const statuses = async (id: string): Promise<string[]> => [...new Set((await derived(id)).map(({ status }) => status))];

  it('are canceled in steps, each once, including archived ones', async () => {
    const { id } = await requested();

    await expect(cancel(id)).resolves.toMatchObject({ recipient: 'list:readers', canceled: COUNT, left: 0 });

    expect(await statuses(id)).toEqual(['CANCELED']);
  });

  it('are all canceled by a second call when the first one failed between two steps', async () => {
    const { id, last } = await requested();
    const allow = await refusing(messaging, { table: 'messages', on: 'update', condition: `new.id = '${last}'` });
    await expect(cancel(id)).rejects.toMatchObject({ code: 'internal' });
    expect((await statuses(id)).sort()).toEqual(['CANCELED', 'DELAYED']);
    await expect(retrieve(id)).resolves.toMatchObject({ status: 'CANCELED', canceled: 2 * STEP_MESSAGES, left: 0 });
    await allow();

    await expect(cancel(id)).resolves.toMatchObject({ canceled: COUNT, left: 0 });

    await expect(cancel(id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await statuses(id)).toEqual(['CANCELED']);
  });

  it('are all canceled after a restart, without another call', async () => {
    const { id, last } = await requested();
    const allow = await refusing(messaging, { table: 'messages', on: 'update', condition: `new.id = '${last}'` });
    await expect(cancel(id)).rejects.toMatchObject({ code: 'internal' });
    await allow();
    await messaging.stop();
    await messaging.rows('update messaging.request_cancellations set due_at = now()');
    await messaging.start();

    await waitUntil(async () => (await statuses(id)).length === 1, { what: 'the others' });

    await waitUntil(async () => (await retrieve(id)).canceled === COUNT, { what: 'the count' });
    await expect(cancel(id)).rejects.toMatchObject({ code: 'conflict', hints: { answer: { canceled: COUNT, left: 0 } } });
  });
});

it('answers a call that a transport delivers twice with the same record', async () => {
  messaging.members.subscribe('readers', users(2));
  const id = await delayed(READERS, 2);
  const handlers = messaging.get<MessageActionsHandlers>(MessageActionsHandlers);
  const context = { ...messaging.context, deliveryId: randomUUID() };

  const first = await retryWhileUnavailable(() => handlers.cancel(context, { message_id: id }));

  await expect(handlers.cancel(context, { message_id: id })).resolves.toEqual(first);
  // Its first delivery ended before its answer was recorded.
  await messaging.rows('delete from messaging.call_journal');
  await expect(handlers.cancel(context, { message_id: id })).resolves.toEqual(first);
});

it('cancels a message that becomes due now or counts it as sent, never both, under concurrent calls', async () => {
  const readers = users(60);
  messaging.members.subscribe('readers', readers);
  const id = await delayed(READERS, 60, { mode: 'production' });
  await makeDue(
    messaging,
    (await derived(id)).map((one) => uuidToMessageId(one.id)),
    30,
  );

  const results = await Promise.all(Array.from({ length: 10 }, () => hasCanceled(id)));
  await waitUntil(async () => (await waiting(id)) === 0, { what: 'the others' });

  const made = await derived(id);
  for (const { recipient, status } of made) {
    const sent = messaging.smtp.mailsTo(`${recipient}@example.com`).length;
    expect([recipient, status, sent]).toEqual([recipient, ...(sent === 0 ? ['CANCELED', 0] : ['DELIVERED', 1])]);
  }
  const canceled = made.filter(({ status }) => status === 'CANCELED').length;
  const counts = { canceled, left: 60 - canceled };
  await expect(cancel(id)).rejects.toMatchObject({ code: 'conflict', hints: { answer: counts } });
  expect(results.includes(true)).toBe(canceled > 0);
});

const requests = new Map<string, string>();
describeWorkspaceIsolation('A request', {
  arrange: async ({ workspaceId }) => {
    const request = newMessageId(Date.now() - HOUR_MS);
    const id = derivedMessageId(request, 0, 'ada');
    await storeMessages(messaging, [{ id, request, workspace_id: workspaceId, at: Date.now() - HOUR_MS, status: 'DELAYED' }]);
    requests.set('id', request);
  },
  read: (owner) => messaging.call(messages.list, {}, { ...owner, callId: randomUUID() }),
  attempts: { canceling: { attempt: (stranger) => cancel(requests.get('id')!, stranger), refusedWith: 'not_found' } },
});
