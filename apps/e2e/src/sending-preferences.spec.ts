import {
  type Arranged,
  arrange,
  type Choice,
  PREFERENCE_LEVELS,
  type PreferenceLevel,
  type PreferenceSetup,
} from './testing/preference-setup';
import { ApiClient, type MessageRecord } from './testing/api-client';
import { SendingFixture, type TopicDefault } from './testing/sending-fixture';
const HOUR_MS = 3_600_000;
const OUT: Choice = { status: 'OPTED_OUT' };
const IN: Choice = { status: 'OPTED_IN' };
const EVERY_CHANNEL = { routing: { method: 'all', channels: ['email', 'sms'] } };
const BY_CHOICE = { reason: 'UNSUBSCRIBED', error: 'Notification opted out by user' };
const BY_DEFAULT = { reason: 'OPT_IN_REQUIRED', error: 'Notification requires an opt-in by user' };

const at = (ms: number): string => new Date(Date.now() + ms).toISOString();

/** A message to a recipient with preferences: its record and its last event. */
interface Sent extends Arranged {
  readonly record: MessageRecord;
  readonly last: Record<string, unknown>;
}

let fixture: SendingFixture;
beforeAll(async () => {
  fixture = await SendingFixture.start();
});
afterAll(() => fixture?.end());

async function sent(setup: PreferenceSetup, topicDefault: TopicDefault, status: string, more: object = {}): Promise<Sent> {
  const arranged = await arrange(fixture, fixture.topics[topicDefault], setup);
  const request = await fixture.send({ ...EVERY_CHANNEL, ...arranged.message, ...more });
  const id = arranged.isOfList ? (await fixture.messagesOf(request, 1))[0]!.id : request;
  return { ...arranged, record: await fixture.once(status, id), last: await fixture.lastEvent(id) };
}

/** Expects the message to be sent by exactly these providers. */
async function goes(setup: PreferenceSetup, topicDefault: TopicDefault, providers: string[], more: object = {}): Promise<void> {
  const { record } = await sent(setup, topicDefault, providers.includes('smtp') ? 'DELIVERED' : 'SENT', more);
  await fixture.until(`${record.id} to be sent by ${providers.join()}`, async () => {
    const { providers: now } = await fixture.client.message(record.id);
    return (
      now
        .map(({ provider }) => provider)
        .sort()
        .join() === [...providers].sort().join() && now.every(({ status }) => status !== undefined && status !== 'UNDELIVERABLE')
    );
  });
  expect(record).not.toHaveProperty('reason');
  expect(record).not.toHaveProperty('error');
}

/** The `rule` of the event, by the level of the preference. */
const RULES: Readonly<Record<PreferenceLevel, (arranged: Arranged) => string>> = {
  send: () => 'preferences given with the send',
  userInTenant: ({ user, tenant }) => `own choice of user ${user} in tenant Name of ${tenant}`,
  user: ({ user }) => `own choice of user ${user}`,
  tenant: ({ tenant }) => `default of tenant Name of ${tenant}`,
  parent: ({ parent }) => `default of tenant Name of ${parent}`,
  subscription: ({ user, list }) => `subscription of user ${user} to list ${list}`,
  list: ({ list }) => `preferences of list ${list}`,
};
const isDefault = (level: PreferenceLevel): boolean => level === 'tenant' || level === 'parent';

/** One preference at a level and the other one at every lower level. */
function over(level: PreferenceLevel, own: Choice, below: Choice): PreferenceSetup {
  const lower = PREFERENCE_LEVELS.slice(PREFERENCE_LEVELS.indexOf(level) + 1);
  return Object.fromEntries([[level, own], ...lower.map((other) => [other, below] as const)]);
}

