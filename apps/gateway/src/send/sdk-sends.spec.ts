import type { MessageRequested } from '@tidings/contracts/messaging/events';
import Courier from '@trycourier/courier';
import { KEY, startTestGateway, type TestGateway } from '../testing/start-test-gateway';

type Message = Courier.SendMessageParams['message'];

let gateway: TestGateway;
let sdk: Courier;
beforeAll(async () => {
  gateway = await startTestGateway();
  sdk = new Courier({ apiKey: KEY, baseURL: gateway.url, maxRetries: 0 });
});
afterAll(() => gateway.stop());

const TO: Record<string, NonNullable<Message['to']>> = {
  'a user with everything': {
    user_id: 'anna',
    email: 'anna@example.com',
    phone_number: '+15550100',
    locale: 'fr_FR',
    tenant_id: 'acme',
    account_id: null,
    list_id: null,
    data: { any: [1, { thing: null }] },
    context: { tenant_id: 'acme' },
    preferences: {
      notifications: {
        welcome: {
          status: 'OPTED_IN',
          channel_preferences: [{ channel: 'sms' }],
          rules: [{ until: '2030-01-01T00:00:00+02:00' }],
          source: 'list',
        },
      },
      categories: null,
      templateId: 'welcome',
    },
  },
  'a tenant': { tenant_id: 'acme', user_id: null },
  'an audience': { audience_id: 'big', data: null, filters: [{ operator: 'MEMBER_OF', path: 'account_id', value: 'acme' }] },
  'a list': { list_id: 'a.b', data: {}, filters: null },
  'a pattern': { list_pattern: 'a.**' },
  'a Slack channel': { slack: { access_token: 'xoxb', channel: 'C1' } },
  'a Slack e-mail': { slack: { access_token: 'xoxb', email: 'anna@example.com' } },
  'a Slack user': { slack: { access_token: 'xoxb', user_id: 'U1' } },
  'a Teams user': { ms_teams: { tenant_id: 't', service_url: 'https://smba.trafficmanager.net/amer', user_id: 'U' } },
  'a Teams e-mail': { ms_teams: { tenant_id: 't', service_url: 'https://smba.trafficmanager.net/amer', email: 'anna@example.com' } },
  'a Teams channel': { ms_teams: { tenant_id: 't', service_url: 'https://smba.trafficmanager.net/amer', channel_id: 'C' } },
  'a Teams conversation': { ms_teams: { tenant_id: 't', service_url: 'https://smba.trafficmanager.net/amer', conversation_id: 'C' } },
  'a named Teams channel': {
    ms_teams: { tenant_id: 't', service_url: 'https://smba.trafficmanager.net/amer', channel_name: 'General', team_id: 'T' },
  },
  PagerDuty: { pagerduty: { routing_key: 'key', event_action: 'trigger', severity: null, source: 'tidings' } },
  'a webhook': {
    webhook: {
      url: 'https://example.com/hook',
      method: 'PUT',
      headers: { 'x-one': 'two' },
      authentication: { mode: 'basic', username: 'a', password: 'b', token: null },
      profile: 'expanded',
    },
  },
  several: [{ user_id: 'anna' }, { list_id: 'a' }, { audience_id: 'big' }],
};

const REST: Record<string, Partial<Message>> = {
  'simple content': { content: { title: 'Hello', body: 'World' } },
  Elemental: {
    content: {
      version: '2022-01-01',
      elements: [
        { type: 'text', if: 'true' },
        { type: 'divider', channels: ['email'] },
      ],
    },
  },
  'a template with everything': {
    template: 'welcome',
    brand_id: 'brand',
    data: { any: 'thing' },
    context: { tenant_id: 'acme' },
    channels: {
      email: {
        brand_id: null,
        if: 'data.x === 1',
        metadata: { utm: { source: 'a', medium: null } },
        override: { any: 'thing' },
        providers: ['smtp'],
        routing_method: 'all',
        timeouts: { channel: 60_000, provider: null },
      },
    },
    providers: { smtp: { if: 'true', metadata: { utm: null }, override: { body: {} }, timeouts: 60_000 } },
    routing: { method: 'single', channels: ['email', { method: 'all', channels: ['sms', 'push'] }] },
    metadata: { event: 'signed-up', tags: ['a'], trace_id: 'trace', utm: { campaign: 'c', content: 'd', term: null } },
    preferences: { subscription_topic_id: 'topic' },
    delay: { until: 'Mo-Fr 09:00-17:00', timezone: 'America/Los_Angeles', duration: null },
    timeout: { message: 60_000, channel: { email: 30_000 }, provider: { smtp: 10_000 }, criteria: 'delivered', escalation: 5_000 },
    expiry: { expires_in: 'P1DT4H', expires_at: '2030-01-01T00:00:00Z' },
  },
};

it.each(Object.entries(TO))('accepts a send of the SDK to %s', async (_, to) => {
  const { requestId } = await sdk.send.message({ message: { to, template: 'welcome' } });

  expect(gateway.events.appended.at(-1)!.id).toBe(requestId);
  expect(gateway.events.appended.at(-1)!.payload).not.toHaveProperty('warnings');
});

it.each(Object.entries(REST))('accepts a send of the SDK with %s', async (_, rest) => {
  const { requestId } = await sdk.send.message({ message: { to: { user_id: 'anna' }, ...rest } });

  expect(gateway.events.appended.at(-1)!.id).toBe(requestId);
  // The SDK's type of a text has no content.
  const warnings = rest.content && 'elements' in rest.content ? [expect.stringContaining('is a text without content')] : undefined;
  expect((gateway.events.appended.at(-1)!.payload as MessageRequested).warnings).toEqual(warnings);
});
