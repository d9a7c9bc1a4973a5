import '@tidings/testing/quiet';
import { randomBytes, randomUUID } from 'node:crypto';
import type { LoadedTopic } from '@tidings/contracts/identity/recipients';
import { messagingErasure } from '@tidings/contracts/messaging/erasure';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { messages } from '@tidings/contracts/messaging/messages';
import { suppressions } from '@tidings/contracts/messaging/suppressions';
import { unsubscribes } from '@tidings/contracts/messaging/unsubscribes';
import { RecipientLinks } from '@tidings/runtime/recipient-links';
import { waitUntil } from '@tidings/testing/wait-until';
import type { RoutingContext } from '../plan/routing-context';
import { Messaging } from '../testing/start-messaging';
import { tablesWith } from '../testing/tables-with';
import { listUnsubscribe } from './recipient-urls';

const KEY = randomBytes(32);
const BODY = 'Stop: {{unsubscribe_url}} {urls.unsubscribe} Choose: {{preferences_url}}';
const CONTENT = { title: 'News', body: BODY };

const topic = (topic_id: string, fields: Partial<LoadedTopic>): LoadedTopic => ({
  workspace_id: '',
  topic_id,
  name: topic_id,
  section_id: 's',
  section_name: 'S',
  default_status: 'OPTED_IN',
  include_unsubscribe_header: true,
  ...fields,
});

let messaging: Messaging;
/** Sends an e-mail; resolves with its headers, its text, its HTML and the warnings of its history. */
async function mailOf(email: string, fields: Partial<MessageRequested>) {
  const [id] = await messaging.send({ recipient: email, profile: { email }, content: CONTENT, ...fields });
  await messaging.waitForStatus(id!, 'DELIVERED');
  const [mail] = messaging.smtp.mailsTo(email);
  const { headers, text = '', html = '' } = await mail!.parse();
  const { results } = await messaging.call(messages.history, { message_id: id! });
  const header = (name: string) => headers.find(({ key }) => key === name)?.value;
  return { id: id!, header, text, html, warnings: results.flatMap(({ warnings = [] }) => warnings) };
}

const opened = (url: string) => new RecipientLinks([KEY]).open(url.split('/').pop()!, Date.now());

describe('with a public URL', () => {
  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start('', { secretKeys: [KEY], links: new RecipientLinks([KEY], 'https://tidings.example') });
    const { workspaceId: workspace_id } = messaging;
    messaging.profiles.topics.push(
      topic('news', { workspace_id }),
      topic('plain', { workspace_id, include_unsubscribe_header: false }),
      topic('bills', { workspace_id, default_status: 'REQUIRED' }),
    );
  });
  afterAll(() => messaging.end());

  it('an e-mail of a topic that requests it has List-Unsubscribe for its user, and the same link in both parts', async () => {
    const { id, header, text, html, warnings } = await mailOf('ada@example.com', { userId: 'ada', topicId: 'news' });

    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const url = /^<(https:\/\/tidings\.example\/u\/[\w-]+)>$/.exec(header('list-unsubscribe')!)![1]!;
    const { workspaceId } = messaging;
    expect(opened(url)).toEqual({ recipient: { workspaceId, messageId: id, channel: 'email', userId: 'ada', topicId: 'news' } });
    const preferences = url.replace('/u/', '/p/');
    expect(text.replace(/\s+/g, ' ')).toContain(`Stop: ${url} ${url} Choose: ${preferences}`);
    for (const link of [url, preferences]) expect(html).toContain(link);
    expect(warnings).toEqual([]);
  });

  const OF_REQUIRED =
    'The topic "bills" requests include_unsubscribe_header: the e-mail is sent without List-Unsubscribe, as the topic is REQUIRED';
  it.each<[string, string[]]>([
    ['plain', []],
    ['bills', [OF_REQUIRED]],
  ])('an e-mail of the topic %s has links and no header', async (topicId, expected) => {
    const { header, text, warnings } = await mailOf(`${topicId}@example.com`, { userId: 'ada', topicId });
    expect(header('list-unsubscribe')).toBeUndefined();
    expect(text).toContain('https://tidings.example/u/');
    expect(warnings).toEqual(expected);
  });

  it('the link of an e-mail to an address suppresses it', async () => {
    const { id, header } = await mailOf('eve@example.com', { topicId: 'news' });
    const link = opened(/<(.*)>/.exec(header('list-unsubscribe')!)![1]!);
    expect(link).toMatchObject({ recipient: { channel: 'email', address: 'eve@example.com' } });
    expect(link).not.toHaveProperty('recipient.userId', expect.anything());

    const address = { channel: 'email', address: 'eve@example.com' } as const;
    await messaging.call(unsubscribes.add, { ...address, message_id: id });

    const [again] = await messaging.send({ recipient: 'eve@example.com', profile: { email: 'eve@example.com' } });
    await messaging.waitForStatus(again!, 'UNDELIVERABLE');
    expect(await messaging.call(messages.retrieve, { message_id: again! })).toMatchObject({ reason: 'UNSUBSCRIBED' });
    const suppressed = await messaging.call(suppressions.retrieve, address);
    expect(suppressed).toMatchObject({ reason: 'unsubscribe', source: 'link', message_id: id });
  });

  it('the link of an e-mail to an erased person suppresses the address by its hash alone', async () => {
    const address = 'mallory@example.com';
    const { id } = await mailOf(address, {});
    const named = { channel: 'email', address } as const;
    await waitUntil(async () => (await messaging.call(messagingErasure.erase, { user_id: address })).done, { what: 'the erasure' });

    await messaging.call(unsubscribes.add, { ...named, message_id: id });

    const suppressed = await messaging.call(suppressions.retrieve, named);
    expect(suppressed).toMatchObject({ reason: 'unsubscribe', source: 'link', erased: true });
    expect(await tablesWith(messaging, address)).toEqual([]);
  });
});

it.each([
  ['http://tidings.example', 'TIDINGS_PUBLIC_URL is not https'],
  [undefined, 'TIDINGS_PUBLIC_URL is not set'],
])('with the public URL %s an e-mail has no List-Unsubscribe, with a warning', (publicUrl, cause) => {
  const links = new RecipientLinks([KEY], publicUrl);
  const recipient = { workspaceId: randomUUID(), messageId: 'm', channel: 'email', userId: 'ada', topicId: 'news' };
  const context = { topic: topic('news', {}) } as RoutingContext;
  expect(listUnsubscribe(links, links.urlsOf(recipient, Date.now()), context)).toEqual({
    warning: `The topic "news" requests include_unsubscribe_header: the e-mail is sent without List-Unsubscribe, as ${cause}`,
  });
});

it.each([
  ['OPTED_IN', 'OPTED_IN', true],
  ['OPTED_IN', 'REQUIRED', false],
  ['REQUIRED', 'OPTED_IN', false],
] as const)('an e-mail of a topic that is %s, and %s in its tenant, has List-Unsubscribe: %s', (default_status, inTenant, expected) => {
  const links = new RecipientLinks([KEY], 'https://tidings.example');
  const recipient = { workspaceId: randomUUID(), messageId: 'm', channel: 'email', userId: 'ada', topicId: 'news' };
  const tenant = { defaults: [{ topic_id: 'news', status: inTenant }] };
  const context = { topic: topic('news', { default_status }), tenant } as unknown as RoutingContext;
  const { page } = listUnsubscribe(links, links.urlsOf(recipient, Date.now()), context);
  expect(page !== undefined).toBe(expected);
});
