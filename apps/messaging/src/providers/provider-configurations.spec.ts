import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallContext } from '@tidings/contracts/core/context';
import { providers } from '@tidings/contracts/messaging/providers';
import { keyIdOf } from '@tidings/runtime/secret-box';
import type { Attempt } from '@tidings/providers/provider';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { contextOf } from '@tidings/testing/context-of';
import { runsOf } from '@tidings/testing/runs-of';
import type { TestService } from '@tidings/testing/service';
import { waitUntil } from '@tidings/testing/wait-until';
import { ProvidersUnderTest, SMS_SETTINGS } from '../testing/start-providers';
import { ProviderChanges, type ProviderConfiguration, ProviderConfigurations } from './provider-configurations';
import { SecretsHandlers } from '../secrets/secrets.handlers';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const SMS = { kind: 'sms', sms: { text: 'Shipped' } } as const;
const ADA = { channel: 'sms', phone_number: '+4915123456789' } as const;
const ATTEMPT: Attempt = { messageId: '1-a', idempotencyKey: '1-a.0', number: 1, renderedAt: new Date(0) };
let messaging: ProvidersUnderTest;
let replica: Awaited<ReturnType<ProvidersUnderTest['replica']>>;
let context: CallContext;

beforeAll(async () => {
  messaging = await ProvidersUnderTest.start({ secretKeys: [oldKey] });
  replica = await messaging.replica({ secretKeys: [newKey, oldKey], smtpUrl: 'smtp://127.0.0.1:1' });
});
afterAll(async () => {
  await replica.stop();
  await messaging.service.stop();
});
beforeEach(() => {
  context = contextOf(randomUUID());
});

const here = () => messaging.service.get<ProviderConfigurations>(ProviderConfigurations);
const there = () => replica.get<ProviderConfigurations>(ProviderConfigurations);
const of = (configurations: ProviderConfigurations) => configurations.of(context.workspaceId);
const sendBy = (configuration: ProviderConfiguration) => configuration.withProvider((provider) => provider.send(SMS, ADA, ATTEMPT));
const shapeOf = (found: readonly ProviderConfiguration[]) => found.map(({ provider, channel, id }) => `${provider} ${channel} ${id}`);

it('uses the default provider while the workspace has no enabled e-mail provider', async () => {
  expect(shapeOf(await of(here()))).toEqual(['smtp email default']);

  const { id: sms } = await messaging.configure(context);
  await waitUntil(async () => (await of(there())).length === 2);
  expect(shapeOf(await of(there()))).toEqual([`http sms ${sms}`, 'smtp email default']);

  const { id: email } = await messaging.configure(context, { provider: 'smtp', settings: { host: 'mail.example.com' } });
  await waitUntil(async () => shapeOf(await of(there())).includes(`smtp email ${email}`));
  expect(shapeOf(await of(there()))).toEqual([`http sms ${sms}`, `smtp email ${email}`]);
  await expect(there().find(context.workspaceId, 'default')).resolves.toMatchObject({ id: 'default' });

  await messaging.service.call(providers.change, context, { id: email, enabled: false });
  await waitUntil(async () => !shapeOf(await of(there())).includes(`smtp email ${email}`));
  expect(shapeOf(await of(there()))).toEqual([`http sms ${sms}`, 'smtp email default']);
  await expect(there().find(context.workspaceId, email)).resolves.toMatchObject({ id: email, enabled: false });
});

it('applies a change at once in the process that made it', async () => {
  const list = async () => shapeOf(await of(here()));
  await expect(list()).resolves.toEqual(['smtp email default']);

  const { id } = await messaging.configure(context);
  await expect(list()).resolves.toEqual([`http sms ${id}`, 'smtp email default']);

  await messaging.service.call(providers.remove, context, { id });
  await expect(list()).resolves.toEqual(['smtp email default']);
});

