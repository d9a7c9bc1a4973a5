import { randomUUID } from 'node:crypto';
import { type AuditRecord, auditRecorded } from '@tidings/contracts/identity/audit-events';
import { messagingErasure } from '@tidings/contracts/messaging/erasure';
import { type MessageDetails, messages } from '@tidings/contracts/messaging/messages';
import { webhookDeliveries, webhooks } from '@tidings/contracts/messaging/webhooks';
import { WorkTimes } from '@tidings/jobs/work-times';
import { Database } from '@tidings/persistence/database';
import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../testing/start-messaging';
import { eventOf, isSignedWith, SENT_BY_MAIL, WebhookUnderTest } from './webhooks.fixture';

/** Retries after fractions of a second, otherwise production's times. */
const SOON = new WorkTimes({ retryMs: 50, faultRetryMs: 100, firstRetryMs: 20 });

let messaging: Messaging;
let webhook: WebhookUnderTest;

beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start('', { workTimes: SOON });
});
afterAll(() => messaging.end());
beforeEach(async () => {
  webhook = await WebhookUnderTest.create(messaging);
});
afterEach(() => webhook.end());

const send = async (): Promise<string> => (await messaging.send())[0]!;

it('posts each status of a message in order, signed, with the record as of then', async () => {
  const id = await send();

  await webhook.expectReceived(id, SENT_BY_MAIL);

  const requests = webhook.requestsOf(id);
  expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(SENT_BY_MAIL.length);
  for (const request of requests) expect(isSignedWith(webhook.created.secret, request)).toBe(true);
  const events = requests.map(eventOf);
  expect(events.map(({ type }) => type)).toEqual(SENT_BY_MAIL.map(() => 'message:updated'));
  const record = await messaging.call(messages.retrieve, { message_id: id });
  const shown = JSON.parse(JSON.stringify(record)) as MessageDetails; // without absent fields
  expect(events[3]!.data).toEqual({ ...shown, recipientId: record.recipient });
  const { delivered: _delivered, ...sent } = events[3]!.data;
  expect(events[2]!.data).toMatchObject({ ...sent, status: 'SENT', providers: [{ provider: 'smtp', status: 'SENT' }] });
  expect(events[2]!.data).not.toHaveProperty('delivered');
  expect(events[0]!.data).toMatchObject({ id, status: 'ENQUEUED', recipientId: 'ada', providers: [] });
  expect(events[0]!.data).not.toHaveProperty('sent');
});

it('posts nothing of another workspace, and stores nothing for it', async () => {
  const workspaceId = randomUUID();
  const [id] = await messaging.send({ workspaceId });
  const isDelivered = async (): Promise<boolean> =>
    (await messaging.call(messages.retrieve, { message_id: id! }, { ...messaging.context, workspaceId })).status === 'DELIVERED';
  await waitUntil(isDelivered);

  await expect(messaging.rows('select from messaging.webhook_deliveries where workspace_id = $1', [workspaceId])).resolves.toEqual([]);
  expect(webhook.requestsOf(id!)).toEqual([]);
});

it('retries a 503 with the same id, and the next status waits for it', async () => {
  let refused = 0;
  webhook.receiver.answering = (answer) => void answer.writeHead((refused += 1) <= 2 ? 503 : 200).end();

  const id = await send();

  await webhook.expectReceived(id, ['ENQUEUED', 'ENQUEUED', ...SENT_BY_MAIL]);
  const ids = webhook.requestsOf(id).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids.slice(0, 3)).size).toBe(1);
  expect(await webhook.log(id)).toMatchObject([
    { id: ids[0], status: 'ENQUEUED', result: 'delivered', attempts: 3, code: 200 },
    { status: 'ROUTED', attempts: 1 },
    { status: 'SENT', attempts: 1 },
    { status: 'DELIVERED', result: 'delivered', attempts: 1, duration_ms: expect.any(Number) as number },
  ]);
  const [first] = await webhook.log(id);
  await expect(messaging.call(webhookDeliveries.retrieve, { id: webhook.id, delivery_id: first!.id })).resolves.toEqual(first);
});

it('does not retry a 404, and posts the next status', async () => {
  webhook.receiver.answering = (answer, received) => void answer.writeHead(eventOf(received).data.status === 'ROUTED' ? 404 : 200).end();

  const id = await send();

  await webhook.expectReceived(id, SENT_BY_MAIL);
  expect((await webhook.log(id))[1]).toMatchObject({ result: 'failed', attempts: 1, code: 404, error: 'The receiver answered 404' });
});

it('does not follow a redirect', async () => {
  webhook.receiver.answer(307, '', { location: webhook.receiver.url });

  const id = await send();

  await webhook.expectReceived(id, SENT_BY_MAIL);
  expect((await webhook.log(id)).map(({ result }) => result)).toEqual(SENT_BY_MAIL.map(() => 'failed'));
});

