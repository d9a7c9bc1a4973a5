import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { ApiClient } from './api-client';
import type { SendingFixture } from './sending-fixture';
import { ENVIRONMENT } from './shared-system';

/** Secrets that were given to the product or made by it, each by where it belongs. */
export interface PlantedSecrets {
  secrets: Record<string, string>;
  /** A name of a user, which is not secret: it is in the tables and in the records. */
  control: string;
  /** A message with the control and with secrets, on its way. */
  messageId: string;
}

/** Gives a workspace one secret of each kind. Requests that can be repeated are, so that their answers are stored. */
export async function plantSecrets(fixture: SendingFixture): Promise<PlantedSecrets> {
  const secrets: Record<string, string> = {};
  const secret = (name: string): string => (secrets[name] = drawn());
  const control = `name-${drawn()}`;
  const keyed = <Body>(path: string, body: object, client = fixture.client): Promise<Body> => twice<Body>(client, path, body);
  const credentials = (of: string): object => ({
    slack: { channel: 'C1', access_token: secret(`${of} slack.access_token`) },
    webhook: {
      url: `${fixture.sms.url}/${secret(`${of} webhook.url`)}`,
      headers: { 'x-key': secret(`${of} webhook.headers`) },
      authentication: { mode: 'bearer', token: secret(`${of} webhook.authentication.token`) },
    },
    pagerduty: { routing_key: secret(`${of} pagerduty.routing_key`) },
  });
  const override = (of: string): object => ({
    http: { override: { config: { authorization: `Bearer ${secret(`${of} config`)}` }, headers: { 'x-key': secret(`${of} headers`) } } },
  });
  const content = { title: 'Hello', body: `Hello ${control}` };
  const routing = { method: 'single', channels: ['sms'] };

  const { key, pem } = drawnKey();
  secrets['smtp dkim.private_key'] = key;
  const dkim = { domain: 'example.com', selector: 'tidings', private_key: pem };
  const server = { host: 'mail.example.com', from_address: 'shop@example.com' };
  const login = { user: 'shop', pass: secret('smtp pass') };
  await keyed('/providers', { provider: 'smtp', alias: 'signed', enabled: false, settings: { ...server, ...login, dkim } });
  const settings = { channel: 'webhook', url: fixture.sms.url, secret: secret('http secret'), authorization: secret('http authorization') };
  const { id } = await keyed<{ id: string }>('/providers', { provider: 'http', alias: 'hooks', title: control, settings });
  await fixture.call('PATCH', `/providers/${id}`, { settings: { authorization: secret('http authorization, changed') } });

  const user = await fixture.user();
  await fixture.call('PUT', `/profiles/${user}`, {
    profile: { name: control, phone_number: fixture.phone, ...credentials('replaced profile') },
  });
  await keyed(`/profiles/${user}`, { profile: credentials('merged profile') });
  await fixture.call('PATCH', `/profiles/${user}`, {
    patch: [{ op: 'replace', path: '/slack/access_token', value: secret('patched profile') }],
  });
  const tenant = fixture.name('tenant');
  await fixture.call('PUT', `/tenants/${tenant}`, { name: control, user_profile: credentials('tenant') });
  await fixture.call('PUT', `/users/${user}/tenants/${tenant}`, { profile: credentials('profile in a tenant') });

  const strategy = { name: control, routing, providers: override('routing strategy') };
  const { id: strategy_id } = await keyed<{ id: string }>('/routing-strategies', strategy);
  const replaced = { ...strategy, channels: { sms: { override: { headers: { 'x-channel': secret('replaced routing strategy') } } } } };
  await fixture.call('PUT', `/routing-strategies/${strategy_id}`, replaced);
  const template = await fixture.template({ name: control, routing: { strategy_id } });
  const elements = [{ type: 'text', content: control }];
  const ofTenant = { content: { version: '2022-01-01', elements }, routing, providers: override("tenant's template") };
  const draft = { ...ofTenant, providers: override("draft of a tenant's template") };
  await fixture.call('PUT', `/tenants/${tenant}/templates/${template}`, { template: ofTenant, published: true });
  await fixture.call('PUT', `/tenants/${tenant}/templates/${template}`, { template: draft });
  await keyed('/send', { message: { to: { user_id: user }, template } });
  await keyed('/send', { message: { to: { user_id: user, tenant_id: tenant }, template } });

  const send = { to: { user_id: user, ...credentials('send') }, content, providers: override('send'), routing };
  const { requestId: messageId } = await keyed<{ requestId: string }>('/send', { message: send });
  const bulk = { message: { content, providers: override('bulk job'), routing } };
  const { jobId } = await keyed<{ jobId: string }>('/bulk', bulk);
  await keyed(`/bulk/${jobId}`, { users: [{ recipient: user, profile: credentials('bulk user') }] });
  await fixture.call('POST', `/bulk/${jobId}/run`);

  secrets['API key'] = fixture.system.key;
  const operator = new ApiClient(fixture.system.url, fixture.system.adminKey);
  const keys = `/admin/workspaces/${fixture.system.workspaceId}/keys`;
  secrets['second API key'] = (await fixture.call<{ key: string }>('POST', keys, { mode: 'test', name: control }, operator)).key;
  const grant = { scope: `user_id:${user} read:messages`, expires_in: '1 hour' };
  const { token } = await keyed<{ token: string }>('/auth/issue-token', grant);
  secrets['signature of an issued token'] = token.slice(token.lastIndexOf('.') + 1);
  secrets['secret key'] = ENVIRONMENT.TIDINGS_SECRET_KEY;
  secrets["operators' key"] = ENVIRONMENT.TIDINGS_ADMIN_KEY;
  return { secrets, control, messageId };
}

const drawn = (): string => randomBytes(18).toString('hex');

/** An RSA key, with a line of its text that no other key has. */
function drawnKey(): { pem: string; key: string } {
  const { privateKey: pem } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { pem, key: pem.split('\n')[5]! };
}

/** Posts the body twice with one Idempotency-Key; resolves with the first answer. */
async function twice<Body>(client: ApiClient, path: string, body: object): Promise<Body> {
  const request = { body, headers: { 'idempotency-key': drawn() } };
  const first = await client.request<Body>('POST', path, request);
  const { status } = await client.request('POST', path, request);
  if (first.status >= 300 || status !== first.status)
    throw new Error(`POST ${path}: ${first.status} ${JSON.stringify(first.body)}, ${status}`);
  return first.body;
}
