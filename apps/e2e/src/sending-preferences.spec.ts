import { type Arranged, arrange, type Choice, type Place, PLACES, type PreferenceSetup } from './testing/preference-setup';
import type { MessageRecord } from './testing/api-client';
import { SendingWorld, type TopicDefault } from './testing/sending-world';
const HOUR_MS = 3_600_000;
const OUT: Choice = { status: 'OPTED_OUT' };
const IN: Choice = { status: 'OPTED_IN' };
const EVERY_CHANNEL = { routing: { method: 'all', channels: ['email', 'sms'] } };
const BY_CHOICE = { reason: 'UNSUBSCRIBED', error: 'Notification opted out by user' };
const BY_DEFAULT = { reason: 'OPT_IN_REQUIRED', error: 'Notification requires an opt-in by user' };

const at = (ms: number): string => new Date(Date.now() + ms).toISOString();

/** A message to somebody of whom something was said, as its record and the last of its history tell of it. */
interface Sent extends Arranged {
  readonly record: MessageRecord;
  readonly last: Record<string, unknown>;
}

let world: SendingWorld;
beforeAll(async () => {
  world = await SendingWorld.start();
});
afterAll(() => world?.end());

async function sent(said: PreferenceSetup, topicDefault: TopicDefault, status: string, more: object = {}): Promise<Sent> {
  const arranged = await arrange(world, world.topics[topicDefault], said);
  const request = await world.send({ ...EVERY_CHANNEL, ...arranged.message, ...more });
  const id = arranged.isOfList ? (await world.messagesOf(request, 1))[0]!.id : request;
  return { ...arranged, record: await world.once(status, id), last: await world.lastTold(id) };
}

/** That a message goes, by these providers and no other. */
async function goes(said: PreferenceSetup, topicDefault: TopicDefault, providers: string[], more: object = {}): Promise<void> {
  const { record } = await sent(said, topicDefault, providers.includes('smtp') ? 'DELIVERED' : 'SENT', more);
  await world.until(`${record.id} to be sent by ${providers.join()}`, async () => {
    const { providers: now } = await world.client.message(record.id);
    return (
      now
        .map(({ provider }) => provider)
        .sort()
        .join() === [...providers].sort().join() && now.every(({ status }) => status !== 'UNDELIVERABLE')
    );
  });
  expect(record).not.toHaveProperty('reason');
  expect(record).not.toHaveProperty('error');
}

/** In whose words a choice is told of. */
const RULES: Readonly<Record<Place, (arranged: Arranged) => string>> = {
  send: () => 'preferences given with the send',
  userInTenant: ({ user, tenant }) => `own choice of user ${user} in tenant Name of ${tenant}`,
  user: ({ user }) => `own choice of user ${user}`,
  tenant: ({ tenant }) => `default of tenant Name of ${tenant}`,
  parent: ({ parent }) => `default of tenant Name of ${parent}`,
  subscription: ({ user, list }) => `subscription of user ${user} to list ${list}`,
  list: ({ list }) => `preferences of list ${list}`,
};
const isDefault = (place: Place): boolean => place === 'tenant' || place === 'parent';

/** One choice at a place and the other one at every place below it. */
function over(place: Place, own: Choice, below: Choice): PreferenceSetup {
  const lower = PLACES.slice(PLACES.indexOf(place) + 1);
  return Object.fromEntries([[place, own], ...lower.map((other) => [other, below] as const)]);
}

describe('what counts, from the highest to the lowest', () => {
  it.each(PLACES)('%s says no, everything below it yes: it stops, and says by whose choice', async (place) => {
    const { record, last, ...arranged } = await sent(over(place, OUT, IN), 'OPTED_IN', 'UNDELIVERABLE');
    expect(record).toMatchObject(isDefault(place) ? BY_DEFAULT : BY_CHOICE);
    expect(last.rule).toBe(RULES[place](arranged));
  });

  it.each(PLACES)('%s says yes, everything below it no: it goes', (place) => goes(over(place, IN, OUT), 'OPTED_OUT', ['smtp', 'http']));

  it('nothing is said at all: the topic’s default decides', async () => {
    await goes({}, 'OPTED_IN', ['smtp', 'http']);
    const { record, last } = await sent({}, 'OPTED_OUT', 'UNDELIVERABLE');
    expect(record).toMatchObject(BY_DEFAULT);
    expect(last.rule).toBe('default of topic OPTED_OUT');
  });

  it('without a tenant context what was said in a tenant does not count', async () => {
    const { user } = await arrange(world, world.topics.OPTED_IN, { userInTenant: OUT, tenant: OUT, parent: OUT });
    const about = { preferences: { subscription_topic_id: world.topics.OPTED_IN } };
    await world.once('DELIVERED', await world.send({ ...about, to: { user_id: user } }));
  });

  it.each<[string, PreferenceSetup, string[]]>([
    ['the status of the user, the channels of the tenant', { user: IN, tenant: { channels: ['sms'] } }, ['http']],
    ['the channels of the user before those of the tenant', { user: { channels: ['email'] }, tenant: { channels: ['sms'] } }, ['smtp']],
    ['the status of the send, the channels of the user', { send: IN, user: { ...OUT, channels: ['email'] } }, ['smtp']],
    ['the status of the subscription, the channels of the list', { subscription: IN, list: { channels: ['email'] } }, ['smtp']],
  ])('each field from the highest that says it: %s', (_row, said, providers) => goes(said, 'OPTED_IN', providers));

  it('each field from the highest that says it: the status of the user, the silence of the subscription', async () => {
    const snooze = { until: at(HOUR_MS) };
    const { record, last, user, list } = await sent({ user: IN, subscription: { snooze } }, 'OPTED_IN', 'UNDELIVERABLE');
    expect(record).toMatchObject(BY_CHOICE);
    expect(last.rule).toBe(`subscription of user ${user} to list ${list}: snoozed until ${snooze.until}`);
  });
});