describe('precedence of preferences', () => {
  it.each(PREFERENCE_LEVELS)('an opt-out of %s overrides opt-ins of lower levels, and the event names its rule', async (level) => {
    const { record, last, ...arranged } = await sent(over(level, OUT, IN), 'OPTED_IN', 'UNDELIVERABLE');
    expect(record).toMatchObject(isDefault(level) ? BY_DEFAULT : BY_CHOICE);
    expect(last.rule).toBe(RULES[level](arranged));
  });

  it.each(PREFERENCE_LEVELS)('an opt-in of %s overrides opt-outs of lower levels', (level) =>
    goes(over(level, IN, OUT), 'OPTED_OUT', ['smtp', 'http']),
  );

  it('without preferences the topic’s default decides', async () => {
    await goes({}, 'OPTED_IN', ['smtp', 'http']);
    const { record, last } = await sent({}, 'OPTED_OUT', 'UNDELIVERABLE');
    expect(record).toMatchObject(BY_DEFAULT);
    expect(last.rule).toBe('default of topic OPTED_OUT');
  });

  it('without a tenant context preferences in a tenant do not count', async () => {
    const { user } = await arrange(fixture, fixture.topics.OPTED_IN, { userInTenant: OUT, tenant: OUT, parent: OUT });
    const about = { preferences: { subscription_topic_id: fixture.topics.OPTED_IN } };
    await fixture.once('DELIVERED', await fixture.send({ ...about, to: { user_id: user } }));
  });

  it.each<[string, PreferenceSetup, string[]]>([
    ['the status of the user, the channels of the tenant', { user: IN, tenant: { channels: ['sms'] } }, ['http']],
    ['the channels of the user before those of the tenant', { user: { channels: ['email'] }, tenant: { channels: ['sms'] } }, ['smtp']],
    ['the status of the send, the channels of the user', { send: IN, user: { ...OUT, channels: ['email'] } }, ['smtp']],
    ['the status of the subscription, the channels of the list', { subscription: IN, list: { channels: ['email'] } }, ['smtp']],
  ])('each field from the highest level that has it: %s', (_row, setup, providers) => goes(setup, 'OPTED_IN', providers));

  it('each field from the highest level that has it: the status of the user, the snooze of the subscription', async () => {
    const snooze = { until: at(HOUR_MS) };
    const { record, last, user, list } = await sent({ user: IN, subscription: { snooze } }, 'OPTED_IN', 'UNDELIVERABLE');
    expect(record).toMatchObject(BY_CHOICE);
    expect(last.rule).toBe(`subscription of user ${user} to list ${list}: snoozed until ${snooze.until}`);
  });
});