it('posts other messages while one fails', async () => {
  const request = messaging.request();
  const failing = request.id;
  let isMended = false;
  webhook.receiver.answering = (answer, received) => {
    const { id, status } = eventOf(received).data;
    answer.writeHead(!isMended && id === failing && status !== 'ENQUEUED' ? 500 : 200).end();
  };
  await messaging.append(request);
  await waitUntil(() => webhook.received(failing).includes('ROUTED'), { what: 'the failing status' });
  const other = await send();
  await webhook.expectReceived(other, SENT_BY_MAIL);
  expect(webhook.received(failing)).not.toContain('SENT');

  isMended = true;
  await waitUntil(() => webhook.received(failing).at(-1) === 'DELIVERED', { what: 'the last status' });
  expect([...new Set(webhook.received(failing))]).toEqual(SENT_BY_MAIL);
});

it('posts to other webhooks while a receiver does not answer', async () => {
  const hanging = await WebhookUnderTest.create(messaging);
  const called = latch();
  hanging.receiver.answering = () => called.open();
  try {
    const id = await send();
    await called.opened;

    await webhook.expectReceived(id, SENT_BY_MAIL);

    expect(hanging.received(id)).toEqual(['ENQUEUED']);
    expect((await hanging.log(id)).map(({ result, attempts }) => [result, attempts])).toEqual(SENT_BY_MAIL.map(() => ['pending', 0]));
  } finally {
    await hanging.end();
  }
});

it('signs with the replaced secret as well', async () => {
  const { secret } = await messaging.call(webhooks.rotateSecret, { id: webhook.id });
  expect(secret).not.toBe(webhook.created.secret);

  const id = await send();
  await webhook.expectReceived(id, SENT_BY_MAIL);

  for (const request of webhook.requestsOf(id)) {
    expect(isSignedWith(secret, request)).toBe(true);
    expect(isSignedWith(webhook.created.secret, request)).toBe(true);
  }
});

it('lets events of a paused webhook wait until it is resumed', async () => {
  await messaging.call(webhooks.pause, { id: webhook.id });
  const id = await send();
  await messaging.waitForStatus(id, 'DELIVERED');
  expect((await webhook.log(id)).map(({ result }) => result)).toEqual(SENT_BY_MAIL.map(() => 'pending'));
  expect(webhook.receiver.received).toEqual([]);

  await messaging.call(webhooks.resume, { id: webhook.id });

  await webhook.expectReceived(id, SENT_BY_MAIL);
});

it('posts nothing of a user who was erased while events waited', async () => {
  await messaging.call(webhooks.pause, { id: webhook.id });
  const user_id = randomUUID();
  const [id] = await messaging.send({ recipient: user_id });
  await messaging.waitForStatus(id!, 'DELIVERED');
  expect(await webhook.log(id!)).toHaveLength(SENT_BY_MAIL.length);
  const erase = async (): Promise<boolean> => (await messaging.call(messagingErasure.erase, { user_id })).done;
  await waitUntil(erase, { what: 'the erasure' });

  await messaging.call(webhooks.resume, { id: webhook.id });

  await waitUntil(async () => (await webhook.log(id!)).length === 0, { what: 'the events to be dropped' });
  expect(webhook.receiver.received).toEqual([]);
});

it('replays a delivery, and those of a time range in order', async () => {
  const from = new Date().toISOString();
  const id = await send();
  await webhook.expectReceived(id, SENT_BY_MAIL);
  const [first] = await webhook.log(id);

  await messaging.call(webhookDeliveries.replayOne, { id: webhook.id, delivery_id: first!.id });
  await webhook.expectReceived(id, [...SENT_BY_MAIL, 'ENQUEUED']);
  expect(webhook.requestsOf(id).at(-1)!.headers['webhook-id']).toBe(first!.id);

  await expect(messaging.call(webhookDeliveries.replay, { id: webhook.id, from, result: 'failed' })).resolves.toEqual({ deliveries: 0 });
  await expect(messaging.call(webhookDeliveries.replay, { id: webhook.id, from })).resolves.toEqual({ deliveries: 4 });
  await webhook.expectReceived(id, [...SENT_BY_MAIL, 'ENQUEUED', ...SENT_BY_MAIL]);
});

