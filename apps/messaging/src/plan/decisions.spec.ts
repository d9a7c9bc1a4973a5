import type { StoredDecision } from '@tidings/contracts/messaging/decisions';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { decided, sendRequest, template, TS } from './deciding.fixture';
import type { RoutingContext } from './routing-context';

const decisionsOf = (fields: Partial<MessageRequested>, context: Partial<RoutingContext> = {}): StoredDecision[] => {
  const { events } = decided(sendRequest(fields), context);
  return events.find(({ type }) => type === 'PROFILE_LOADED')!.decided as StoredDecision[];
};

/** Providers that cannot reach anyone. */
const unreachable = {
  integrations: ['email', 'sms'].map((channel) => ({ id: channel, provider: channel, channel, needs: () => undefined })) as never,
};
const topic = { topic_id: 'tpc_1', section_id: 's', name: 'Offers', default_status: 'OPTED_IN' } as NonNullable<RoutingContext['topic']>;
const ofTopic = { topicId: 'tpc_1' };
const choosing = (choice: object): Partial<RoutingContext> => ({
  topic,
  recipient: { profile: {}, choices: [{ topic_id: 'tpc_1', tenant_id: null, ...choice }] } as never,
});
const acme = { tenant_id: 'acme', name: 'Acme', user_profile: null, properties: null, brand_id: null };
const routed = (methodAndRoutes: object = {}) => ({ code: 'routing', from: 'send', ...methodAndRoutes });
const BOTH = routed({ method: 'all', routes: ['email/email', 'sms/sms'] });

it.each<[string, Partial<MessageRequested>, Partial<RoutingContext>, unknown[]]>([
  ['the routing alone, where nothing stands against a message', {}, {}, [BOTH]],
  [
    'the default of the topic',
    ofTopic,
    { topic },
    [{ code: 'preference', result: 'passed', topic: 'tpc_1', by: { source: 'topic-default', id: 'tpc_1' } }, BOTH],
  ],
  ['a topic that the workspace does not have', ofTopic, {}, [{ code: 'preference', result: 'passed', topic: 'tpc_1' }, BOTH]],
  [
    'an opt-out of the user',
    ofTopic,
    choosing({ status: 'OPTED_OUT' }),
    [{ code: 'preference', result: 'opted_out', topic: 'tpc_1', by: { source: 'user' } }],
  ],
  [
    'an opt-out that the topic overrides',
    ofTopic,
    { ...choosing({ status: 'OPTED_OUT' }), topic: { ...topic, default_status: 'REQUIRED' } },
    [{ code: 'preference', result: 'passed', topic: 'tpc_1', by: { source: 'topic-default', id: 'tpc_1' }, required: true }, BOTH],
  ],
  [
    'a topic that requires an opt-in',
    ofTopic,
    { topic: { ...topic, default_status: 'OPTED_OUT' } },
    [{ code: 'preference', result: 'opt_in_required', topic: 'tpc_1', by: { source: 'topic-default', id: 'tpc_1' } }],
  ],
  [
    'the default of a tenant',
    ofTopic,
    {
      topic,
      tenant: { tenant_id: 'acme', chain: [acme], defaults: [{ tenant_id: 'acme', topic_id: 'tpc_1', status: 'OPTED_OUT' }] } as never,
    },
    [{ code: 'preference', result: 'opt_in_required', topic: 'tpc_1', by: { source: 'tenant-default', id: 'acme' } }],
  ],
  [
    'a snooze',
    {},
    { template: template({ topic_id: 'tpc_1' }), topic, recipient: { profile: {}, preferences: snooze('2026-02-01') } as never },
    [{ code: 'preference', result: 'snoozed', topic: 'tpc_1', by: { source: 'user', until: Date.UTC(2026, 1, 1) } }],
  ],
  [
    'the chosen channels, and those that they remove',
    ofTopic,
    choosing({ has_custom_routing: true, custom_routing: ['sms'] }),
    [
      { code: 'preference', result: 'passed', topic: 'tpc_1', by: { source: 'user' }, channels: ['sms'] },
      routed(),
      { code: 'removed', channels: ['email'], by: { source: 'user' } },
    ],
  ],
  [
    'a missing address, by its field',
    { profile: { phone_number: '+4915123456789' } },
    {},
    [routed(), { code: 'lacks', channel: 'email', field: 'profile.email' }],
  ],
  [
    'an address that is none, without its value',
    { profile: { email: 'profile.secret' } },
    unreachable,
    [
      routed(),
      { code: 'lacks', channel: 'email', field: 'profile.email', isInvalid: true },
      { code: 'lacks', channel: 'sms', field: 'profile.phone_number' },
    ],
  ],
  ['the conditions that are not met', { channels: { sms: { if: 'data.a' } } }, {}, [routed(), { code: 'condition', channels: ['sms'] }]],
  [
    'channels of the send without a provider',
    { routing: { method: 'single', channels: ['push', 'email'] } },
    {},
    [routed(), { code: 'unconfigured', channels: ['push'] }],
  ],
  [
    'no unconfigured channel of the default routing',
    { routing: undefined },
    {},
    [{ code: 'routing', from: 'default', method: 'single', routes: ['email/email', 'sms/sms'] }],
  ],
  [
    'the routing of the template',
    { routing: undefined },
    { template: template({ routing: { method: 'single', channels: ['sms'] } }) },
    [{ code: 'routing', from: 'template' }],
  ],
])('stores %s', (_case, fields, context, expected) => {
  // As it is stored: fields without a value are left out.
  expect(JSON.parse(JSON.stringify(decisionsOf(fields, context)))).toEqual(expected);
});

it('names no address and no user, whatever stops the message', () => {
  const ada = { profile: { email: 'ada@', phone_number: 'call ada' }, recipient: 'ada', userId: 'ada', ...ofTopic };
  expect(JSON.stringify(decisionsOf(ada, { topic, ...unreachable }))).not.toMatch(/ada/);
  expect(JSON.stringify(decisionsOf(ada, choosing({ status: 'OPTED_OUT' })))).not.toMatch(/ada/);
});

function snooze(until: string) {
  return { notifications: { t: { status: 'OPTED_IN', rules: [{ until, start: new Date(TS - 1).toISOString() }] } } };
}
