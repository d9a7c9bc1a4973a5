import '@tidings/testing/quiet';
import { randomUUID } from 'node:crypto';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { explanations, type MessageExplanation } from '@tidings/contracts/messaging/explanations';
import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { messageActions, messages } from '@tidings/contracts/messaging/messages';
import { providerPauses } from '@tidings/contracts/messaging/provider-pauses';
import { providers } from '@tidings/contracts/messaging/providers';
import { suppressions } from '@tidings/contracts/messaging/suppressions';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../../testing/start-messaging';
import { TopicReaders } from '../../testing/topic-readers';

const EMAIL = 'ada@example.com';
const SINGLE = (...channels: string[]) => ({ method: 'single' as const, channels });
const TOPIC = { topic_id: 'tpc_1', section_id: 's', name: 'Offers', default_status: 'OPTED_IN' as const };

let messaging: Messaging;
let receiver: CapturingHttp;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start('', { publishHistory: true });
  messaging.profiles.topics.push({ workspace_id: messaging.workspaceId, ...TOPIC } as never);
  messaging.profiles.recipients.set('opted-out', { choices: [{ topic_id: 'tpc_1', tenant_id: null, status: 'OPTED_OUT' }] as never });
  receiver = await CapturingHttp.start();
  const settings = { channel: 'sms', url: receiver.url, secret: 'a secret of some length' };
  await messaging.call(providers.create, { provider: 'http', alias: 'texts', settings });
});
afterAll(async () => {
  await receiver.stop();
  await messaging.end();
});

const explain = (message_id: string): Promise<MessageExplanation> => messaging.call(explanations.retrieve, { message_id });
/** Sends a message, and explains it once it has the status. */
async function explained(status: string, fields: Partial<MessageRequested>): Promise<MessageExplanation & { id: string }> {
  const [id] = await messaging.send(fields);
  await messaging.waitForStatus(id!, status);
  return { id: id!, ...(await explain(id!)) };
}
const user = (userId: string, fields: Partial<MessageRequested> = {}) => ({ userId, recipient: userId, ...fields });
const rulesOf = ({ decisions }: MessageExplanation) => decisions.map(({ rule }) => rule);

it('explains a delivered message: who, which route, what the provider answered', async () => {
  const explanation = await explained('DELIVERED', user('ada'));

  expect(explanation.sentence).toMatch(/^Delivered to user ada by smtp on email at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\.$/);
  expect(explanation).toMatchObject({ outcome: 'delivered', source: 'decisions', remedies: [] });
  expect(explanation).not.toHaveProperty('next_attempt');
  expect(rulesOf(explanation)).toEqual(['recipient', 'routing', 'lacks', 'tried', 'accepted', 'delivered']);
  expect(explanation.decisions[0]).toMatchObject({ answer: 'User ada', whose: 'send', subject: { kind: 'user', id: 'ada' } });
  expect(explanation.decisions[2]).toMatchObject({ answer: 'No: profile.phone_number of user ada is missing', whose: 'recipient' });
  expect(explanation.decisions[4]!.answer).toMatch(/^Yes: 250/);
});

it.each<[string, string, Partial<MessageRequested>, string | RegExp, string, string]>([
  [
    'an opt-out of the user',
    'UNDELIVERABLE',
    user('opted-out', { topicId: 'tpc_1' }),
    'Not sent: user opted-out opted out of topic tpc_1 (own choice of user opted-out).',
    'preference',
    'user',
  ],
  [
    'an opt-out that the send gives for an address',
    'UNDELIVERABLE',
    { recipient: EMAIL, topicId: 'tpc_1', preferences: { categories: { tpc_1: { status: 'OPTED_OUT' } } } },
    `Not sent: recipient ${EMAIL} opted out of topic tpc_1 (preferences given with the send).`,
    'preference',
    'send',
  ],
  [
    'a missing address',
    'UNROUTABLE',
    user('bo', { profile: {}, routing: SINGLE('email') }),
    'Not sent: email cannot reach the recipient: profile.email of user bo is missing.',
    'lacks',
    'recipient',
  ],
  [
    'an address that is none',
    'UNROUTABLE',
    user('bo', { profile: { email: 7 }, routing: SINGLE('email', 'push') }),
    'Not sent: email cannot reach the recipient: profile.email of user bo is no address for it; no provider is configured for push.',
    'lacks',
    'recipient',
  ],
  [
    'a condition of the send',
    'FILTERED',
    { channels: { email: { if: 'data.never' } }, routing: SINGLE('email') },
    'Not sent: the conditions of email are not met.',
    'condition',
    'send',
  ],
  [
    'an unknown template',
    'UNMAPPED',
    { content: undefined, template: 'absent', event: 'absent' },
    'Not sent: there is no template absent.',
    'template',
    'send',
  ],
  [
    'a content that cannot be rendered',
    'UNDELIVERABLE',
    { routing: SINGLE('email'), channels: { email: { override: { from: 'no address' } } } },
    /^Not sent: smtp on email: from must hold e-mail addresses/,
    'unrendered',
    'template',
  ],
  ['a test key', 'SIMULATED', user('ada', { mode: 'test' }), /^Not sent to user ada: it was sent with a test key/, 'simulated', 'send'],
])('explains %s', async (_case, status, fields, sentence, rule, whose) => {
  const explanation = await explained(status, fields);

  expect(explanation.sentence).toMatch(
    typeof sentence === 'string' ? new RegExp(`^${sentence.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`) : sentence,
  );
  expect(explanation.outcome).toBe(status === 'SIMULATED' ? 'simulated' : 'not_sent');
  expect(explanation.decisions).toContainEqual(expect.objectContaining({ rule, whose }));
});