describe('preferences for a template', () => {
  const warningOf = async (method: string, path: string, body: object, client = fixture.client): Promise<string | null> => {
    const answer = await client.request(method, path, { body });
    expect(answer.status).toBeLessThan(300);
    return answer.headers.get('x-tidings-warning');
  };
  const mapsOf = (name: string): object => ({ notifications: { [name]: OUT }, categories: { any: OUT } });
  const opted = async (template: string, user: string, rule: string): Promise<void> => {
    const id = await fixture.send({ content: undefined, template, to: { user_id: user } });
    expect(await fixture.once('UNDELIVERABLE', id)).toMatchObject(BY_CHOICE);
    expect(await fixture.lastEvent(id)).toMatchObject({ rule });
  };

  it('apply under its alias to sends by its id, and under its id to sends by its alias', async () => {
    const [byAlias, byId, alias] = [await fixture.user(), await fixture.user(), fixture.name('alias')];
    const template = await fixture.template({ alias });
    expect(await warningOf('PUT', `/preferences/${byAlias}`, mapsOf(alias))).toBeNull();
    expect(await warningOf('PUT', `/preferences/${byId}`, mapsOf(template))).toBeNull();

    await opted(template, byAlias, `own choice of user ${byAlias}`);
    await opted(alias, byId, `own choice of user ${byId}`);
    await fixture.call('PUT', `/preferences/${byAlias}`, { notifications: { [alias]: OUT, [template]: IN } });
    await fixture.once('DELIVERED', await fixture.send({ content: undefined, template, to: { user_id: byAlias } }));
    expect(await fixture.call('GET', `/preferences/${byAlias}`)).toEqual({
      notifications: { [alias]: OUT, [template]: IN },
      categories: {},
    });
  });

  it('are stored for a template that does not exist yet, with a warning, and apply once it does', async () => {
    const [user, list, alias] = [await fixture.user(), fixture.name('list'), fixture.name('later')];
    const warning = `No template has the id or alias "${alias}"; it has an effect once one does`;
    const preferences = mapsOf(alias);

    expect(await warningOf('PUT', `/lists/${list}`, { name: list, preferences })).toBe(warning);
    expect(await warningOf('PUT', `/lists/${list}/subscriptions`, { recipients: [{ recipientId: user, preferences }] })).toBe(warning);
    expect(await warningOf('POST', `/lists/${list}/subscriptions`, { recipients: [{ recipientId: 'x', preferences }] })).toBe(warning);
    expect(await warningOf('PUT', `/lists/${list}/subscriptions/x`, preferences)).toBe(warning);
    expect(await warningOf('PUT', `/lists/${list}/subscriptions/${user}`, {})).toBeNull();
    expect(await warningOf('POST', `/profiles/x/lists`, { lists: [{ listId: list, preferences }] })).toBe(warning);
    const patch = [{ op: 'add', path: `/notifications/${alias}`, value: OUT }];
    expect(await warningOf('PATCH', `/preferences/${await fixture.user()}`, { patch })).toBe(warning);
    const template = await fixture.template({ alias });

    const request = await fixture.send({ content: undefined, template, to: { list_id: list } });
    const ended = (await fixture.messagesOf(request, 2)).find(({ recipient }) => recipient === user)!;
    expect(await fixture.once('UNDELIVERABLE', ended.id)).toMatchObject(BY_CHOICE);
    expect(await fixture.lastEvent(ended.id)).toMatchObject({ rule: `preferences of list ${list}` });
  });

  it('do not show to the holder of a token which templates exist', async () => {
    const user = await fixture.user();
    const { token } = await fixture.sdk.auth.issueToken({ scope: `user_id:${user} write:preferences`, expires_in: '1 hour' });

    expect(await warningOf('PUT', `/preferences/${user}`, mapsOf('unknown'), new ApiClient(fixture.client.url, token))).toBeNull();
  });
});

