import '@tidings/testing/quiet';
import { randomUUID } from 'node:crypto';
import { ServiceError } from '@tidings/contracts/core/errors';
import { messageIdToUuid, newMessageId, uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { messageActions, type MessageDetails, messages } from '@tidings/contracts/messaging/messages';
import { providers } from '@tidings/contracts/messaging/providers';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { whileLocked } from '@tidings/testing/while-locked';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { MessageActionsHandlers } from './message-actions.handlers';
import { Processor } from '../deliver/processor';
import { retryWhileUnavailable } from '../testing/retry-while-unavailable';
import { makeDue, untilMadeDue } from '../testing/make-due';
import { Messaging } from '../testing/start-messaging';
import { storeMessages } from '../testing/stored-messages';
const HOUR_MS = 3_600_000;
const PROFILE = { email: 'ada@example.com', phone_number: '+4915123456789' };

let messaging: Messaging;
let sms: CapturingHttp;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start();
  sms = await CapturingHttp.start();
  await messaging.call(providers.create, {
    provider: 'http',
    alias: 'texts',
    settings: { channel: 'sms', url: sms.url, secret: 'a secret of some length' },
  });
});
beforeEach(() => {
  sms.received.length = 0;
  sms.answer(200);
});
afterAll(async () => {
  await messaging.end();
  await sms.stop();
});

const cancel = (message_id: string, context = messaging.context): Promise<MessageDetails> =>
  messaging.call(messageActions.cancel, { message_id }, context);
const retrieve = (message_id: string): Promise<MessageDetails> => messaging.call(messages.retrieve, { message_id });

async function delayed(request: Parameters<Messaging['request']>[0] = {}): Promise<string> {
  const [id] = await messaging.send({ delay: untilMadeDue(), ...request });
  await messaging.waitForStatus(id!, 'DELAYED');
  return id!;
}

/** Whether the message was canceled; if not, expects a conflict with its record. Retries while that is unavailable, as clients do. */
async function wasCanceled(id: string): Promise<boolean> {
  const answered = async (): Promise<MessageDetails | ServiceError | undefined> => {
    const answer = await cancel(id).catch((error: ServiceError) => error);
    return answer instanceof ServiceError && answer.code === 'unavailable' ? undefined : answer;
  };
  const answer = await waitUntil(answered, { what: `an answer to canceling ${id}` });
  if (!(answer instanceof ServiceError)) return answer.status === 'CANCELED';
  expect({ code: answer.code, ...answer.hints }).toMatchObject({ code: 'conflict', shouldRetry: false, answer: { id } });
  return false;
}

/** Texts sent to a phone number. */
const textsTo = (phone: string): number => sms.received.filter(({ body }) => body.includes(phone)).length;
const phoneOf = (index: number): string => `+49151${String(10_000_000 + index)}`;
const waiting = async (id: string): Promise<number> => {
  const rows = (table: string) => messaging.rows(`select from messaging.${table} where message_id = $1`, [messageIdToUuid(id)]);
  return (await rows('open_messages')).length + (await rows('deliveries')).length;
};

it('cancels a delayed message and records the time', async () => {
  const id = await delayed();
  const before = Date.now();

  const record = await cancel(id);

  expect(record).toMatchObject({ id, status: 'CANCELED', recipient: 'ada', providers: [] });
  expect(record.canceledAt).toBeGreaterThanOrEqual(before);
  expect(record).toEqual(await retrieve(id));
  expect(await messaging.historyTypes(id)).toEqual(['ENQUEUED', 'DELAYED', 'CANCELED']);
  expect(await waiting(id)).toBe(0);
});

it('answers a second cancel with a conflict and the record', async () => {
  const id = await delayed();
  const record = await cancel(id);
  const message = `Message ${id} is canceled already, since ${new Date(record.canceledAt!).toISOString()}`;
  await expect(cancel(id)).rejects.toMatchObject({
    code: 'conflict',
    message,
    hints: { shouldRetry: false, answer: { ...record, message } },
  });
});

it('answers a call that a transport delivers twice with the same record', async () => {
  const id = await delayed();
  const handlers = messaging.get<MessageActionsHandlers>(MessageActionsHandlers);
  const context = { ...messaging.context, deliveryId: randomUUID() };

  const first = await handlers.cancel(context, { message_id: id });

  await expect(handlers.cancel(context, { message_id: id })).resolves.toEqual(first);
});

it('cancels once under concurrent calls', async () => {
  const id = await delayed();
  const results = await Promise.all(Array.from({ length: 50 }, () => wasCanceled(id)));
  expect(results.filter(Boolean)).toHaveLength(1);
  expect(await messaging.historyTypes(id)).toEqual(['ENQUEUED', 'DELAYED', 'CANCELED']);
});

