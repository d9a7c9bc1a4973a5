import type { PreferenceStatus } from '@tidings/contracts/core/preferences';
import type { ChainTenant, LoadedRecipient, TenantDefault } from '@tidings/contracts/identity/recipients';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { sendRequest, decided, HOUR_MS, outcome, template, TS } from './deciding.fixture';
import type { RoutingContext } from './routing-context';

describe('the effective preference', () => {
  const topic = (default_status: PreferenceStatus): Pick<RoutingContext, 'topic'> => ({
    topic: {
      workspace_id: 'w',
      topic_id: 'news',
      name: 'News',
      default_status,
      include_unsubscribe_header: false,
      section_id: 's',
      section_name: 'S',
    },
  });
  const choice = (status: PreferenceStatus | null, tenant_id: string | null = null, routing?: string[]) =>
    ({ topic_id: 'news', tenant_id, status, has_custom_routing: routing !== undefined, custom_routing: routing ?? [] }) as never;
  const recipient = (fields: Partial<LoadedRecipient>): Pick<RoutingContext, 'recipient'> => ({ recipient: { profile: {}, ...fields } });
  const chain = (...ids: string[]): ChainTenant[] =>
    ids.map((tenant_id) => ({ tenant_id, name: tenant_id, brand_id: null, properties: null, user_profile: null }));
  const tenant = (status?: PreferenceStatus, tenant_id = 'acme', routing: string[] = []): Pick<RoutingContext, 'tenant'> => ({
    tenant: {
      workspace_id: 'w',
      tenant_id: 'acme',
      chain: chain('root', 'acme'),
      defaults: status
        ? [{ tenant_id, topic_id: 'news', status, has_custom_routing: routing.length > 0, custom_routing: routing } as TenantDefault]
        : [],
    },
  });
  const preferring = (status: PreferenceStatus) => ({ categories: { news: { status } } });
  const until = (ms: number) =>
    ({ categories: { news: { status: 'OPTED_IN', rules: [{ type: 'snooze', until: new Date(TS + ms).toISOString() }] } } }) as never;
  const OUT = 'UNDELIVERABLE · UNSUBSCRIBED';
  const NOT_IN = 'UNDELIVERABLE · OPT_IN_REQUIRED';

  it.each<[string, Partial<MessageRequested>, Partial<RoutingContext>, string]>([
    ['no preference exists', {}, topic('OPTED_IN'), 'routes'],
    ['no preference exists for an unknown topic', {}, {}, 'routes'],
    ['the default is out', {}, topic('OPTED_OUT'), `${NOT_IN} · default of topic News`],
    ['the list is out', { list: { id: 'l', preferences: preferring('OPTED_OUT') } }, topic('OPTED_IN'), `${OUT} · preferences of list l`],
    ['the list is in against the default', { list: { id: 'l', preferences: preferring('OPTED_IN') } }, topic('OPTED_OUT'), 'routes'],
    [
      'the subscription is in against the list',
      { list: { id: 'l', preferences: preferring('OPTED_OUT'), subscription: preferring('OPTED_IN') } },
      topic('OPTED_IN'),
      'routes',
    ],
    [
      'the subscription is out against the list',
      { list: { id: 'l', preferences: preferring('OPTED_IN'), subscription: preferring('OPTED_OUT') } },
      topic('OPTED_IN'),
      `${OUT} · subscription of user ada to list l`,
    ],
    [
      'the tenant is out against the subscription',
      { list: { id: 'l', subscription: preferring('OPTED_IN') } },
      { ...topic('OPTED_IN'), ...tenant('OPTED_OUT') },
      `${NOT_IN} · default of tenant acme`,
    ],
    ['a parent tenant is out', {}, { ...topic('OPTED_IN'), ...tenant('OPTED_OUT', 'root') }, `${NOT_IN} · default of tenant root`],
    [
      'the user is in against the tenant',
      {},
      { ...topic('OPTED_IN'), ...tenant('OPTED_OUT'), ...recipient({ choices: [choice('OPTED_IN')] }) },
      'routes',
    ],
    ['the user is out', {}, { ...topic('OPTED_IN'), ...recipient({ choices: [choice('OPTED_OUT')] }) }, `${OUT} · own choice of user ada`],
    [
      'the user is out against the tenant',
      {},
      { ...topic('OPTED_IN'), ...tenant('OPTED_IN'), ...recipient({ choices: [choice('OPTED_OUT')] }) },
      `${OUT} · own choice of user ada`,
    ],
    [
      'the user is in within the tenant, out elsewhere',
      {},
      { ...topic('OPTED_IN'), ...tenant(), ...recipient({ choices: [choice('OPTED_OUT'), choice('OPTED_IN', 'acme')] }) },
      'routes',
    ],
    [
      'the user is out within the tenant, in elsewhere',
      {},
      { ...topic('OPTED_IN'), ...tenant(), ...recipient({ choices: [choice('OPTED_IN'), choice('OPTED_OUT', 'acme')] }) },
      `${OUT} · own choice of user ada in tenant acme`,
    ],
    [
      'the user is out within another tenant',
      {},
      { ...topic('OPTED_IN'), ...tenant(), ...recipient({ choices: [choice('OPTED_OUT', 'other')] }) },
      'routes',
    ],
    [
      'the user is out within a tenant, and the message is in none',
      {},
      { ...topic('OPTED_IN'), ...recipient({ choices: [choice('OPTED_OUT', 'acme')] }) },
      'routes',
    ],
    [
      'the send is in against the user',
      { preferences: preferring('OPTED_IN') },
      { ...topic('OPTED_IN'), ...recipient({ choices: [choice('OPTED_OUT')] }) },
      'routes',
    ],
    [
      'the send is out against the user',
      { preferences: preferring('OPTED_OUT') },
      { ...topic('OPTED_IN'), ...recipient({ choices: [choice('OPTED_IN')] }) },
      `${OUT} · preferences given with the send`,
    ],
    ['it is required, and the user is out', {}, { ...topic('REQUIRED'), ...recipient({ choices: [choice('OPTED_OUT')] }) }, 'routes'],
    [
      'it is required by the tenant, and the send is out',
      { preferences: preferring('OPTED_OUT') },
      { ...topic('OPTED_IN'), ...tenant('REQUIRED') },
      'routes',
    ],
    ['it is required and snoozed', { preferences: until(HOUR_MS) }, topic('REQUIRED'), 'routes'],
    [
      'it is snoozed',
      { preferences: until(HOUR_MS) },
      topic('OPTED_IN'),
      `${OUT} · preferences given with the send: snoozed until ${new Date(TS + HOUR_MS).toISOString()}`,
    ],
    ['it was snoozed', { preferences: until(-HOUR_MS) }, topic('OPTED_IN'), 'routes'],
    [
      'only channels outside its routing were chosen',
      {},
      { ...topic('OPTED_IN'), ...recipient({ choices: [choice('OPTED_IN', null, ['push'])] }) },
      'UNROUTABLE · UNSUBSCRIBED · own choice of user ada',
    ],
    [
      'only channels outside its routing were chosen, and it is required',
      {},
      { ...topic('REQUIRED'), ...recipient({ choices: [choice('OPTED_IN', null, ['push'])] }) },
      'routes',
    ],
    [
      'only channels were chosen; the status comes from the topic',
      {},
      { ...topic('OPTED_OUT'), ...recipient({ choices: [choice(null, null, ['email'])] }) },
      `${NOT_IN} · default of topic News`,
    ],
    [
      'the recipient is an address without a user, which has no preferences',
      { userId: undefined },
      { ...topic('OPTED_IN'), ...recipient({ choices: [choice('OPTED_OUT')] }) },
      'routes',
    ],
  ])('where %s', (_case, fields, context, expected) => {
    expect(outcome(decided(sendRequest({ topicId: 'news', ...fields }), context))).toBe(expected);
  });

  it('that stops a message is also recorded among its providers, without a channel or provider', () => {
    const context = { ...topic('OPTED_OUT'), template: template({ topic_id: 'news' }) };
    const { verdict } = decided(sendRequest({ content: undefined, template: 't' }), context);
    const error = 'Notification requires an opt-in by user';
    expect(verdict).toMatchObject({
      error,
      records: [{ channel: { key: '' }, provider: '', status: 'UNDELIVERABLE', error }],
    });
  });

  it('applies to the topic that the send names, else to that of the template', () => {
    const context = { ...topic('OPTED_IN'), template: template({ topic_id: 'news' }), ...recipient({ choices: [choice('OPTED_OUT')] }) };
    expect(outcome(decided(sendRequest({ content: undefined, template: 't' }), context))).toBe(`${OUT} · own choice of user ada`);
    expect(outcome(decided(sendRequest({ content: undefined, template: 't', topicId: 'other' }), context))).toBe('routes');
  });

  it('removes channels that were not chosen, and ignores conditions', () => {
    const context = { ...topic('OPTED_IN'), ...recipient({ choices: [choice('OPTED_IN', null, ['sms'])] }) };
    const { verdict } = decided(sendRequest({ topicId: 'news', channels: { sms: { if: 'false' } } }), context);
    expect(verdict).toMatchObject({ tree: { leaves: [{ channel: 'sms' }] } });
  });
});