it('is disabled by a 410, with an audit event, and resumed on request', async () => {
  const audited: AuditRecord[] = [];
  await messaging.log.broadcast(auditRecorded, ({ payload }) => void (payload && audited.push(payload)));
  webhook.receiver.answer(410);

  const id = await send();
  const state = async (): Promise<string> => (await messaging.call(webhooks.retrieve, { id: webhook.id })).state;
  await waitUntil(async () => (await state()) === 'disabled');

  expect(await messaging.call(webhooks.retrieve, { id: webhook.id })).toMatchObject({ state_reason: 'The receiver answered 410' });
  const event = { type: 'webhook:disabled', targetId: webhook.id, actor: { type: 'system', id: 'system' } };
  await waitUntil(() => audited.length > 0);
  expect(audited).toMatchObject([event]);

  webhook.receiver.answer(200);
  await messaging.call(webhooks.resume, { id: webhook.id });
  await webhook.expectEnded(id);
  expect(await messaging.call(webhooks.retrieve, { id: webhook.id })).not.toHaveProperty('state_reason');
});

it('is disabled where its receiver accepted nothing for days', async () => {
  await messaging.rows(
    `update messaging.webhook_queues set failures = 20, failing_since = now() - interval '4 days' where webhook_id = $1`,
    [webhook.id],
  );
  webhook.receiver.answer(500);

  await send();

  const isDisabled = async () => (await messaging.call(webhooks.retrieve, { id: webhook.id })).state === 'disabled';
  await waitUntil(isDisabled, { what: 'the webhook to be disabled' });
  const { state_reason } = await messaging.call(webhooks.retrieve, { id: webhook.id });
  expect(state_reason).toBe('Nothing was accepted for days: The receiver answered 500');
});

it('repeats in another process what was not answered when its own stopped', async () => {
  const called = latch();
  webhook.receiver.answering = () => called.open();
  const id = await send();
  await called.opened;
  await messaging.waitForStatus(id, 'DELIVERED');
  await messaging.stop();
  webhook.receiver.answer(200);

  await messaging.start('', { workTimes: SOON });

  await webhook.expectReceived(id, ['ENQUEUED', ...SENT_BY_MAIL]);
  expect((await webhook.log(id))[0]).toMatchObject({ result: 'delivered', attempts: 1 });
});

/** Runs `work` while the row of the webhook in a table is locked, until `count` statements wait for locks; then `last`. */
async function whileLocked(table: string, id: string, count: number, work: () => Promise<unknown>, last?: string) {
  let working: Promise<unknown> | undefined;
  await messaging.get<Database>(Database).transaction(async (tx) => {
    await tx.query(`select from ${table} where webhook_id = $1 for update`, [id]);
    working = work();
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and state = 'active' and datname = current_database()";
    await waitUntil(async () => (await messaging.rows(waiting)).length >= count, { what: `${count} statements to wait` });
    if (last !== undefined) await tx.execute(last, [id]);
  });
  await working;
}

it('has every change of several at once', async () => {
  const { id } = webhook;
  const [url, description] = ['https://hooks.example.com/', 'Orders'];
  const change = (fields: object) => messaging.call(webhooks.change, { id, ...fields });

  await whileLocked('webhooks', id, 2, () => Promise.all([change({ url }), change({ description })]));

  await expect(messaging.call(webhooks.retrieve, { id })).resolves.toMatchObject({ url, description });
});

it('is removed while the end of a round disables it', async () => {
  const { id, receiver } = await WebhookUnderTest.create(messaging);
  const disable = "update webhooks set state = 'disabled' where webhook_id = $1";

  await whileLocked('webhook_queues', id, 1, () => messaging.call(webhooks.remove, { id }), disable);

  await expect(messaging.call(webhooks.retrieve, { id })).rejects.toMatchObject({ code: 'not_found' });
  await receiver.stop();
});

it('posts nothing once it is removed, and leaves what waited to its retention', async () => {
  const { id, receiver } = await WebhookUnderTest.create(messaging);
  await messaging.call(webhooks.pause, { id });
  await messaging.waitForStatus(await send(), 'DELIVERED');

  await messaging.call(webhooks.remove, { id });

  const waiting = 'select from messaging.webhook_deliveries where webhook_id = $1 and ended_at is null';
  await expect(messaging.rows(waiting, [id])).resolves.toHaveLength(SENT_BY_MAIL.length);
  await webhook.expectReceived(await send(), SENT_BY_MAIL);
  expect(receiver.received).toEqual([]);
  await receiver.stop();
});

it('posts an example on request', async () => {
  const duration_ms = expect.any(Number) as number;
  await expect(messaging.call(webhooks.test, { id: webhook.id })).resolves.toEqual({ ok: true, code: 200, duration_ms });
  webhook.receiver.answer(500);
  const failed = { ok: false, code: 500, duration_ms, error: 'The receiver answered 500' };
  await expect(messaging.call(webhooks.test, { id: webhook.id })).resolves.toEqual(failed);

  const [first] = webhook.receiver.received;
  expect(JSON.parse(first!.body)).toEqual({ type: 'webhook:test', data: { webhook_id: webhook.id } });
  expect(isSignedWith(webhook.created.secret, first!)).toBe(true);
});
