import type { MessageRecord } from './testing/api-client';
import { type Choice, choiceOf, details } from './testing/preference-setup';
import { SendingWorld } from './testing/sending-world';
const OUT: Choice = { status: 'OPTED_OUT' };
const IN: Choice = { status: 'OPTED_IN' };
const CHOSEN = { status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED' };
const NOT_ASKED_FOR = { status: 'UNDELIVERABLE', reason: 'OPT_IN_REQUIRED' };
const GOES = { status: 'DELIVERED' };
type End = typeof CHOSEN | typeof GOES;

/** Choices by id, in the older form. */
type Entries = Record<string, Choice>;
const mapOf = (entries: Entries): object => Object.fromEntries(Object.entries(entries).map(([id, choice]) => [id, details(choice)]));

let world: SendingWorld;
/** Of a topic that goes by default. */
let template: string;
beforeAll(async () => {
  world = await SendingWorld.start();
  template = await world.template({ topic: world.topics.OPTED_IN });
});
afterAll(() => world?.end());

async function ends(id: string, end: End): Promise<MessageRecord> {
  const record = await world.once(end.status, id);
  expect(record).toMatchObject(end);
  return record;
}
const chose = (user_id: string, topic: string, choice: Choice) =>
  world.sdk.users.preferences.updateOrCreateTopic(topic, { user_id, topic: choiceOf(choice) });
const ofTemplate = (message: object): Promise<string> => world.send({ content: undefined, template, ...message });
const about = (subscription_topic_id: string): object => ({ preferences: { subscription_topic_id } });

describe('the topic of a message', () => {
  it('is that of its template', async () => {
    const user = await world.user();
    await chose(user, world.topics.OPTED_IN, OUT);
    await ends(await ofTemplate({ to: { user_id: user } }), CHOSEN);
  });

  it('is that of the send before that of its template', async () => {
    const user = await world.user();
    await chose(user, world.topics.OPTED_IN, OUT);
    await ends(await ofTemplate({ to: { user_id: user }, ...about(world.topics.REQUIRED) }), GOES);
    await ends(await ofTemplate({ to: { user_id: await world.user() }, ...about(world.topics.OPTED_OUT) }), NOT_ASKED_FOR);
  });

  it('is none without either: what was said of topics does not count', async () => {
    const user = await world.user();
    for (const topic of [world.topics.OPTED_IN, world.topics.OPTED_OUT]) await chose(user, topic, OUT);
    await ends(await world.send({ to: { user_id: user, preferences: { categories: mapOf({ [world.topics.OPTED_IN]: OUT }) } } }), GOES);
  });

  it('says nothing where the workspace has no such topic', async () => {
    await ends(await world.send({ to: { user_id: await world.user() }, ...about('nothing-of-the-kind') }), GOES);
  });
});

it('preferences need a user: of an address only what the send says counts', async () => {
  const email = `${world.name('address')}@example.com`;
  await ends(await world.send({ to: { email }, ...about(world.topics.OPTED_OUT) }), GOES);
  const preferences = { categories: mapOf({ [world.topics.OPTED_IN]: OUT }) };
  await ends(await world.send({ to: { email, preferences }, ...about(world.topics.OPTED_IN) }), CHOSEN);
});

describe('the form of maps', () => {
  const ids = (): Record<'notification' | 'topic' | 'section', string> => ({
    notification: template,
    topic: world.topics.OPTED_IN,
    section: world.section,
  });
  type Level = keyof ReturnType<typeof ids>;
  const maps = (said: { [L in Level]?: Choice }): object => {
    const { notification, topic, section } = ids();
    return {
      notifications: mapOf(said.notification ? { [notification]: said.notification } : {}),
      categories: mapOf({ ...(said.topic && { [topic]: said.topic }), ...(said.section && { [section]: said.section }) }),
    };
  };
  const rows: [string, Parameters<typeof maps>[0], End][] = [
    ['the notification before its topic', { notification: OUT, topic: IN, section: IN }, CHOSEN],
    ['the notification before its topic, the other way', { notification: IN, topic: OUT, section: OUT }, GOES],
    ['the topic before its section', { topic: OUT, section: IN }, CHOSEN],
    ['the topic before its section, the other way', { topic: IN, section: OUT }, GOES],
    ['the section where nothing else is said', { section: OUT }, CHOSEN],
  ];

  it.each(rows)('given with the send: %s', async (_row, said, end) => {
    await ends(await ofTemplate({ to: { user_id: await world.user(), preferences: maps(said) } }), end);
  });

  it.each(rows)('kept of the user: %s', async (_row, said, end) => {
    const user = await world.user();
    await world.ask('PUT', `/preferences/${user}`, maps(said));
    await ends(await ofTemplate({ to: { user_id: user } }), end);
  });

  it('of the user about the notification counts before the choice for its topic, that before the categories', async () => {
    const [one, other] = [await world.user(), await world.user()];
    for (const user of [one, other]) await chose(user, world.topics.OPTED_IN, IN);
    await world.ask('PUT', `/preferences/${one}`, maps({ notification: OUT }));
    await world.ask('PUT', `/preferences/${other}`, maps({ topic: OUT }));
    await ends(await ofTemplate({ to: { user_id: one } }), CHOSEN);
    await ends(await ofTemplate({ to: { user_id: other } }), GOES);
  });

  it('without a topic can speak of the notification', async () => {
    const bare = await world.template();
    const preferences = { notifications: mapOf({ [bare]: OUT }) };
    const to = { user_id: await world.user(), preferences };
    const record = await ends(await world.send({ content: undefined, template: bare, to }), CHOSEN);
    expect(record.providers).toEqual([
      { channel: { key: '', template: bare }, provider: '', status: 'UNDELIVERABLE', error: 'Notification opted out by user' },
    ]);
  });

  it('refuses a channel that nobody knows', async () => {
    const preferences = maps({ topic: { channels: ['slack', 'sms'] } });
    const wrong = {
      status: 400,
      body: { type: 'invalid_request_error', message: expect.stringContaining('channel_preferences') as string },
    };
    const sending = { message: { to: { user_id: 'ada', preferences }, template } };
    expect(await world.client.request('POST', '/send', { body: sending })).toMatchObject(wrong);
    expect(await world.client.request('PUT', '/preferences/ada', { body: preferences })).toMatchObject(wrong);
  });

  it('kept of the user can be silent', async () => {
    const user = await world.user();
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await world.ask('PUT', `/preferences/${user}`, maps({ topic: { snooze: { until } } }));
    const record = await ends(await ofTemplate({ to: { user_id: user } }), CHOSEN);
    expect(await world.lastTold(record.id)).toMatchObject({ rule: `own choice of user ${user}: snoozed until ${until}` });
  });
});

describe('a choice taken back', () => {
  it('of the user: the tenant’s default counts again', async () => {
    const [user, tenant_id] = [await world.user(), world.name('tenant')];
    await world.sdk.tenants.update(tenant_id, { name: tenant_id });
    await world.sdk.tenants.preferences.items.update(world.topics.OPTED_IN, { tenant_id, status: 'OPTED_OUT' });
    await chose(user, world.topics.OPTED_IN, IN);
    const message = { to: { user_id: user }, context: { tenant_id }, ...about(world.topics.OPTED_IN) };
    await ends(await world.send(message), GOES);

    await world.sdk.delete(`/users/${user}/preferences/${world.topics.OPTED_IN}`);
    await ends(await world.send(message), NOT_ASKED_FOR);

    await world.sdk.tenants.preferences.items.delete(world.topics.OPTED_IN, { tenant_id });
    await ends(await world.send(message), GOES);
  });
});

describe('preferences given with a send hold for', () => {
  const said = () => ({ categories: mapOf({ [world.topics.OPTED_IN]: OUT }) });

  it('each subscriber of its list', async () => {
    const list_id = world.name('list');
    for (const user of [await world.user(), await world.user()]) await world.sdk.lists.subscriptions.subscribeUser(user, { list_id });
    const request = await world.send({ to: { list_id, preferences: said() }, ...about(world.topics.OPTED_IN) });
    for (const { id } of await world.messagesOf(request, 2)) await ends(id, CHOSEN);
  });

  it('the one entry of an array that has them', async () => {
    const [one, other] = [await world.user(), await world.user()];
    const to = [{ user_id: one, preferences: said() }, { user_id: other }];
    const records = await world.messagesOf(await world.send({ to, ...about(world.topics.OPTED_IN) }), 2);
    for (const { id, recipient } of records) await ends(id, recipient === one ? CHOSEN : GOES);
  });

  it('the one user of a bulk job who has them', async () => {
    const [one, other] = [await world.user(), await world.user()];
    const { jobId } = await world.sdk.bulk.createJob({ message: { event: template } });
    await world.sdk.bulk.addUsers(jobId, { users: [{ recipient: one, preferences: said() as never }, { recipient: other }] });
    await world.sdk.bulk.runJob(jobId);
    for (const { id, recipient } of await world.messagesOf(jobId, 2)) await ends(id, recipient === one ? CHOSEN : GOES);
  });

  it('the recipient of the older form of a send, and the subscribers of the list of one', async () => {
    const user = await world.user();
    const body = { event: template, preferences: said() };
    await ends((await world.ask<{ messageId: string }>('POST', '/send', { ...body, recipient: user })).messageId, CHOSEN);

    const list = world.name('list');
    await world.sdk.lists.subscriptions.subscribeUser(user, { list_id: list });
    const { messageId } = await world.ask<{ messageId: string }>('POST', '/send/list', { ...body, list });
    for (const { id } of await world.messagesOf(messageId, 1)) await ends(id, CHOSEN);
  });
});
