import { randomBytes, randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { webhookDeliveries, webhooks, WEBHOOKS_MAX, type WebhookWithSecret } from '@tidings/contracts/messaging/webhooks';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { ProvidersUnderTest } from '../testing/start-providers';

const URL_GIVEN = 'https://hooks.example.com/tidings?team=a';
let messaging: ProvidersUnderTest;
let context: CallContext;
const call: TestService['call'] = (...parameters) => messaging.service.call(...parameters);

beforeAll(async () => {
  messaging = await ProvidersUnderTest.start({ secretKeys: [randomBytes(32)] });
});
afterAll(() => messaging.service.stop());
beforeEach(() => {
  context = contextOf(randomUUID());
});

const create = (of = context): Promise<WebhookWithSecret> => call(webhooks.create, of, { url: URL_GIVEN });
const retrieve = (id: string) => call(webhooks.retrieve, context, { id });

it('returns a webhook as it was created, and its secret once', async () => {
  const { secret, ...created } = await call(webhooks.create, context, { url: `${URL_GIVEN}#top`, description: 'Orders' });

  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  expect(created).toEqual({
    id: expect.stringMatching(/^whk_[\w-]{20}$/) as string,
    url: URL_GIVEN,
    description: 'Orders',
    event_types: ['message:updated'],
    state: 'active',
    created: expect.any(Number) as number,
  });
  await expect(retrieve(created.id)).resolves.toEqual(created);
  await expect(call(webhooks.list, context, {})).resolves.toEqual({ paging: { more: false }, results: [created] });
});

it('stores no secret in the clear', async () => {
  const { id, secret } = await create();
  const [row] = await messaging.service.sql<{ secrets: Buffer }>('select secrets from webhooks where webhook_id = $1', [id]);
  expect(row!.secrets.includes(secret)).toBe(false);
});

it('changes what is given', async () => {
  const { id } = await create();

  await call(webhooks.change, context, { id, description: 'Orders' });
  await call(webhooks.change, context, { id, url: 'https://other.example.com/' });
  const changed = await retrieve(id);
  expect(changed).toMatchObject({ url: 'https://other.example.com/', description: 'Orders', updated: expect.any(Number) as number });

  await expect(call(webhooks.change, context, { id, description: null })).resolves.not.toHaveProperty('description');
});

it('pauses and resumes, also twice', async () => {
  const { id } = await create();

  for (const state of ['paused', 'paused', 'active', 'active']) {
    const operation = state === 'paused' ? webhooks.pause : webhooks.resume;
    await expect(call(operation, context, { id })).resolves.toMatchObject({ state });
    await expect(retrieve(id)).resolves.toMatchObject({ state });
  }
});

it('removes a webhook', async () => {
  const { id } = await create();

  await call(webhooks.remove, context, { id });

  await expect(retrieve(id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(call(webhooks.remove, context, { id })).rejects.toMatchObject({ code: 'not_found' });
});

it.each(['http://10.0.0.1/', 'http://[::1]/', 'ftp://example.com/', 'https://user:word@example.com/', 'example.com'])(
  'refuses the URL %s',
  async (url) => {
    await expect(call(webhooks.create, context, { url })).rejects.toMatchObject({ code: 'invalid_request' });
    const { id } = await create();
    await expect(call(webhooks.change, context, { id, url })).rejects.toMatchObject({ code: 'invalid_request' });
  },
);

it('refuses unknown event types, and none', async () => {
  for (const event_types of [[], ['message:sent' as 'message:updated']])
    await expect(call(webhooks.create, context, { url: URL_GIVEN, event_types })).rejects.toMatchObject({ code: 'invalid_request' });
});

it(`refuses more than ${WEBHOOKS_MAX} webhooks`, async () => {
  for (let i = 0; i < WEBHOOKS_MAX; i += 1) await create();
  await expect(create()).rejects.toMatchObject({ code: 'invalid_request' });
});

it('knows no delivery that it has not made', async () => {
  const { id } = await create();
  for (const delivery_id of [randomUUID(), 'none']) {
    await expect(call(webhookDeliveries.retrieve, context, { id, delivery_id })).rejects.toMatchObject({ code: 'not_found' });
    await expect(call(webhookDeliveries.replayOne, context, { id, delivery_id })).rejects.toMatchObject({ code: 'not_found' });
  }
  await expect(call(webhookDeliveries.list, context, { id })).resolves.toEqual({ paging: { more: false }, results: [] });
});

const ids = new Map<string, string>();
const foreign = (): string => [...ids.values()].at(-1)!;
describeWorkspaceIsolation('a webhook', {
  arrange: async (owner) => void ids.set(owner.workspaceId, (await create(owner)).id),
  read: (owner) => call(webhooks.retrieve, owner, { id: ids.get(owner.workspaceId)! }),
  attempts: {
    retrieve: { attempt: (stranger) => call(webhooks.retrieve, stranger, { id: foreign() }), refusedWith: 'not_found' },
    change: { attempt: (stranger) => call(webhooks.change, stranger, { id: foreign(), description: 'x' }), refusedWith: 'not_found' },
    remove: { attempt: (stranger) => call(webhooks.remove, stranger, { id: foreign() }), refusedWith: 'not_found' },
    rotateSecret: { attempt: (stranger) => call(webhooks.rotateSecret, stranger, { id: foreign() }), refusedWith: 'not_found' },
    pause: { attempt: (stranger) => call(webhooks.pause, stranger, { id: foreign() }), refusedWith: 'not_found' },
    resume: { attempt: (stranger) => call(webhooks.resume, stranger, { id: foreign() }), refusedWith: 'not_found' },
    test: { attempt: (stranger) => call(webhooks.test, stranger, { id: foreign() }), refusedWith: 'not_found' },
    list: { attempt: (stranger) => call(webhooks.list, stranger, {}) },
    deliveries: { attempt: (stranger) => call(webhookDeliveries.list, stranger, { id: foreign() }), refusedWith: 'not_found' },
    delivery: {
      attempt: (stranger) => call(webhookDeliveries.retrieve, stranger, { id: foreign(), delivery_id: randomUUID() }),
      refusedWith: 'not_found',
    },
    replay: {
      attempt: (stranger) => call(webhookDeliveries.replay, stranger, { id: foreign(), from: '2026-03-01' }),
      refusedWith: 'not_found',
    },
    replayOne: {
      attempt: (stranger) => call(webhookDeliveries.replayOne, stranger, { id: foreign(), delivery_id: randomUUID() }),
      refusedWith: 'not_found',
    },
  },
});
