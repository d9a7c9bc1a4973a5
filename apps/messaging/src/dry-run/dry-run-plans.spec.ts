import '@tidings/testing/quiet';
import { randomBytes } from 'node:crypto';
import { type DryRun, dryRunPlans, type DryRunRecipient } from '@tidings/contracts/messaging/dry-runs';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { explanations } from '@tidings/contracts/messaging/explanations';
import { messages } from '@tidings/contracts/messaging/messages';
import { providers } from '@tidings/contracts/messaging/providers';
import { EXAMPLE_URLS } from '@tidings/rendering/message-input';
import { RecipientLinks } from '@tidings/runtime/recipient-links';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { Messaging } from '../testing/start-messaging';

const TOPIC = { topic_id: 'tpc_1', section_id: 's', name: 'Offers', default_status: 'OPTED_IN' as const };
const SINGLE = (...channels: string[]) => ({ method: 'single' as const, channels });
/** Decisions that only a call of a provider makes. */
const OF_CALLS = ['accepted', 'delivered'];

let messaging: Messaging;
let receiver: CapturingHttp;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start('', { links: new RecipientLinks([randomBytes(32)], 'https://tidings.example') });
  messaging.profiles.topics.push({ workspace_id: messaging.workspaceId, ...TOPIC } as never);
  messaging.profiles.recipients.set('opted-out', { choices: [{ topic_id: 'tpc_1', tenant_id: null, status: 'OPTED_OUT' }] as never });
  receiver = await CapturingHttp.start();
  const settings = { channel: 'sms', url: receiver.url, secret: 'a secret of some length' };
  await messaging.call(providers.create, { provider: 'http', alias: 'texts', settings });
});
afterEach(() => {
  messaging.members.clear();
  messaging.profiles.onLoad = () => undefined;
});
afterAll(async () => {
  await receiver.stop();
  await messaging.end();
});

const plan = (fields: Partial<MessageRequested> = {}): Promise<DryRun> =>
  messaging.call(dryRunPlans.plan, { request: messaging.request(fields) });
async function planOne(fields?: Partial<MessageRequested>): Promise<DryRunRecipient> {
  const { results, more } = await plan(fields);
  expect([results.length, more]).toEqual([1, false]);
  return results[0]!;
}
const user = (userId: string, fields: Partial<MessageRequested> = {}) => ({ userId, recipient: userId, ...fields });
const stored = () =>
  messaging.rows(
    'select (select count(*) from messaging.messages) + (select count(*) from messaging.history) + (select count(*) from messaging.open_messages) as count',
  );

describe('A dry run', () => {
  it('decides and renders as the send does, and stores and sends nothing', async () => {
    const profile = { email: 'ada@example.com', phone_number: '+15551234567' };
    const fields = user('ada', { profile, routing: SINGLE('push', 'email', 'sms') });
    const [before, mails] = [await stored(), messaging.smtp.mails.length];

    const planned = await planOne(fields);

    expect(await stored()).toEqual(before);
    expect(messaging.profiles.created).toEqual([]);
    expect([messaging.smtp.mails.length, receiver.received.length]).toEqual([mails, 0]);
    expect(planned).toMatchObject({
      recipient: 'ada',
      user_id: 'ada',
      outcome: 'sent',
      sentence: 'Would be sent to user ada by smtp on email.',
      remedies: [],
      routes: [
        { channel: 'email', provider: 'smtp', configuration_id: 'default', use: 'now' },
        { channel: 'sms', provider: 'http', use: 'fallback' },
      ],
      contents: [{ channel: 'email', provider: 'smtp', warnings: [] }],
      warnings: [],
    });

    const [id] = await messaging.send(fields);
    await messaging.waitForStatus(id!, 'DELIVERED');
    expect(messaging.profiles.created).toContain('ada');
    const { decisions } = await messaging.call(explanations.retrieve, { message_id: id! });
    const withoutTime = (all: readonly { at?: number }[]) => all.map(({ at: _at, ...decision }) => decision);
    expect(withoutTime(planned.decisions)).toEqual(withoutTime(decisions.filter(({ rule }) => !OF_CALLS.includes(rule))));
    const { results } = await messaging.call(messages.output, { message_id: id! });
    expect(planned.contents[0]!.content).toEqual(results[0]!.content);

    const again = await messaging.call(dryRunPlans.planMessage, { message_id: id! });
    expect(again.results.map(({ sentence, contents }) => [sentence, contents])).toEqual([[planned.sentence, planned.contents]]);
    const scopes = ['read:dry-runs', 'read:messages:status'];
    const withoutContent = messaging.call(dryRunPlans.planMessage, { message_id: id! }, { ...messaging.context, scopes });
    await expect(withoutContent).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('read:messages') as string });
  });

  it('is refused while too many wait', async () => {
    let letGo = (): void => undefined;
    const opened = new Promise<void>((resolve) => (letGo = resolve));
    messaging.profiles.onLoad = () => opened;
    const running = Array.from({ length: 20 }, () => plan(user('ada')));

    const refused = Promise.any([...running, plan(user('ada'))].map((one) => one.then(() => Promise.reject(new Error()), String)));
    expect(await refused).toContain('Too many calls are waiting');
    letGo();
    expect((await Promise.allSettled(running)).filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(19);
  });

  it.each<[string, Partial<MessageRequested>, string, string]>([
    ['an opt-out', user('opted-out', { topicId: 'tpc_1' }), 'Not sent: user opted-out opted out of topic tpc_1', 'preference'],
    ['a missing address', user('bo', { profile: {}, routing: SINGLE('email') }), 'Not sent: email cannot reach the recipient', 'lacks'],
    ['an unknown template', { content: undefined, template: 'absent', event: 'absent' }, 'Not sent: there is no template', 'template'],
  ])('names what would stop the message: %s', async (_what, fields, sentence, rule) => {
    const planned = await planOne(fields);

    expect(planned).toMatchObject({ outcome: 'not_sent', contents: [], sentence: expect.stringContaining(sentence) as string });
    expect(planned.decisions.map((one) => one.rule)).toContain(rule);
  });

  it('plans a delayed message for the end of its delay', async () => {
    const untilMs = Date.now() + 3_600_000;
    const planned = await planOne({ delay: { untilMs } });

    expect(planned).toMatchObject({ outcome: 'delayed', timing: { send_at: untilMs }, contents: [{ channel: 'email' }] });
    expect(planned.decisions.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['delayed', 'routing', 'tried']));
  });

  it('plans for the first 10 recipients of a list, and says that there are more', async () => {
    messaging.members.subscribe(
      'readers',
      Array.from({ length: 12 }, (_user, index) => `u${index}`),
    );
    const targets = [{ kind: 'list' as const, listId: 'readers' }];
    const { results, more } = await plan({ profile: {}, targets });
    expect([results.map(({ recipient }) => recipient), more]).toEqual([Array.from({ length: 10 }, (_user, index) => `u${index}`), true]);

    expect(await plan({ targets: [{ kind: 'list', listId: 'none' }] })).toEqual({
      results: [],
      more: false,
      error: 'No list "none" exists',
    });
  });

  it('has no link by which a recipient could be unsubscribed', async () => {
    const content = { title: 'x', body: '{{urls.unsubscribe}}' };
    const planned = await planOne(user('ada', { content }));
    expect(planned.contents[0]!.content.text).toContain(EXAMPLE_URLS.unsubscribe);
  });

  it('plans a message of a test key as one that is sent', async () => {
    expect(await planOne({ mode: 'test' })).toMatchObject({ outcome: 'sent', contents: [{ channel: 'email' }] });
  });
});