it('says what would help, with a link to the user', async () => {
  const { remedies } = await explained('UNDELIVERABLE', user('opted-out', { topicId: 'tpc_1' }));
  expect(remedies).toEqual([{ text: 'Send it again when user opted-out has opted in to topic tpc_1.', link: '/console/users/opted-out' }]);
});

it('explains a suppressed address, and a route after one that was refused', async () => {
  const email = `${randomUUID()}@example.com`;
  await messaging.call(suppressions.replace, { channel: 'email', address: email, reason: 'manual' });
  const suppressed = await explained('UNDELIVERABLE', { recipient: email, profile: { email }, routing: SINGLE('email') });
  expect(suppressed.sentence).toMatch(/^Not sent: smtp on email: The address is suppressed: manual since /);
  expect(suppressed.decisions).toContainEqual(expect.objectContaining({ rule: 'suppressed', whose: 'workspace' }));

  messaging.smtp.treat(EMAIL.replace('ada', 'refused'), { refuse: true });
  const profile = { email: EMAIL.replace('ada', 'refused'), phone_number: '+4915123456789' };
  const other = await explained('SENT', user('cy', { profile, routing: SINGLE('email', 'sms') }));
  expect(other.sentence).toMatch(
    /^Accepted for user cy by http on sms at .* UTC, after another route failed; the provider has not reported/,
  );
  expect(rulesOf(other)).toEqual(['recipient', 'routing', 'tried', 'refused', 'tried', 'accepted']);
  expect(other.decisions[3]).toMatchObject({ whose: 'recipient', answer: expect.stringContaining('No: ') as string });
});

it('explains a message that every provider refused', async () => {
  messaging.smtp.treat('unwanted@example.com', { refuse: true });
  const explanation = await explained('UNDELIVERABLE', { recipient: 'unwanted@example.com', profile: { email: 'unwanted@example.com' } });

  expect(explanation).toMatchObject({ outcome: 'failed', remedies: [{ text: 'Correct the address of recipient unwanted@example.com.' }] });
  expect(explanation.sentence).toMatch(/^Not delivered: smtp on email: /);
});

it('explains what waits: the next attempt, by which provider, until when, and why', async () => {
  receiver.answer(503, {});
  const [id] = await messaging.send(user('dan', { profile: { phone_number: '+4915123456780' }, routing: SINGLE('texts') }));
  const explanation = await waitUntil(
    async () => {
      const found = await explain(id!);
      return found.next_attempt?.error !== undefined && found.next_attempt.at !== undefined ? found : undefined;
    },
    { what: 'a failed attempt' },
  );

  expect(explanation).toMatchObject({ outcome: 'waiting', next_attempt: { channel: 'sms', provider: 'http' } });
  expect(explanation.next_attempt!.until).toBeGreaterThan(Date.now() + 71 * 3_600_000);
  expect(explanation.sentence).toMatch(/^Waiting: http on sms is called again at .* UTC, because: .*503/);
  receiver.answer(200, { id: 'accepted' });
  await messaging.waitForStatus(id!, 'SENT');
  expect((await explain(id!)).decisions.find(({ rule }) => rule === 'accepted')!.answer).toMatch(/^Yes, at attempt [2-9]/);
});

