import { randomBytes, randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { systemContext } from '@tidings/contracts/core/context';
import { providerCallbacks } from '@tidings/contracts/messaging/provider-callbacks';
import { providers } from '@tidings/contracts/messaging/providers';
import { contextOf } from '@tidings/testing/context-of';
import { ProvidersUnderTest } from '../testing/start-providers';

const PUBLIC_URL = 'https://notify.example.com';
const SETTINGS = { api_key: 'SG.the-key', from_address: 'shop@example.com', webhook_public_key: 'MFkw' };
let messaging: ProvidersUnderTest;
let context: CallContext;
beforeAll(async () => {
  messaging = await ProvidersUnderTest.start({ secretKeys: [randomBytes(32)], publicUrl: PUBLIC_URL });
});
afterAll(() => messaging.service.stop());
beforeEach(() => {
  context = contextOf(randomUUID());
});

const call: ProvidersUnderTest['service']['call'] = (...given) => messaging.service.call(...given);
const addressOf = async (id: string) => (await call(providers.retrieve, context, { id })).callback_url;
const secretIn = (url: string | undefined) => url!.slice(url!.lastIndexOf('/') + 1);
const find = (id: string, secret: string, provider = 'sendgrid') =>
  call(providerCallbacks.find, systemContext(randomUUID()), { provider, configuration_id: id, secret });
const NOT_FOUND = { code: 'not_found', message: 'There is no such callback address' };

it('a configuration of a vendor that reports has an address, which its own answer alone shows', async () => {
  const created = await messaging.configure(context, { provider: 'sendgrid', settings: SETTINGS });
  const { id } = created;

  const url = await addressOf(id);

  expect(url).toMatch(new RegExp(`^${PUBLIC_URL}/providers/callback/sendgrid/${id}/[\\w-]{32}$`));
  expect(created).not.toHaveProperty('callback_url');
  expect(JSON.stringify(await call(providers.list, context, {}))).not.toContain('callback');
  const [row] = await messaging.service.sql<{ text: string }>(
    `select encode(secrets, 'escape') as text from provider_callbacks where configuration_id = $1`,
    [id],
  );
  expect(row!.text).not.toContain(secretIn(url));
  const { id: other } = await messaging.configure(context);
  expect(await addressOf(other)).toBeUndefined();
});

it('is found by its secret with what verifies its callbacks, and by no other', async () => {
  const { id } = await messaging.configure(context, { provider: 'sendgrid', settings: SETTINGS });
  const secret = secretIn(await addressOf(id));

  await expect(find(id, secret)).resolves.toEqual({
    workspace_id: context.workspaceId,
    settings: { webhook_public_key: SETTINGS.webhook_public_key },
  });
  await expect(find(id, `${secret}a`)).rejects.toMatchObject(NOT_FOUND);
  await expect(find('prv_00000000000000000000', secret)).rejects.toMatchObject(NOT_FOUND);
  await expect(find(id, secret, 'twilio')).rejects.toMatchObject(NOT_FOUND);
  await expect(find(id, secret, 'smtp')).rejects.toMatchObject(NOT_FOUND);
});

it('gets another secret, beside which the one before it is accepted for a day', async () => {
  const { id } = await messaging.configure(context, { provider: 'sendgrid', settings: SETTINGS });
  const first = secretIn(await addressOf(id));

  await call(providers.rotateCallback, context, { id });
  const second = secretIn(await addressOf(id));
  expect(second).not.toBe(first);
  for (const secret of [first, second]) await expect(find(id, secret)).resolves.toBeDefined();

  await call(providers.rotateCallback, context, { id });
  await expect(find(id, first)).rejects.toMatchObject(NOT_FOUND);
  await expect(find(id, second)).resolves.toBeDefined();
});

it('of another workspace, of a kind that reports nothing, or of none is not rotated; a removed one has no address', async () => {
  const { id } = await messaging.configure(context, { provider: 'sendgrid', settings: SETTINGS });
  const secret = secretIn(await addressOf(id));

  await expect(call(providers.rotateCallback, contextOf(randomUUID()), { id })).rejects.toMatchObject({ code: 'not_found' });
  const { id: silent } = await messaging.configure(context);
  await expect(call(providers.rotateCallback, context, { id: silent })).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'http reports nothing: it has no callback address',
  });
  await call(providers.remove, context, { id });
  await expect(find(id, secret)).rejects.toMatchObject(NOT_FOUND);
});