it('applies a change in every replica when its event arrives, and sends no queries without one', async () => {
  const received: string[] = [];
  replica.get<ProviderChanges>(ProviderChanges).onChange(({ payload }) => received.push(payload!.id));
  const { id } = await messaging.configure(context, { settings: { ...SMS_SETTINGS, rate_limit: { rate: 1, period: 'hour' } } });
  const first = await waitUntil(async () => (await of(there())).find((one) => one.id === id));
  await waitUntil(() => received.includes(id), { what: 'the event of the change' });
  const queries = () => runsOf(() => of(there()));
  await waitUntil(async () => (await queries()).length === 0, { what: 'an answer from the cache' });
  for (let reads = 0; reads < 3; reads += 1) expect(await queries()).toEqual([]);
  expect(first).toMatchObject({ rateLimit: { rate: 1, period: 'hour' } });

  const waitForChange = async (): Promise<void> => {
    await waitUntil(() => received.includes(id), { what: 'the event of the change' });
    received.length = 0;
  };
  received.length = 0;
  await messaging.service.call(providers.change, context, { id, settings: { rate_limit: null } });
  await waitForChange();
  expect((await of(there())).find((one) => one.id === id)).toMatchObject({ rateLimit: undefined });

  await messaging.service.call(providers.remove, context, { id });
  await waitForChange();
  expect((await of(there())).filter((one) => one.id === id)).toEqual([]);
  await expect(there().find(context.workspaceId, id)).resolves.toBeUndefined();
});

describe('the key that signs mails', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const dkim = { domain: 'example.com', selector: 'one' };
  const MAIL = { kind: 'email', email: { subject: 'Shipped', text: 'Shipped' } } as const;
  let smtp: CapturingSmtp;
  beforeAll(async () => {
    smtp = await CapturingSmtp.start();
  });
  afterAll(() => smtp.close());

  const configure = () => {
    const settings = { host: '127.0.0.1', port: smtp.port, from_address: 'shop@example.com', dkim: { ...dkim, private_key } };
    return messaging.configure(context, { provider: 'smtp', settings });
  };
  const sentBy = async (id: string) => {
    const configuration = await here().of(context.workspaceId, { anew: true });
    const to = `${randomUUID()}@example.org`;
    await configuration.find((one) => one.id === id)!.withProvider((one) => one.send(MAIL, { channel: 'email', email: to }, ATTEMPT));
    return smtp.mailsTo(to)[0]!.raw.toString();
  };

  it('is sealed and never shown, and signs', async () => {
    const created = await configure();
    const { id } = created;

    const [row] = await messaging.service.sql<{ text: string }>(
      'select to_json(one)::text || encode(secrets, $2) as text from provider_configurations one where configuration_id = $1',
      [id, 'escape'],
    );

    expect(created.settings).toEqual({ host: '127.0.0.1', port: smtp.port, from_address: 'shop@example.com', dkim });
    expect(JSON.stringify([created, await messaging.service.call(providers.retrieve, context, { id }), row])).not.toMatch(/PRIVATE KEY/);
    expect(await sentBy(id)).toMatch(/^DKIM-Signature: .*d=example\.com;[^]*s=one;/);
  });

  it('stays until it is replaced, or removed with its object', async () => {
    const { id, settings } = await configure();
    const { call } = messaging.service;

    await call(providers.change, context, { id, settings: { dkim: { selector: 'two' } } });
    expect(await sentBy(id)).toContain('s=two;');
    await call(providers.replace, context, { id, provider: 'smtp', settings });
    expect(await sentBy(id)).toContain('s=one;');
    await expect(call(providers.change, context, { id, settings: { dkim: { private_key: null } } })).rejects.toMatchObject({
      message: 'settings.dkim.private_key is required',
    });
    await call(providers.change, context, { id, settings: { dkim: null } });
    expect(await sentBy(id)).not.toMatch(/dkim/i);
    const { dkim: _dkim, ...others } = settings;
    await call(providers.change, context, { id, settings: { dkim: { ...dkim, private_key } } });
    await expect(call(providers.replace, context, { id, provider: 'smtp', settings: others })).resolves.toMatchObject({ settings: others });
    expect(await sentBy(id)).not.toMatch(/dkim/i);
  });
});