it('explains a paused provider that another route replaces', async () => {
  const { results } = await messaging.call(providers.list, {});
  const { id: name } = results.find(({ alias }) => alias === 'texts')!;
  await messaging.call(providerPauses.pause, { name });
  const profile = { email: EMAIL, phone_number: '+4915123456789' };
  const explanation = await waitUntil(
    async () => {
      const [id] = await messaging.send(user('eve', { profile, routing: SINGLE('sms', 'email') }));
      await waitUntil(async () => ['SENT', 'DELIVERED'].includes(await messaging.statusOf(id!)), { what: `message ${id} to be sent` });
      const found = await explain(id!);
      return rulesOf(found).includes('uncalled') ? found : undefined;
    },
    { what: 'the pause to apply' },
  );
  await messaging.call(providerPauses.resume, { name });

  expect(explanation.decisions).toContainEqual(
    expect.objectContaining({ rule: 'uncalled', whose: 'operator', subject: { kind: 'provider', id: name } }),
  );
});

it('explains a delayed and a canceled message', async () => {
  const delayed = await explained('DELAYED', user('ada', { delay: { untilMs: Date.now() + 3_600_000 } }));
  expect(delayed.sentence).toMatch(/^Waiting: it is sent to user ada at .* UTC\.$/);
  expect(delayed.next_attempt).toEqual({ at: expect.any(Number) as number });

  await messaging.call(messageActions.cancel, { message_id: delayed.id });
  const canceled = await explain(delayed.id);
  expect(canceled).toMatchObject({
    outcome: 'canceled',
    sentence: expect.stringMatching(/^Canceled at .*, before a provider was called\.$/) as string,
  });
  expect(canceled).not.toHaveProperty('next_attempt');
});

it('shows decisions neither in the history nor in the record nor on topics', async () => {
  const topics = await TopicReaders.on(messaging.log);
  const sent = await messaging.send(
    user('opted-out', { topicId: 'tpc_1' }),
    { recipient: 'x', profile: {}, routing: SINGLE('email') },
    { recipient: 'unwanted@example.com', profile: { email: 'unwanted@example.com' } },
    user('ada'),
  );
  for (const [index, status] of ['UNDELIVERABLE', 'UNROUTABLE', 'UNDELIVERABLE', 'DELIVERED'].entries())
    await messaging.waitForStatus(sent[index]!, status);

  for (const message_id of sent) {
    const { results } = await messaging.call(messages.history, { message_id });
    await waitUntil(() => topics.statusNumberOf(message_id) === results.length, { what: 'the topics' });
    const stored = await messaging.rows('select from messaging.history where message_id = $1 and events::text like $2', [
      messageIdToUuid(message_id),
      '%"decided"%',
    ]);
    expect(stored.length).toBeGreaterThan(0);
    const shown = [
      results,
      await messaging.call(messages.retrieve, { message_id }),
      topics.eventsOf(message_id),
      topics.statusOf(message_id),
    ];
    expect(JSON.stringify(shown)).not.toContain('"decided"');
  }
});

it('explains a message of a version without decisions from its history, and one without history from its record', async () => {
  const { id } = await explained('UNDELIVERABLE', user('opted-out', { topicId: 'tpc_1' }));
  const uuid = messageIdToUuid(id);
  await messaging.rows(
    `update messaging.history set events = (select json_agg(event::jsonb - 'decided' order by ordinal)
       from json_array_elements(events) with ordinality as all_events (event, ordinal)) where message_id = $1`,
    [uuid],
  );
  const explanation = await explain(id);
  expect(explanation).toMatchObject({ source: 'history', outcome: 'not_sent' });
  expect(explanation.sentence).toBe('Not sent: Notification opted out by user (own choice of user opted-out).');

  await messaging.rows('delete from messaging.history where message_id = $1', [uuid]);
  expect(await explain(id)).toMatchObject({ source: 'history', decisions: [], sentence: 'Not sent: Notification opted out by user.' });
});

it('is not found for another workspace, and refused for the token of a user', async () => {
  const { id } = await explained('DELIVERED', user('ada'));
  const request = { message_id: id };

  const stranger = { ...messaging.context, workspaceId: randomUUID() };
  await expect(messaging.call(explanations.retrieve, request, stranger)).rejects.toMatchObject({ code: 'not_found' });
  const token = { ...messaging.context, scopes: ['user_id:ada', 'read:messages'] };
  await expect(messaging.call(explanations.retrieve, request, token)).rejects.toMatchObject({ code: 'forbidden' });
});
