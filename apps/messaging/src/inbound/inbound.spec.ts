import { randomUUID } from 'node:crypto';
import { inbound, INBOUND_ID_RETENTION_MS, type EventTracked, type TrackEvent } from '@tidings/contracts/messaging/inbound';
import { MessageWriter } from '../testing/message-writer';
import { Messaging } from '../testing/start-messaging';
import { FORGET_STEP, forgetInbound } from './inbound-store';

const ID = /^1-[0-9a-f]{8}-[0-9a-f]{24}$/;

let messaging: Messaging;
let now = Date.now();
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start('', { clock: { now: () => now } });
});
afterAll(() => messaging.end());

const track = (fields: Partial<TrackEvent> = {}, context = messaging.context): Promise<EventTracked> => {
  const request: TrackEvent = { event: 'signed-up', messageId: randomUUID(), type: 'track', properties: {}, ...fields };
  return messaging.call(inbound.accept, request, context);
};

it('accepts an occurrence once: of fifty concurrent calls with its id, 49 get a conflict', async () => {
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => track({ messageId: 'order-17' })));

  const accepted = results.filter((one) => one.status === 'fulfilled');
  expect(accepted).toHaveLength(1);
  expect(accepted[0]!.value.messageId).toMatch(ID);
  for (const { reason } of results.filter((one) => one.status === 'rejected')) {
    expect(reason).toMatchObject({ code: 'conflict', hints: { shouldRetry: false } });
  }
});

it('returns the same id when the transport delivers a call twice', async () => {
  const call = messaging.redelivered();
  const deliver = () => call(inbound.accept, messaging.context, { event: 'signed-up', messageId: 'twice', type: 'track', properties: {} });

  const first = await deliver();

  await expect(deliver()).resolves.toEqual(first);
});

it('accepts the same id in another workspace', async () => {
  await track({ messageId: 'shared' });
  await expect(track({ messageId: 'shared' }, { ...messaging.context, workspaceId: randomUUID() })).resolves.toBeDefined();
});

it('refuses an id for 30 days and accepts it again afterwards', async () => {
  await track({ messageId: 'monthly' });
  now += INBOUND_ID_RETENTION_MS - 1;
  await expect(track({ messageId: 'monthly' })).rejects.toMatchObject({ code: 'conflict' });
  now += 2;
  await expect(track({ messageId: 'monthly' })).resolves.toBeDefined();
  await expect(track({ messageId: 'monthly' })).rejects.toMatchObject({ code: 'conflict' });
});

it('deletes older ids in steps and leaves younger ones', async () => {
  await messaging.rows('delete from messaging.inbound_events');
  await messaging.rows(
    `insert into messaging.inbound_events select gen_random_uuid(), 'old-' || n, gen_random_uuid(), $1 from generate_series(1, $2) n`,
    [now - INBOUND_ID_RETENTION_MS - 1, FORGET_STEP + 10],
  );
  await track({ messageId: 'young' });
  const writer = await MessageWriter.open(messaging.database.urlOf('messaging'));
  await forgetInbound(writer.database, now, () => false).finally(() => writer.close());

  await expect(messaging.rows('select client_id from messaging.inbound_events')).resolves.toEqual([{ client_id: 'young' }]);
});

it.each<[string, Partial<TrackEvent>, string]>([
  ['properties that are too large', { properties: { text: 'x'.repeat(256 * 1024) } }, 'properties would take'],
  ['properties that cannot be stored', { properties: { 'a\0': 1 } }, 'properties'],
  ['an id that cannot be stored', { messageId: 'a\0' }, 'messageId'],
  ['a user that cannot be stored', { userId: '\ud800' }, 'userId'],
])('refuses %s', async (_, fields, sentence) => {
  await expect(track(fields)).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(sentence) as string });
});