it('answers a conflict when the message was sent, and changes nothing', async () => {
  const [id] = await messaging.send();
  await messaging.waitForStatus(id!, 'DELIVERED');
  const record = await retrieve(id!);

  const { results } = await messaging.call(messages.history, { message_id: id!, type: 'DELIVERING' });
  const at = new Date(results[0]!.ts).toISOString();
  const message = `Message ${id} is DELIVERED: it is too late to cancel it; email provider smtp (default) was called at ${at}`;
  const { hints } = (await cancel(id!).catch((error: unknown) => error)) as ServiceError;
  expect(hints.answer).toEqual({ ...record, message });
  expect(await retrieve(id!)).toEqual(record);
});

it('answers a conflict between two attempts, and while the next route is in use', async () => {
  sms.answer(503);
  const routing = { method: 'single' as const, channels: ['sms'] };
  const [retried] = await messaging.send({ profile: PROFILE, routing });
  await waitUntil(() => sms.received.length > 0, { what: 'a call' });
  await waitUntil(async () => (await retrieve(retried!)).providers![0]!.attempts! > 1, { what: 'a second call' });
  const message = expect.stringMatching(/; sms provider http \(texts\) was called \d+ times since \d{4}-.*Z$/) as string;
  const answer = { status: 'ROUTED', providers: [{ alias: 'texts' }], message };
  await expect(cancel(retried!)).rejects.toMatchObject({ code: 'conflict', message, hints: { answer } });
  await messaging.rows('delete from messaging.deliveries');

  const [sent] = await storeMessages(messaging, [{ status: 'ROUTED', providers: ['http'] }]);
  await expect(cancel(sent!)).rejects.toMatchObject({ code: 'conflict' });
});

it('answers a conflict during the first call, and where no provider was called', async () => {
  let respond = (): void => undefined;
  sms.answering = (answer) => (respond = () => answer.writeHead(200).end());
  const [called] = await messaging.send({ profile: PROFILE, routing: { method: 'single', channels: ['sms'] } });
  await waitUntil(() => sms.received.length > 0, { what: 'a call' });
  await messaging.waitForStatus(called!, 'ROUTED');
  await expect(cancel(called!)).rejects.toMatchObject({
    message: expect.stringMatching(/sms provider http \(texts\) is being called now$/) as string,
  });
  respond();

  const [unroutable] = await messaging.send({ profile: {} });
  await messaging.waitForStatus(unroutable!, 'UNROUTABLE');
  await expect(cancel(unroutable!)).rejects.toMatchObject({
    message: expect.stringMatching(/ is UNROUTABLE: .*; no provider was called$/) as string,
  });
});

it('waits for a message that was accepted a moment ago', async () => {
  const request = messaging.request({ delay: untilMadeDue() });
  await messaging.append(request);

  await expect(retryWhileUnavailable(() => cancel(request.id))).resolves.toMatchObject({ id: request.id, status: 'CANCELED' });
});

it('cancels a delivery that waits for a permit, or answers a conflict and sends it, never both', async () => {
  const answers: (() => void)[] = [];
  sms.answering = (answer) => answers.push(() => answer.writeHead(200).end());
  const routing = { method: 'single' as const, channels: ['sms'] };
  const ids = await messaging.send(...Array.from({ length: 160 }, (_, index) => ({ profile: { phone_number: phoneOf(index) }, routing })));
  await waitUntil(async () => (await messaging.rows('select from messaging.deliveries')).length === ids.length, {
    what: 'all to be routed',
  });
  const [waits] = await messaging.rows<{ message_id: string }>('select message_id from messaging.deliveries where attempt = 0 limit 1');
  const first = uuidToMessageId(waits!.message_id);
  expect(await wasCanceled(first)).toBe(true);

  sms.answer(200);
  const canceling = ids.map(async (id) => id === first || wasCanceled(id));
  for (const release of answers.splice(0)) release();
  const canceled = await Promise.all(canceling);

  await waitUntil(async () => (await messaging.rows('select from messaging.deliveries')).length === 0, {
    what: 'the others',
  });
  expect(canceled).toContain(false); // those that were being called
  for (const [index, id] of ids.entries()) {
    expect([id, textsTo(phoneOf(index)), await messaging.statusOf(id)]).toEqual(canceled[index] ? [id, 0, 'CANCELED'] : [id, 1, 'SENT']);
  }
});

it('cancels a message that becomes due now, or answers a conflict and sends it, never both', async () => {
  const routing = { method: 'single' as const, channels: ['sms'] };
  const ids = await messaging.send(
    ...Array.from({ length: 60 }, (_, index) => ({
      profile: { phone_number: phoneOf(1_000 + index) },
      routing,
      delay: untilMadeDue(),
    })),
  );
  for (const id of ids) await messaging.waitForStatus(id, 'DELAYED');

  const canceled: boolean[] = new Array<boolean>(ids.length).fill(false);
  await makeDue(messaging, ids, 30);
  for (const [index, id] of ids.entries()) canceled[index] = await wasCanceled(id);

  await waitUntil(async () => (await messaging.rows('select from messaging.open_messages')).length === 0, {
    what: 'the steps of the others',
  });
  await waitUntil(async () => (await messaging.rows('select from messaging.deliveries')).length === 0, { what: 'the others' });
  for (const [index, id] of ids.entries()) {
    const sent = textsTo(phoneOf(1_000 + index));
    expect([id, sent, await messaging.statusOf(id)]).toEqual(canceled[index] ? [id, 0, 'CANCELED'] : [id, 1, 'SENT']);
  }
});