/** An endpoint that answers when `answerAll` is called. */
async function startEndpoint() {
  const received: IncomingMessage[] = [];
  const waiting: (() => void)[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    received.push(request);
    waiting.push(() => response.writeHead(200).end());
  });
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('close', () => (connections -= 1));
  });
  server.keepAliveTimeout = 0; // only the client closes connections
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    received,
    connections: () => connections,
    answerAll: () => waiting.splice(0).forEach((answer) => answer()),
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

it('opens a configuration once, and closes it when it has changed and is idle', async () => {
  const endpoint = await startEndpoint();
  const { id } = await messaging.configure(context, { settings: { ...SMS_SETTINGS, url: endpoint.url } });
  const before = await waitUntil(async () => (await of(here())).find((one) => one.id === id));

  const calls = [sendBy(before)];
  await waitUntil(() => endpoint.received.length === 1);
  await messaging.service.call(providers.change, context, { id, title: 'Changed' });
  const after = await waitUntil(async () => (await of(here())).find((one) => one.id === id && one !== before));

  // Calls of the old configuration still work.
  calls.push(sendBy(before), sendBy(after));
  await waitUntil(() => endpoint.received.length === 3);
  expect(endpoint.connections()).toBe(3);
  endpoint.answerAll();
  for (const outcome of await Promise.all(calls)) expect(outcome).toMatchObject({ kind: 'accepted' });

  await waitUntil(() => endpoint.connections() === 1, { what: 'the connections of the old configuration to be closed' });
  const late = sendBy(before);
  await waitUntil(() => endpoint.received.length === 4);
  endpoint.answerAll();
  expect(await late).toMatchObject({ kind: 'accepted' });
  await waitUntil(() => endpoint.connections() === 1);
  await here().close();
  await endpoint.stop();
});

it('fails every call of a configuration whose secrets cannot be opened, with the cause', async () => {
  const { id } = await messaging.configure(context);
  await messaging.service.sql("update provider_configurations set key_id = 'removed' where configuration_id = $1", [id]);

  const [found] = await of(here());

  expect(await sendBy(found!)).toEqual({
    kind: 'failed',
    cause: 'configuration',
    reason: 'PROVIDER_ERROR',
    error: `Provider configuration ${id} cannot be used: its secrets were sealed with a key that TIDINGS_SECRET_KEY does not hold`,
  });
  await expect(
    messaging.service.call(providers.replace, context, { id, provider: 'http', settings: { channel: 'sms', url: SMS_SETTINGS.url } }),
  ).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('give settings.secret') as string });
});

it('seals secrets with the new first key at the start, whether older keys sealed them or none', async () => {
  const { id } = await messaging.configure(context);
  const { id: plain } = await messaging.configure(context);
  const secrets = Buffer.from(JSON.stringify({ secret: SMS_SETTINGS.secret }));
  const { sql } = messaging.service;
  await sql('update provider_configurations set key_id = null, secrets = $2 where configuration_id = $1', [plain, secrets]);

  await replica.get<SecretsHandlers>(SecretsHandlers).reseal(context, {});

  const rows = await sql<{ key_id: string }>('select key_id from provider_configurations where configuration_id = any ($1)', [[id, plain]]);
  expect(rows.map(({ key_id }) => key_id)).toEqual([keyIdOf(newKey), keyIdOf(newKey)]);
  const endpoint = await startEndpoint();
  await messaging.service.sql('update provider_configurations set settings = $2, version = version + 1 where configuration_id = $1', [
    plain,
    JSON.stringify({ channel: 'sms', url: endpoint.url }),
  ]);
  const found = await there().find(context.workspaceId, plain);
  const outcome = sendBy(found!);
  await waitUntil(() => endpoint.received.length === 1);
  endpoint.answerAll();
  expect(await outcome).toMatchObject({ kind: 'accepted' });
  await there().close();
  await endpoint.stop();
});

