import '@tidings/testing/quiet';
import { randomUUID } from 'node:crypto';
import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { messageActions, messages } from '@tidings/contracts/messaging/messages';
import { retryWhileUnavailable } from '../testing/retry-while-unavailable';
import { Messaging } from '../testing/start-messaging';
import { MessageActionsHandlers } from './message-actions.handlers';

const HOUR_MS = 3_600_000;

let messaging: Messaging;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start();
});
afterAll(() => messaging.end());

const resend = async (message_id: string, context = messaging.context): Promise<string> =>
  (await messaging.call(messageActions.resend, { message_id }, context)).messageId;
const record = (message_id: string) => messaging.call(messages.retrieve, { message_id });
const first = async (message_id: string) => (await messaging.call(messages.history, { message_id, type: 'ENQUEUED' })).results[0]!;

it('sends the same content to the same recipient as a new message', async () => {
  const [id] = await messaging.send({
    profile: { email: 'again@example.com' },
    tags: ['orders'],
    traceId: 'trace-17',
    idempotencyKey: 'once',
    requestId: messaging.request().id,
    jobId: 'job',
  });
  await messaging.waitForStatus(id!, 'DELIVERED');

  const other = await resend(id!);

  expect(other).not.toBe(id);
  await messaging.waitForStatus(other, 'DELIVERED');
  const [mail, copy] = await Promise.all(messaging.smtp.mailsTo('again@example.com').map((one) => one.parse()));
  expect([copy!.subject, copy!.html, copy!.text]).toEqual([mail!.subject, mail!.html, mail!.text]);
  const { ts: _ts, ...copied } = await first(other);
  expect(await first(id!)).toMatchObject(copied);
  const again = await record(other);
  expect(again).toMatchObject({ recipient: 'ada', tags: ['orders'] });
  expect(again).not.toHaveProperty('idempotencyKey');
  expect(again).not.toHaveProperty('listMessageId');
  expect(again).not.toHaveProperty('jobId');
  expect((await messaging.call(messages.list, { traceId: 'trace-17' })).results).toHaveLength(2);
});

it('sends a delayed message at once, also when it was canceled', async () => {
  const [id] = await messaging.send({ delay: { untilMs: Date.now() + HOUR_MS }, profile: { email: 'early@example.com' } });
  await messaging.waitForStatus(id!, 'DELAYED');
  await messaging.call(messageActions.cancel, { message_id: id! });

  await messaging.waitForStatus(await resend(id!), 'DELIVERED');

  expect(messaging.smtp.mailsTo('early@example.com')).toHaveLength(1);
  expect(await messaging.statusOf(id!)).toBe('CANCELED');
});

it('simulates with a test key', async () => {
  const [id] = await messaging.send({ profile: { email: 'test@example.com' } });
  await messaging.waitForStatus(id!, 'DELIVERED');
  await messaging.waitForStatus(await resend(id!, { ...messaging.context, mode: 'test' }), 'SIMULATED');
});

it('sends again what the limits of the API key allow, and nothing else', async () => {
  const [id] = await messaging.send({ userId: 'ada', profile: { email: 'limited@example.com' } });
  await messaging.waitForStatus(id!, 'DELIVERED');
  const limited = (recipients: string[], scopes = ['*']) => ({ ...messaging.context, scopes, recipients });

  for (const context of [limited(['eve']), limited(['ada']), limited(['ada', 'limited@example.com'], ['write:send:stored'])]) {
    await expect(resend(id!, context)).rejects.toMatchObject({ code: 'forbidden' });
  }

  await messaging.waitForStatus(await resend(id!, limited(['ada', 'limited@example.com'])), 'DELIVERED');
  expect(messaging.smtp.mailsTo('limited@example.com')).toHaveLength(2);
});

it('makes a message that can be resent as well', async () => {
  const [id] = await messaging.send({ profile: { email: 'chain@example.com' } });
  const again = await retryWhileUnavailable(() => resend(id!));
  await messaging.waitForStatus(again, 'DELIVERED');
  await messaging.waitForStatus(await resend(again), 'DELIVERED');
});

it('makes one message when the call is delivered twice', async () => {
  const [id] = await messaging.send({ profile: { email: 'twice@example.com' } });
  await messaging.waitForStatus(id!, 'DELIVERED');
  const handlers = messaging.get<MessageActionsHandlers>(MessageActionsHandlers);
  const context = { ...messaging.context, deliveryId: randomUUID() };

  const answers = [await handlers.resend(context, { message_id: id! }), await handlers.resend(context, { message_id: id! })];

  expect(answers[0]).toEqual(answers[1]);
  await messaging.waitForStatus(answers[0]!.messageId, 'DELIVERED');
  expect(messaging.smtp.mailsTo('twice@example.com')).toHaveLength(2);
});

it('answers 404 when the history has been removed', async () => {
  const [id] = await messaging.send();
  await messaging.waitForStatus(id!, 'DELIVERED');
  await messaging.rows('delete from messaging.history where message_id = $1', [messageIdToUuid(id!)]);
  await expect(resend(id!)).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('not stored any more') as string });
});

it('answers 404 when the request is missing in the history', async () => {
  const [id] = await messaging.send();
  await messaging.waitForStatus(id!, 'DELIVERED');
  const withoutRequest = `(select json_agg(event::jsonb - 'send') from json_array_elements(events) as event)`;
  await messaging.rows(`update messaging.history set events = ${withoutRequest} where message_id = $1`, [messageIdToUuid(id!)]);
  await expect(resend(id!)).rejects.toMatchObject({ code: 'not_found' });
});