it('makes a step that was in progress change nothing', async () => {
  const request = messaging.request({ delay: untilMadeDue(), profile: { email: 'step@example.com' } });
  await messaging.append(request);
  await messaging.waitForStatus(request.id, 'DELAYED');
  const record = await cancel(request.id);

  await messaging
    .get<Processor>(Processor)
    .process([{ request, claimed: { generation: 0, stage: 'delayed', status: 'DELAYED', isDue: true } }]);

  expect(await retrieve(request.id)).toEqual(record);
  expect(await waiting(request.id)).toBe(0);
  expect(messaging.smtp.mailsTo('step@example.com')).toHaveLength(0);
});

it('waits for a step that is being stored, and then answers a conflict', async () => {
  const id = await delayed({ profile: { email: 'concurrent@example.com' } });
  const waits = 'select from pg_stat_activity where datname = current_database() and wait_event_type = $1';
  const lock = { statement: 'select from messaging.messages where id = $1 for update', values: [messageIdToUuid(id)], waiting: 2 };

  // The step has locked the open state and waits for the message's row; canceling waits for the open state.
  const canceled = await whileLocked(messaging.database.adminUrl, lock, async () => {
    await makeDue(messaging, [id]);
    await waitUntil(async () => (await messaging.rows(waits, ['Lock'])).length === 1, { what: 'the step' });
    return wasCanceled(id);
  });

  expect(canceled).toBe(false);
  await messaging.waitForStatus(id, 'DELIVERED');
  expect(messaging.smtp.mailsTo('concurrent@example.com')).toHaveLength(1);
});

it.each([
  ['an unknown message', () => newMessageId(Date.now() - HOUR_MS)],
  ['an invalid id', () => 'order-17'],
])('answers 404 for %s', async (_, id) => {
  await expect(cancel(id())).rejects.toMatchObject({ code: 'not_found' });
});

const ids = new Map<string, string>();
describeWorkspaceIsolation('A message', {
  arrange: async ({ workspaceId }) => {
    const [id] = await storeMessages(messaging, [{ workspace_id: workspaceId, at: Date.now() - HOUR_MS, status: 'DELAYED' }]);
    ids.set('id', id!);
  },
  read: (owner) => messaging.call(messages.list, {}, { ...owner, callId: randomUUID() }),
  attempts: {
    canceling: { attempt: (stranger) => cancel(ids.get('id')!, stranger), refusedWith: 'not_found' },
    resending: {
      attempt: (stranger) => messaging.call(messageActions.resend, { message_id: ids.get('id')! }, stranger),
      refusedWith: 'not_found',
    },
  },
});

describe('while clients send a burst', () => {
  const BURST = 150;
  beforeEach(() => jest.spyOn(messaging.log, 'appendLoad').mockReturnValue({ isBurst: true, isMixed: true }));
  afterEach(() => jest.restoreAllMocks());

  const sendBurst = (last: NonNullable<Parameters<Messaging['request']>[0]>): Promise<string[]> =>
    messaging.send(...Array.from({ length: BURST }, () => ({ profile: { phone_number: phoneOf(0) } })), last);

  it('a message that waits to be processed is canceled, and not called', async () => {
    const id = (await sendBurst({ profile: { phone_number: phoneOf(1) } })).at(-1)!;

    expect(await cancel(id)).toMatchObject({ status: 'CANCELED' });

    jest.restoreAllMocks();
    await messaging.waitForStatus((await messaging.send({ profile: { phone_number: phoneOf(0) } }))[0]!, 'SENT');
    expect(textsTo(phoneOf(1))).toBe(0);
  });

  it('so is a request to several', async () => {
    const targets = [2, 3].map((index) => {
      const profile = { phone_number: phoneOf(index) };
      return { kind: 'user' as const, recipient: phoneOf(index), profile };
    });
    const id = (await sendBurst({ targets })).at(-1)!;

    expect(await cancel(id)).toMatchObject({ status: 'CANCELED', canceled: 2, left: 0 });

    jest.restoreAllMocks();
    await messaging.waitForStatus((await messaging.send({ profile: { phone_number: phoneOf(0) } }))[0]!, 'SENT');
    expect([2, 3].map((index) => textsTo(phoneOf(index)))).toEqual([0, 0]);
  });

  it('a message of another workspace is not parked', async () => {
    const id = (await sendBurst({ profile: { phone_number: phoneOf(4) } })).at(-1)!;
    const foreign = cancel(id, { ...messaging.context, workspaceId: randomUUID() }).catch((error: ServiceError) => error.code);

    expect(['not_found', 'unavailable']).toContain(await foreign);

    await messaging.waitForStatus(id, 'SENT');
  });
});
