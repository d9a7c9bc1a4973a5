import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { type AuditRecord, auditRecorded } from '@tidings/contracts/identity/audit-events';
import { providerPauses } from '@tidings/contracts/messaging/provider-pauses';
import { providers } from '@tidings/contracts/messaging/providers';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { TESTS_MAX } from '../test-limit';
import { ProvidersUnderTest } from '../testing/start-providers';
import { ProviderPauses } from './provider-pauses';

const OPERATOR = { type: 'operator', id: 'anna' } as const;
let messaging: ProvidersUnderTest;
let vendor: CapturingHttp;
let context: CallContext;
const audited: AuditRecord[] = [];

beforeAll(async () => {
  messaging = await ProvidersUnderTest.start();
  vendor = await CapturingHttp.start();
  await messaging.service.events.broadcast(auditRecorded, ({ payload }) => void (payload && audited.push(payload)));
});
afterAll(async () => {
  await messaging.service.stop();
  await vendor.stop();
});
beforeEach(() => {
  context = { ...contextOf(randomUUID()), actor: OPERATOR };
  vendor.received.length = 0;
  vendor.answering = (answer, { headers }) => {
    const isRight = headers.authorization === 'Bearer the-right-key';
    const body = isRight ? { scopes: ['mail.send'] } : { errors: [{ message: `No such key: ${headers.authorization}` }] };
    answer.writeHead(isRight ? 200 : 401).end(JSON.stringify(body));
  };
});

const settingsOf = (api_key: string) => ({ api_key, from_address: 'shop@example.com', base_url: new URL(vendor.url).origin });
const configure = (api_key = 'the-right-key') => messaging.configure(context, { provider: 'sendgrid', settings: settingsOf(api_key) });
const test = (id: string, of = context) => messaging.service.call(providers.test, of, { id });

it('proves the credentials as they are stored now, and never shows them', async () => {
  const { id } = await configure('the-wrong-key');

  await expect(test(id)).resolves.toEqual({ ok: false, status: 401, message: 'SendGrid answered 401: No such key: Bearer …' });

  vendor.answer(200, { scopes: ['mail.send'] });
  await messaging.service.call(providers.change, context, { id, settings: { api_key: 'another-key' } });
  await expect(test(id)).resolves.toEqual({ ok: true });
  expect(vendor.received.map(({ method, url, headers }) => [method, url, headers.authorization])).toEqual([
    ['GET', '/v3/scopes', 'Bearer the-wrong-key'],
    ['GET', '/v3/scopes', 'Bearer another-key'],
  ]);
});

it('leaves an audit event', async () => {
  const { id } = await configure();

  await test(id);

  const event = () => audited.find(({ type, targetId }) => type === 'provider:tested' && targetId === id);
  await waitUntil(() => event() !== undefined, { what: 'the audit event' });
  expect(event()).toMatchObject({ workspaceId: context.workspaceId, actor: OPERATOR, before: [], after: [] });
});

it('tests an endpoint by HEAD, a disabled provider, and that of the operator', async () => {
  vendor.answer(405);
  const endpoint = { channel: 'sms', url: vendor.url, secret: 'a secret of some length' };
  const { id } = await messaging.configure(context, { settings: endpoint, enabled: false });

  const message = 'The receiver answered 405 to HEAD: it was reached, but cannot be tested without a message';
  await expect(test(id)).resolves.toEqual({ ok: false, status: 405, message });
  vendor.answer(204);
  await expect(test(id)).resolves.toEqual({ ok: true });
  expect(vendor.received[0]!.headers['courier-signature']).toMatch(/^t=\d+,signature=[0-9a-f]{64}$/);
  await expect(test('default')).resolves.toMatchObject({ ok: false, message: expect.stringContaining('Mail server') as string });
});

it('logs in to a mail server', async () => {
  const server = await CapturingSmtp.start({ account: { user: 'shop', password: 'the-right-one' } });
  const settings = {
    host: '127.0.0.1',
    port: server.port,
    tls: 'off',
    user: 'shop',
    pass: 'the-wrong-one',
    from_address: 'shop@example.com',
  };
  const { id } = await messaging.configure(context, { provider: 'smtp', settings });

  await expect(test(id)).resolves.toMatchObject({ ok: false, status: 535, message: expect.stringMatching(/refused the login/) as string });
  await messaging.service.call(providers.change, context, { id, settings: { pass: 'the-right-one' } });
  await expect(test(id)).resolves.toEqual({ ok: true });
  expect(server.mails).toEqual([]);
  await server.close();
  await expect(test(id)).resolves.toMatchObject({ ok: false });
});

it('calls no provider for a test key, and none that is paused', async () => {
  const { id } = await configure();

  await expect(test(id, { ...context, mode: 'test' })).resolves.toMatchObject({ ok: false });
  await messaging.service.call(providerPauses.pause, context, { name: id });
  const configuration = { workspaceId: context.workspaceId, id, provider: 'sendgrid' };
  await waitUntil(() => messaging.service.get(ProviderPauses).isPaused(configuration), { what: 'the pause' });
  await expect(test(id)).resolves.toEqual({ ok: false, message: 'The provider is paused' });
  expect(vendor.received).toEqual([]);
});

it('limits the tests of a workspace', async () => {
  const { id } = await configure();
  for (let i = 0; i < TESTS_MAX; i += 1) await test(id);

  await expect(test(id)).rejects.toMatchObject({ code: 'rate_limited' });
  const other = { ...context, workspaceId: randomUUID() };
  const { id: another } = await messaging.configure(other, { provider: 'sendgrid', settings: settingsOf('the-right-key') });
  await expect(test(another, other)).resolves.toEqual({ ok: true });
});