it('loads the configurations of many workspaces together', async () => {
  const others = Array.from({ length: 150 }, () => contextOf(randomUUID()));
  await messaging.configure(others[0]!);
  await messaging.configure(others[149]!);

  const found = await there().ofMany(others.map(({ workspaceId }) => workspaceId));

  expect(found.size).toBe(150);
  expect(shapeOf(found.get(others[149]!.workspaceId)!)).toEqual([expect.stringContaining('http sms'), 'smtp email default']);
  expect(shapeOf(found.get(others[75]!.workspaceId)!)).toEqual(['smtp email default']);
});

describe('where the operator names no sender', () => {
  const HOST = { host: 'mail.example.com' };
  const missing = 'settings.from_address is required: the sender of mails without one, address or Name <address>';
  const there: TestService['call'] = (...parameters) => replica.call(...parameters);

  it('a mail server requires one, when created or replaced', async () => {
    const refused = { code: 'invalid_request', message: missing };
    await expect(there(providers.create, context, { provider: 'smtp', settings: HOST })).rejects.toMatchObject(refused);
    await expect(there(providers.create, context, { provider: 'smtp' })).rejects.toMatchObject({
      message: 'settings must be an object with host and from_address at least (got nothing)',
    });
    const settings = { ...HOST, from_address: 'Shop <shop@example.com>' };
    const { id } = await there(providers.create, context, { provider: 'smtp', settings });
    await expect(there(providers.replace, context, { id, provider: 'smtp', settings: HOST })).rejects.toMatchObject(refused);
    await expect(there(providers.change, context, { id, settings: { from_address: null } })).rejects.toMatchObject(refused);
    await expect(there(providers.change, context, { id, settings: { port: 25 } })).resolves.toMatchObject({ settings });
  });

  it('one that is stored without stays usable and can be changed', async () => {
    const { id } = await messaging.configure(context, { provider: 'smtp', settings: HOST });

    await expect(there(providers.change, context, { id, settings: { port: 25 } })).resolves.toMatchObject({ settings: { port: 25 } });
  });

  it('the catalog marks it as required', async () => {
    const isRequired = async (on: TestService['call']) =>
      (await on(providers.catalog, context, { keys: 'smtp' })).results.map(({ settings }) => settings.from_address?.required);
    expect(await isRequired(there)).toEqual([true]);
    expect(await isRequired(messaging.service.call)).toEqual([false]);
  });
});

describe('the catalog', () => {
  const keysOf = async (query: object) =>
    (await messaging.service.call(providers.catalog, context, query)).results.map(({ provider, channel }) => `${provider} ${channel}`);

  it('describes every setting of every provider on every channel', async () => {
    const { results } = await messaging.service.call(providers.catalog, context, { channel: 'SMS' });

    expect(results).toContainEqual({
      provider: 'http',
      name: 'HTTP endpoint',
      description: expect.any(String) as string,
      channel: 'sms',
      settings: {
        channel: { type: 'enum', required: true, values: ['sms'] },
        url: { type: 'string', required: true },
        secret: { type: 'string', required: true, secret: true },
        authorization: { type: 'string', required: false, secret: true },
        rate_limit: { type: 'object', required: false },
      },
    });
    expect(results.find(({ provider }) => provider === 'twilio')).toMatchObject({
      name: 'Twilio',
      channel: 'sms',
      settings: { auth_token: { type: 'string', required: false, secret: true }, base_url: { type: 'string', required: false } },
    });
  });

  it('filters by channel, keys and name together', async () => {
    const ofEmail = await keysOf({ channel: 'email' });
    expect(ofEmail.slice(0, 3)).toEqual(['smtp email', 'http email', 'sendgrid email']);
    expect(ofEmail.filter((key) => !key.endsWith(' email'))).toEqual([]);
    expect(await keysOf({ keys: 'smtp, sendgrid, pigeon' })).toEqual(['smtp email', 'sendgrid email']);
    expect(await keysOf({ name: 'ENDPOINT', channel: 'push' })).toEqual(['http push']);
    expect(await keysOf({ keys: '' })).toEqual([]);
  });
});
