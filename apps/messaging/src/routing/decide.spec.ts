import type { LoadedTemplate } from '@tidings/contracts/content/sending-templates';
import type { PreferenceStatus } from '@tidings/contracts/core/preferences';
import type { ChainTenant, LoadedRecipient, TenantDefault } from '@tidings/contracts/identity/recipients';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { ProviderConfiguration } from '../providers/provider-configurations';
import { decide, type Decision, type Ended } from './decide';
import { type Known, profilesOf, tenantBrand, tenantVariables } from './known';

const TS = Date.UTC(2026, 0, 5, 12);
const HOUR_MS = 3_600_000;
const CONTENT = { title: 'Hello', body: 'World' };

const integration = (channel: string, field: string): ProviderConfiguration =>
  ({
    id: `p-${channel}`,
    provider: channel,
    channel,
    needs: ({ profile }: { profile: Record<string, unknown> }) => profile[field],
  }) as never;
const INTEGRATIONS = [integration('email', 'email'), integration('sms', 'phone_number')];
const PROFILE = { email: 'ada@example.com', phone_number: '+49' };

const ask = (fields: Partial<MessageRequested> = {}): MessageRequested => ({
  workspaceId: 'w',
  id: 'm',
  recipient: 'ada',
  userId: 'ada',
  requestedAt: TS,
  mode: 'production',
  profile: PROFILE,
  content: CONTENT,
  routing: { method: 'all', channels: ['email', 'sms'] },
  data: {},
  event: '',
  tags: [],
  ...fields,
});
const template = (fields: Partial<LoadedTemplate> = {}): LoadedTemplate =>
  ({
    notification_id: 't',
    content: CONTENT,
    published: true,
    channels: {},
    providers: {},
    routing: null,
    topic_id: null,
    tags: [],
    ...fields,
  }) as never;
const decided = (request: MessageRequested, known: Partial<Known> = {}, at: Partial<Parameters<typeof decide>[2]> = {}): Decision =>
  decide(request, { integrations: INTEGRATIONS, ...known }, { isDue: false, isStored: false, ts: TS, ...at });
/** What became of it: `ways`, or how it ended. */
const outcome = ({ verdict, events }: Decision): unknown => {
  if (verdict.kind !== 'ended') return verdict.kind;
  const { status, reason } = verdict;
  return [status, reason, (events.at(-1) as { rule?: string }).rule].filter((one) => one !== undefined).join(' · ');
};
const typesOf = ({ events }: Decision): string[] => events.map(({ type }) => type);