describe('effects of preferences', () => {
  it.each<[string, PreferenceSetup, TopicDefault]>([
    ['the topic’s default REQUIRED: an opt-out of the send', { send: OUT }, 'REQUIRED'],
    ['the topic’s default REQUIRED: a snooze', { send: { snooze: { until: at(HOUR_MS) } } }, 'REQUIRED'],
    ['the topic’s default REQUIRED: an opt-out of the list', { list: OUT }, 'REQUIRED'],
    ['the tenant’s default REQUIRED: an opt-out of the user', { user: OUT, tenant: { status: 'REQUIRED' } }, 'OPTED_IN'],
    ['the parent’s default REQUIRED: an opt-out of the user', { user: OUT, parent: { status: 'REQUIRED' } }, 'OPTED_OUT'],
    ['channels that the message does not have', { send: { channels: ['push'] } }, 'REQUIRED'],
    ['REQUIRED given by the user, against a default', { send: { status: 'REQUIRED' } }, 'OPTED_OUT'],
  ])('is sent despite: %s', (_row, setup, topicDefault) => goes(setup, topicDefault, ['smtp', 'http']));

  it('is sent by the one remaining channel when required, with a choice of channels', () =>
    goes({ send: { ...OUT, channels: ['sms'] } }, 'REQUIRED', ['http']));

  it('refuses an opt-out of a required topic', async () => {
    const topic = fixture.topics.REQUIRED;
    const choosing = fixture.sdk.users.preferences.updateOrCreateTopic(topic, {
      user_id: await fixture.user(),
      topic: { status: 'OPTED_OUT' },
    });
    await expect(choosing).rejects.toMatchObject({ status: 400, error: { type: 'invalid_request_error' } });
  });

  it('opted out: every field of the record and of its event', async () => {
    const { record, user } = await sent({ user: OUT }, 'OPTED_IN', 'UNDELIVERABLE');
    const error = 'Notification opted out by user';
    expect(record).toEqual({
      id: record.id,
      status: 'UNDELIVERABLE',
      enqueued: expect.any(Number) as number,
      recipient: user,
      event: '',
      notification: '',
      error,
      reason: 'UNSUBSCRIBED',
      providers: [{ channel: { key: '', template: '' }, provider: '', status: 'UNDELIVERABLE', error }],
    });
    const history = await fixture.client.history(record.id);
    expect(history.map(({ type }) => type)).toEqual(['ENQUEUED', 'PROFILE_LOADED', 'UNDELIVERABLE']);
    expect(history[2]).toEqual({
      ts: expect.any(Number) as number,
      type: 'UNDELIVERABLE',
      channel: { id: '' },
      integration: { id: '', provider: '' },
      reason: 'UNSUBSCRIBED',
      error_message: error,
      rule: `own choice of user ${user}`,
    });
  });

  it.each<[string, Choice['snooze']]>([
    ['from now on', { until: at(HOUR_MS) }],
    ['since an hour ago', { start: at(-HOUR_MS), until: at(HOUR_MS) }],
  ])('a snooze %s drops the message as opted out', async (_row, snooze) => {
    const { record, last } = await sent({ send: { snooze } }, 'OPTED_IN', 'UNDELIVERABLE');
    expect(record).toMatchObject({ ...BY_CHOICE, providers: [{ status: 'UNDELIVERABLE', error: BY_CHOICE.error }] });
    expect(last.rule).toBe(`preferences given with the send: snoozed until ${snooze!.until}`);
  });

  it.each<[string, Choice['snooze']]>([
    ['that has ended', { until: at(-1) }],
    ['that has not started', { start: at(HOUR_MS), until: at(2 * HOUR_MS) }],
  ])('a snooze %s has no effect', (_row, snooze) => goes({ send: { snooze } }, 'OPTED_IN', ['smtp', 'http']));

  it.each<[string, PreferenceSetup]>([
    ['custom routing of the user', { user: { channels: ['sms'] } }],
    ['custom routing of the tenant', { tenant: { channels: ['sms'] } }],
    ['channel preferences of the send', { send: { channels: ['sms'] } }],
    ['custom routing that also names an unknown channel', { user: { channels: ['slack', 'sms'] } }],
  ])('%s: by the chosen channels alone, whatever their conditions', (_row, setup) =>
    goes(setup, 'OPTED_IN', ['http'], { channels: { sms: { if: 'false' } } }),
  );

  it('without a choice of channels the conditions count', async () =>
    goes({ user: IN }, 'OPTED_IN', ['smtp'], { channels: { sms: { if: 'false' } } }));

  it('chosen channels keep the order of the routing', async () => {
    const routing = { method: 'single', channels: ['sms', 'email'] };
    await goes({ user: { channels: ['email', 'sms'] } }, 'OPTED_IN', ['http'], { routing });
  });

  it.each<[string, PreferenceSetup, PreferenceLevel]>([
    ['of the message', { user: { channels: ['push'] } }, 'user'],
    ['that exists', { tenant: { channels: ['slack', 'push'] } }, 'tenant'],
  ])('without a chosen channel %s: UNROUTABLE, with an event per channel', async (_row, setup, level) => {
    const { record, ...arranged } = await sent(setup, 'OPTED_IN', 'UNROUTABLE');
    const error = 'Every channel of the routing was removed by preferences';
    expect(record).toMatchObject({ reason: 'UNSUBSCRIBED', error, providers: [] });
    const event = { ts: expect.any(Number) as number, type: 'UNROUTABLE', reason: 'UNSUBSCRIBED', error_message: error };
    expect((await fixture.client.history(record.id)).slice(2)).toEqual([
      { ...event, channel: { id: 'email' }, rule: RULES[level](arranged) },
      { ...event, channel: { id: 'sms' }, rule: RULES[level](arranged) },
    ]);
  });
});