describe('what comes of it', () => {
  it.each<[string, PreferenceSetup, TopicDefault]>([
    ['the topic’s default REQUIRED: an opt-out of the send', { send: OUT }, 'REQUIRED'],
    ['the topic’s default REQUIRED: a silence', { send: { snooze: { until: at(HOUR_MS) } } }, 'REQUIRED'],
    ['the topic’s default REQUIRED: an opt-out of the list', { list: OUT }, 'REQUIRED'],
    ['the tenant’s default REQUIRED: an opt-out of the user', { user: OUT, tenant: { status: 'REQUIRED' } }, 'OPTED_IN'],
    ['the parent’s default REQUIRED: an opt-out of the user', { user: OUT, parent: { status: 'REQUIRED' } }, 'OPTED_OUT'],
    ['channels that the message has none of', { send: { channels: ['push'] } }, 'REQUIRED'],
    ['REQUIRED said by the user, against a default', { send: { status: 'REQUIRED' } }, 'OPTED_OUT'],
  ])('it goes all the same with %s', (_row, said, topicDefault) => goes(said, topicDefault, ['smtp', 'http']));

  it('required, with a choice of channels that leaves one: it goes by that', () =>
    goes({ send: { ...OUT, channels: ['sms'] } }, 'REQUIRED', ['http']));

  it('nobody can opt out of what is required', async () => {
    const topic = world.topics.REQUIRED;
    const choosing = world.sdk.users.preferences.updateOrCreateTopic(topic, {
      user_id: await world.user(),
      topic: { status: 'OPTED_OUT' },
    });
    await expect(choosing).rejects.toMatchObject({ status: 400, error: { type: 'invalid_request_error' } });
  });

  it('opted out: the record and the one event that tells of it, field by field', async () => {
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
    const history = await world.client.history(record.id);
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
  ])('silence %s: it is dropped as opted out', async (_row, snooze) => {
    const { record, last } = await sent({ send: { snooze } }, 'OPTED_IN', 'UNDELIVERABLE');
    expect(record).toMatchObject({ ...BY_CHOICE, providers: [{ status: 'UNDELIVERABLE', error: BY_CHOICE.error }] });
    expect(last.rule).toBe(`preferences given with the send: snoozed until ${snooze!.until}`);
  });

  it.each<[string, Choice['snooze']]>([
    ['whose end is past', { until: at(-1) }],
    ['that has not begun', { start: at(HOUR_MS), until: at(2 * HOUR_MS) }],
  ])('a silence %s is none', (_row, snooze) => goes({ send: { snooze } }, 'OPTED_IN', ['smtp', 'http']));

  it.each<[string, PreferenceSetup]>([
    ['custom routing of the user', { user: { channels: ['sms'] } }],
    ['custom routing of the tenant', { tenant: { channels: ['sms'] } }],
    ['channel preferences of the send', { send: { channels: ['sms'] } }],
    ['custom routing that names a channel nobody knows beside it', { user: { channels: ['slack', 'sms'] } }],
  ])('%s: by the chosen channels alone, whatever their conditions say', (_row, said) =>
    goes(said, 'OPTED_IN', ['http'], { channels: { sms: { if: 'false' } } }),
  );

  it('without a choice of channels the conditions count', async () =>
    goes({ user: IN }, 'OPTED_IN', ['smtp'], { channels: { sms: { if: 'false' } } }));

  it('chosen channels keep the order of the routing', async () => {
    const routing = { method: 'single', channels: ['sms', 'email'] };
    await goes({ user: { channels: ['email', 'sms'] } }, 'OPTED_IN', ['http'], { routing });
  });

  it.each<[string, PreferenceSetup, Place]>([
    ['of the message', { user: { channels: ['push'] } }, 'user'],
    ['that is known', { tenant: { channels: ['slack', 'push'] } }, 'tenant'],
  ])('chosen is no channel %s: unroutable, and each channel is told of', async (_row, said, place) => {
    const { record, ...arranged } = await sent(said, 'OPTED_IN', 'UNROUTABLE');
    const error = 'Every channel of the routing was removed by preferences';
    expect(record).toMatchObject({ reason: 'UNSUBSCRIBED', error, providers: [] });
    const told = { ts: expect.any(Number) as number, type: 'UNROUTABLE', reason: 'UNSUBSCRIBED', error_message: error };
    expect((await world.client.history(record.id)).slice(2)).toEqual([
      { ...told, channel: { id: 'email' }, rule: RULES[place](arranged) },
      { ...told, channel: { id: 'sms' }, rule: RULES[place](arranged) },
    ]);
  });
});