describe('the effective preference', () => {
  const topic = (default_status: PreferenceStatus): Pick<Known, 'topic'> => ({
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
  const recipient = (fields: Partial<LoadedRecipient>): Pick<Known, 'recipient'> => ({ recipient: { profile: {}, ...fields } });
  const chain = (...ids: string[]): ChainTenant[] =>
    ids.map((tenant_id) => ({ tenant_id, name: tenant_id, brand_id: null, properties: null, user_profile: null }));
  const tenant = (status?: PreferenceStatus, tenant_id = 'acme', routing: string[] = []): Pick<Known, 'tenant'> => ({
    tenant: {
      workspace_id: 'w',
      tenant_id: 'acme',
      chain: chain('root', 'acme'),
      defaults: status
        ? [{ tenant_id, topic_id: 'news', status, has_custom_routing: routing.length > 0, custom_routing: routing } as TenantDefault]
        : [],
    },
  });
  const said = (status: PreferenceStatus) => ({ categories: { news: { status } } });
  const until = (ms: number) =>
    ({ categories: { news: { status: 'OPTED_IN', rules: [{ type: 'snooze', until: new Date(TS + ms).toISOString() }] } } }) as never;
  const OUT = 'UNDELIVERABLE · UNSUBSCRIBED';
  const NOT_IN = 'UNDELIVERABLE · OPT_IN_REQUIRED';

  it.each<[string, Partial<MessageRequested>, Partial<Known>, string]>([
    ['nothing was said', {}, topic('OPTED_IN'), 'ways'],
    ['nothing was said of a topic nobody has', {}, {}, 'ways'],
    ['the default is out', {}, topic('OPTED_OUT'), `${NOT_IN} · default of topic News`],
    ['the list is out', { list: { id: 'l', preferences: said('OPTED_OUT') } }, topic('OPTED_IN'), `${OUT} · preferences of list l`],
    ['the list is in against the default', { list: { id: 'l', preferences: said('OPTED_IN') } }, topic('OPTED_OUT'), 'ways'],
    [
      'the subscription is in against the list',
      { list: { id: 'l', preferences: said('OPTED_OUT'), subscription: said('OPTED_IN') } },
      topic('OPTED_IN'),
      'ways',
    ],
    [
      'the subscription is out against the list',
      { list: { id: 'l', preferences: said('OPTED_IN'), subscription: said('OPTED_OUT') } },
      topic('OPTED_IN'),
      `${OUT} · subscription of user ada to list l`,
    ],
    [
      'the tenant is out against the subscription',
      { list: { id: 'l', subscription: said('OPTED_IN') } },
      { ...topic('OPTED_IN'), ...tenant('OPTED_OUT') },
      `${NOT_IN} · default of tenant acme`,
    ],
    ['a tenant above is out', {}, { ...topic('OPTED_IN'), ...tenant('OPTED_OUT', 'root') }, `${NOT_IN} · default of tenant root`],
    [
      'the user is in against the tenant',
      {},
      { ...topic('OPTED_IN'), ...tenant('OPTED_OUT'), ...recipient({ choices: [choice('OPTED_IN')] }) },
      'ways',
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
      'ways',
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
      'ways',
    ],
    [
      'the user is out within a tenant, and the message is in none',
      {},
      { ...topic('OPTED_IN'), ...recipient({ choices: [choice('OPTED_OUT', 'acme')] }) },
      'ways',
    ],
    [
      'the send is in against the user',
      { preferences: said('OPTED_IN') },
      { ...topic('OPTED_IN'), ...recipient({ choices: [choice('OPTED_OUT')] }) },
      'ways',
    ],
    [
      'the send is out against the user',
      { preferences: said('OPTED_OUT') },
      { ...topic('OPTED_IN'), ...recipient({ choices: [choice('OPTED_IN')] }) },
      `${OUT} · preferences given with the send`,
    ],
    ['it is required, and the user is out', {}, { ...topic('REQUIRED'), ...recipient({ choices: [choice('OPTED_OUT')] }) }, 'ways'],
    [
      'it is required by the tenant, and the send is out',
      { preferences: said('OPTED_OUT') },
      { ...topic('OPTED_IN'), ...tenant('REQUIRED') },
      'ways',
    ],
    ['it is required and snoozed', { preferences: until(HOUR_MS) }, topic('REQUIRED'), 'ways'],
    [
      'it is snoozed',
      { preferences: until(HOUR_MS) },
      topic('OPTED_IN'),
      `${OUT} · preferences given with the send: snoozed until ${new Date(TS + HOUR_MS).toISOString()}`,
    ],
    ['it was snoozed', { preferences: until(-HOUR_MS) }, topic('OPTED_IN'), 'ways'],
    [
      'channels were chosen that it does not have',
      {},
      { ...topic('OPTED_IN'), ...recipient({ choices: [choice('OPTED_IN', null, ['push'])] }) },
      'UNROUTABLE · UNSUBSCRIBED · own choice of user ada',
    ],
    [
      'channels were chosen that it does not have, and it is required',
      {},
      { ...topic('REQUIRED'), ...recipient({ choices: [choice('OPTED_IN', null, ['push'])] }) },
      'ways',
    ],
    [
      'only channels were chosen; the status comes from below',
      {},
      { ...topic('OPTED_OUT'), ...recipient({ choices: [choice(null, null, ['email'])] }) },
      `${NOT_IN} · default of topic News`,
    ],
    [
      'a bare address is out of nothing',
      { userId: undefined },
      { ...topic('OPTED_IN'), ...recipient({ choices: [choice('OPTED_OUT')] }) },
      'ways',
    ],
  ])('where %s', (_case, fields, known, expected) => {
    expect(outcome(decided(ask({ topicId: 'news', ...fields }), known))).toBe(expected);
  });

  it('that stops a message stands among the providers of its record too, of which none was chosen', () => {
    const known = { ...topic('OPTED_OUT'), template: template({ topic_id: 'news' }) };
    const { verdict } = decided(ask({ content: undefined, template: 't' }), known);
    const error = 'Notification requires an opt-in by user';
    expect(verdict).toMatchObject({
      error,
      records: [{ channel: { key: '', template: 't' }, provider: '', status: 'UNDELIVERABLE', error }],
    });
  });

  it('is that of the topic the send names, else of the template’s', () => {
    const known = { ...topic('OPTED_IN'), template: template({ topic_id: 'news' }), ...recipient({ choices: [choice('OPTED_OUT')] }) };
    expect(outcome(decided(ask({ content: undefined, template: 't' }), known))).toBe(`${OUT} · own choice of user ada`);
    expect(outcome(decided(ask({ content: undefined, template: 't', topicId: 'other' }), known))).toBe('ways');
  });

  it('takes away what was not chosen, and then no condition counts', () => {
    const known = { ...topic('OPTED_IN'), ...recipient({ choices: [choice('OPTED_IN', null, ['sms'])] }) };
    const { verdict } = decided(ask({ topicId: 'news', channels: { sms: { if: 'false' } } }), known);
    expect(verdict).toMatchObject({ tree: { leaves: [{ channel: 'sms' }] } });
  });
});

describe('the order of decisions', () => {
  it.each<[string, Partial<MessageRequested>, Partial<Known>, unknown, string[]]>([
    ['no template', { template: 'x' }, { template: null }, 'UNMAPPED', ['UNMAPPED']],
    ['no template, delayed', { template: 'x', delay: { untilMs: TS + HOUR_MS } }, { template: null }, 'UNMAPPED', ['UNMAPPED']],
    ['a delay', { template: 'x', delay: { untilMs: TS + HOUR_MS } }, { template: template() }, 'delayed', ['MAPPED', 'DELAYED']],
    ['a delay that is over', { delay: { untilMs: TS - HOUR_MS } }, {}, 'ways', ['PROFILE_LOADED']],
    [
      'a duration that counts from the acceptance',
      { delay: { durationMs: HOUR_MS }, requestedAt: TS - HOUR_MS },
      {},
      'ways',
      ['PROFILE_LOADED'],
    ],
    ['an open window', { delay: { window: 'Mo 09:00-17:00' } }, {}, 'ways', ['PROFILE_LOADED']],
    ['a closed window', { delay: { window: 'Mo 13:00-17:00' } }, {}, 'delayed', ['DELAYED']],
    [
      'a window in the zone of the recipient',
      { delay: { window: 'Mo 13:00-17:00' }, profile: { ...PROFILE, timezone: 'Europe/Berlin' } },
      {},
      'ways',
      ['PROFILE_LOADED'],
    ],
    ['a window that never opens', { delay: { window: 'Feb 30: 09:00-17:00' } }, {}, 'UNDELIVERABLE · FAILED', ['UNDELIVERABLE']],
    [
      'a template that is not published',
      { template: 'x' },
      { template: template({ content: null }) },
      'UNROUTABLE · UNPUBLISHED',
      ['MAPPED', 'PROFILE_LOADED', 'UNROUTABLE'],
    ],
    [
      'no condition that is met',
      { channels: { email: { if: 'data.a' }, sms: { if: 'data.a' } } },
      {},
      'FILTERED · FILTERED',
      ['PROFILE_LOADED', 'FILTERED'],
    ],
    ['nothing in the way', { template: 'x' }, { template: template() }, 'ways', ['MAPPED', 'PROFILE_LOADED']],
  ])('with %s', (_case, fields, known, expected, types) => {
    const decision = decided(ask({ ...(fields.template !== undefined && { content: undefined }), ...fields }), known);
    expect(outcome(decision)).toBe(expected);
    expect(typesOf(decision)).toEqual(types);
  });

  it('with a condition that cannot be read says so, where it was filtered for it', () => {
    const { verdict } = decided(ask({ channels: { email: { if: 'data.(' }, sms: { if: 'data.a' } } }), {});
    expect(verdict).toMatchObject({
      status: 'FILTERED',
      error: expect.stringMatching(/^The conditions of email, sms are not met\. The condition "data\.\(" counts as false: /) as string,
    });
  });

  it('behind its delay maps no second time, looks at no window, and counts its time from then', () => {
    const decision = decided(
      ask({ template: 'x', delay: { window: 'Mo 13:00-17:00' } }),
      { template: template() },
      { isDue: true, isStored: true },
    );
    expect(typesOf(decision)).toEqual(['PROFILE_LOADED']);
    expect(decision.events[0]).toMatchObject({ received_profile: PROFILE });
    expect(decision.verdict).toMatchObject({ kind: 'ways', tree: { since: TS } });
  });

  it('taken up at its turn tells the received profile in its own row', () => {
    expect(decided(ask(), {}, { isStored: true }).events[0]).toMatchObject({ type: 'PROFILE_LOADED', received_profile: PROFILE });
    expect(decided(ask()).events[0]).not.toHaveProperty('received_profile');
  });

  it.each<[string, Partial<LoadedTemplate>, Partial<MessageRequested>, string[]]>([
    ['the send', { routing: { method: 'single', channels: ['email'] } }, { routing: { method: 'single', channels: ['sms'] } }, ['sms']],
    ['the template', { routing: { method: 'single', channels: ['sms'] } }, { routing: undefined }, ['sms']],
    ['the default, where nobody says any', {}, { routing: undefined }, ['email', 'sms']],
  ])('takes the routing of %s', (_whose, ofTemplate, ofSend, channels) => {
    const { verdict } = decided(ask({ content: undefined, template: 't', ...ofSend }), { template: template(ofTemplate) });
    expect((verdict as { tree: { leaves: { channel: string }[] } }).tree.leaves.map(({ channel }) => channel)).toEqual(channels);
  });

  it('sees data, profile and tenant in conditions, and what cannot be read is false', () => {
    const of = (condition: string) =>
      outcome(
        decided(ask({ data: { vip: true }, channels: { email: { if: condition } }, routing: { method: 'single', channels: ['email'] } })),
      );
    expect(of('data.vip === true && profile.email === "ada@example.com"')).toBe('ways');
    expect(of('data.vip === false')).toBe('FILTERED · FILTERED');
    expect(of('][')).toBe('FILTERED · FILTERED');
  });

  it('says what the recipient lacks', () => {
    const { verdict } = decided(ask({ profile: {} }));
    expect((verdict as Ended).error).toContain('profile.email');
    expect((verdict as Ended).error).toContain('profile.phone_number');
  });
});

describe('a profile', () => {
  const level = (tenant_id: string, user_profile: Record<string, unknown> | null, more: Partial<ChainTenant> = {}): ChainTenant => ({
    tenant_id,
    name: tenant_id,
    brand_id: null,
    properties: null,
    user_profile,
    ...more,
  });
  const known = (chain: ChainTenant[], recipient?: Partial<LoadedRecipient>): Known => ({
    integrations: [],
    tenant: { workspace_id: 'w', tenant_id: chain.at(-1)?.tenant_id ?? '', chain, defaults: [] },
    ...(recipient && { recipient: { profile: {}, ...recipient } }),
  });

  it('is merged from the tenants down, the stored one, the member’s and that of the send', () => {
    const facts = known(
      [level('root', { from: 'root', a: 1, b: 1, c: 1, d: 1 }), level('leaf', { from: 'leaf', b: 2 }), level('none', null)],
      {
        profile: { from: 'stored', c: 3 },
        member_profile: { from: 'member', d: 4 },
      },
    );
    const { stored, merged } = profilesOf(ask({ profile: { from: 'send' } }), facts);
    expect(stored).toEqual({ from: 'member', a: 1, b: 2, c: 3, d: 4 });
    expect(merged).toEqual({ from: 'send', a: 1, b: 2, c: 3, d: 4 });
  });

  it('has objects merged deeply, and everything else replaced', () => {
    const facts = known([level('t', { slack: { access_token: 'x' }, tags: [1, 2] })], {
      profile: { slack: { user_id: 'u' }, tags: [3] },
    });
    expect(profilesOf(ask({ profile: {} }), facts).merged).toEqual({ slack: { access_token: 'x', user_id: 'u' }, tags: [3] });
  });

  it('loses what the send takes away with null, and nothing by a stored null', () => {
    const facts = known([level('t', { a: 1, deep: { b: 1, c: 1 } })], { profile: { a: null } });
    expect(profilesOf(ask({ profile: { deep: { b: null } } }), facts)).toEqual({
      stored: { a: null, deep: { b: 1, c: 1 } },
      merged: { a: null, deep: { c: 1 } },
    });
    expect(profilesOf(ask({ profile: { a: null } }), facts).merged).not.toHaveProperty('a');
  });

  it('comes with the tenant’s properties and brand, each the nearest', () => {
    const facts = known([
      level('root', null, { brand_id: 'far', properties: { color: 'red', size: 1 } }),
      level('mid', null, { brand_id: 'near', properties: { color: 'blue' } }),
      level('leaf', null),
    ]);
    expect(tenantVariables(facts)).toMatchObject({ id: 'leaf', name: 'leaf', properties: { color: 'blue', size: 1 } });
    expect(tenantBrand(facts)).toBe('near');
    expect(tenantVariables({ integrations: [] })).toBeUndefined();
  });
});
