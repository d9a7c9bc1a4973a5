import type { MessageRecord } from './testing/api-client';
import { type Choice, choiceOf, details } from './testing/preference-setup';
import { SendingFixture } from './testing/sending-fixture';
const OUT: Choice = { status: 'OPTED_OUT' };
const IN: Choice = { status: 'OPTED_IN' };
const CHOSEN = { status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED' };
const NOT_OPTED_IN = { status: 'UNDELIVERABLE', reason: 'OPT_IN_REQUIRED' };
const GOES = { status: 'DELIVERED' };
type End = typeof CHOSEN | typeof GOES;

/** Choices by id, in the older form. */
type Entries = Record<string, Choice>;
const mapOf = (entries: Entries): object => Object.fromEntries(Object.entries(entries).map(([id, choice]) => [id, details(choice)]));

let fixture: SendingFixture;
/** Template of a topic that is opted in by default. */
let template: string;
beforeAll(async () => {
  fixture = await SendingFixture.start();
  template = await fixture.template({ topic: fixture.topics.OPTED_IN });
});
afterAll(() => fixture?.end());

async function ends(id: string, end: End): Promise<MessageRecord> {
  const record = await fixture.once(end.status, id);
  expect(record).toMatchObject(end);
  return record;
}
const chose = (user_id: string, topic: string, choice: Choice) =>
  fixture.sdk.users.preferences.updateOrCreateTopic(topic, { user_id, topic: choiceOf(choice) });
const ofTemplate = (message: object): Promise<string> => fixture.send({ content: undefined, template, ...message });
const about = (subscription_topic_id: string): object => ({ preferences: { subscription_topic_id } });

describe('the topic of a message', () => {
  it('is that of its template', async () => {
    const user = await fixture.user();
    await chose(user, fixture.topics.OPTED_IN, OUT);
    await ends(await ofTemplate({ to: { user_id: user } }), CHOSEN);
  });

  it('is that of the send before that of its template', async () => {
    const user = await fixture.user();
    await chose(user, fixture.topics.OPTED_IN, OUT);
    await ends(await ofTemplate({ to: { user_id: user }, ...about(fixture.topics.REQUIRED) }), GOES);
    await ends(await ofTemplate({ to: { user_id: await fixture.user() }, ...about(fixture.topics.OPTED_OUT) }), NOT_OPTED_IN);
  });

  it('is none without either: preferences for topics do not count', async () => {
    const user = await fixture.user();
    for (const topic of [fixture.topics.OPTED_IN, fixture.topics.OPTED_OUT]) await chose(user, topic, OUT);
    await ends(await fixture.send({ to: { user_id: user, preferences: { categories: mapOf({ [fixture.topics.OPTED_IN]: OUT }) } } }), GOES);
  });

  it('has no effect when the workspace has no such topic', async () => {
    await ends(await fixture.send({ to: { user_id: await fixture.user() }, ...about('nothing-of-the-kind') }), GOES);
  });
});

it('for an address only the preferences of the send count', async () => {
  const email = `${fixture.name('address')}@example.com`;
  await ends(await fixture.send({ to: { email }, ...about(fixture.topics.OPTED_OUT) }), GOES);
  const preferences = { categories: mapOf({ [fixture.topics.OPTED_IN]: OUT }) };
  await ends(await fixture.send({ to: { email, preferences }, ...about(fixture.topics.OPTED_IN) }), CHOSEN);
});

describe('the form of maps', () => {
  const ids = (): Record<'notification' | 'topic' | 'section', string> => ({
    notification: template,
    topic: fixture.topics.OPTED_IN,
    section: fixture.section,
  });
  type Level = keyof ReturnType<typeof ids>;
  const maps = (setup: { [L in Level]?: Choice }): object => {
    const { notification, topic, section } = ids();
    return {
      notifications: mapOf(setup.notification ? { [notification]: setup.notification } : {}),
      categories: mapOf({ ...(setup.topic && { [topic]: setup.topic }), ...(setup.section && { [section]: setup.section }) }),
    };
  };
  const rows: [string, Parameters<typeof maps>[0], End][] = [
    ['the notification before its topic', { notification: OUT, topic: IN, section: IN }, CHOSEN],
    ['the notification before its topic, reversed', { notification: IN, topic: OUT, section: OUT }, GOES],
    ['the topic before its section', { topic: OUT, section: IN }, CHOSEN],
    ['the topic before its section, reversed', { topic: IN, section: OUT }, GOES],
    ['the section without other preferences', { section: OUT }, CHOSEN],
  ];

  it.each(rows)('given with the send: %s', async (_row, setup, end) => {
    await ends(await ofTemplate({ to: { user_id: await fixture.user(), preferences: maps(setup) } }), end);
  });

  it.each(rows)('stored for the user: %s', async (_row, setup, end) => {
    const user = await fixture.user();
    await fixture.call('PUT', `/preferences/${user}`, maps(setup));
    await ends(await ofTemplate({ to: { user_id: user } }), end);
  });

  it('of the user about the notification counts before the choice for its topic, that before the categories', async () => {
    const [one, other] = [await fixture.user(), await fixture.user()];
    for (const user of [one, other]) await chose(user, fixture.topics.OPTED_IN, IN);
    await fixture.call('PUT', `/preferences/${one}`, maps({ notification: OUT }));
    await fixture.call('PUT', `/preferences/${other}`, maps({ topic: OUT }));
    await ends(await ofTemplate({ to: { user_id: one } }), CHOSEN);
    await ends(await ofTemplate({ to: { user_id: other } }), GOES);
  });

  it('without a topic applies to the notification', async () => {
    const bare = await fixture.template();
    const preferences = { notifications: mapOf({ [bare]: OUT }) };
    const to = { user_id: await fixture.user(), preferences };
    const record = await ends(await fixture.send({ content: undefined, template: bare, to }), CHOSEN);
    expect(record.providers).toEqual([
      { channel: { key: '', template: bare }, provider: '', status: 'UNDELIVERABLE', error: 'Notification opted out by user' },
    ]);
  });

  it('refuses an unknown channel', async () => {
    const preferences = maps({ topic: { channels: ['slack', 'sms'] } });
    const wrong = {
      status: 400,
      body: { type: 'invalid_request_error', message: expect.stringContaining('channel_preferences') as string },
    };
    const sending = { message: { to: { user_id: 'ada', preferences }, template } };
    expect(await fixture.client.request('POST', '/send', { body: sending })).toMatchObject(wrong);
    expect(await fixture.client.request('PUT', '/preferences/ada', { body: preferences })).toMatchObject(wrong);
  });

  it('stored for the user can snooze', async () => {
    const user = await fixture.user();
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await fixture.call('PUT', `/preferences/${user}`, maps({ topic: { snooze: { until } } }));
    const record = await ends(await ofTemplate({ to: { user_id: user } }), CHOSEN);
    expect(await fixture.lastEvent(record.id)).toMatchObject({ rule: `own choice of user ${user}: snoozed until ${until}` });
  });
});

describe('a deleted preference', () => {
  it('of the user: the tenant’s default counts again', async () => {
    const [user, tenant_id] = [await fixture.user(), fixture.name('tenant')];
    await fixture.sdk.tenants.update(tenant_id, { name: tenant_id });
    await fixture.sdk.tenants.preferences.items.update(fixture.topics.OPTED_IN, { tenant_id, status: 'OPTED_OUT' });
    await chose(user, fixture.topics.OPTED_IN, IN);
    const message = { to: { user_id: user }, context: { tenant_id }, ...about(fixture.topics.OPTED_IN) };
    await ends(await fixture.send(message), GOES);

    await fixture.sdk.delete(`/users/${user}/preferences/${fixture.topics.OPTED_IN}`);
    await ends(await fixture.send(message), NOT_OPTED_IN);

    await fixture.sdk.tenants.preferences.items.delete(fixture.topics.OPTED_IN, { tenant_id });
    await ends(await fixture.send(message), GOES);
  });
});

describe('preferences given with a send apply to', () => {
  const optOut = () => ({ categories: mapOf({ [fixture.topics.OPTED_IN]: OUT }) });

  it('each subscriber of its list', async () => {
    const list_id = fixture.name('list');
    for (const user of [await fixture.user(), await fixture.user()]) await fixture.sdk.lists.subscriptions.subscribeUser(user, { list_id });
    const request = await fixture.send({ to: { list_id, preferences: optOut() }, ...about(fixture.topics.OPTED_IN) });
    for (const { id } of await fixture.messagesOf(request, 2)) await ends(id, CHOSEN);
  });

  it('only the array entry that has them', async () => {
    const [one, other] = [await fixture.user(), await fixture.user()];
    const to = [{ user_id: one, preferences: optOut() }, { user_id: other }];
    const records = await fixture.messagesOf(await fixture.send({ to, ...about(fixture.topics.OPTED_IN) }), 2);
    for (const { id, recipient } of records) await ends(id, recipient === one ? CHOSEN : GOES);
  });

  it('only the bulk job user that has them', async () => {
    const [one, other] = [await fixture.user(), await fixture.user()];
    const { jobId } = await fixture.sdk.bulk.createJob({ message: { event: template } });
    await fixture.sdk.bulk.addUsers(jobId, { users: [{ recipient: one, preferences: optOut() as never }, { recipient: other }] });
    await fixture.sdk.bulk.runJob(jobId);
    for (const { id, recipient } of await fixture.messagesOf(jobId, 2)) await ends(id, recipient === one ? CHOSEN : GOES);
  });

  it('the recipient of the older send form, and the subscribers of its list', async () => {
    const user = await fixture.user();
    const body = { event: template, preferences: optOut() };
    await ends((await fixture.call<{ messageId: string }>('POST', '/send', { ...body, recipient: user })).messageId, CHOSEN);

    const list = fixture.name('list');
    await fixture.sdk.lists.subscriptions.subscribeUser(user, { list_id: list });
    const { messageId } = await fixture.call<{ messageId: string }>('POST', '/send/list', { ...body, list });
    for (const { id } of await fixture.messagesOf(messageId, 1)) await ends(id, CHOSEN);
  });
});
