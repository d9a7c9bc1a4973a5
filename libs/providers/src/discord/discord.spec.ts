import { cleanUp } from '../http/receiver.fixture';
import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { discordKind } from './discord';
import { DISCORD, DISCORD_WEBHOOK, refused } from './discord.fixture';

afterEach(cleanUp);

describe('a bot', () => describeVendor(DISCORD));
describe('a webhook', () => describeVendor(DISCORD_WEBHOOK));

const message = (discord: object, posts = ['Shipped']) =>
  ({
    rendered: { kind: 'direct_message', directMessage: { text: 'Shipped', posts } },
    recipient: { channel: 'direct_message', discord: { ...discord } },
  }) as const;
const bodies = (received: readonly { body: string }[]) => received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);

it('posts to the channel with the token of the bot, notifies no one, and repeats with the same nonce', async () => {
  const { peer, send } = await openVendor(DISCORD);

  await send();
  await send();

  const { url, headers } = peer.first('send');
  expect([url, headers]).toMatchObject(['/channels/41771983423143937/messages', { authorization: 'Bot the-token-of-the-bot' }]);
  const [first, second] = bodies(peer.received('send'));
  expect(first).toMatchObject({ content: '**Shipped**', allowed_mentions: { parse: [] }, enforce_nonce: true });
  expect(second).toEqual(first);
});

it('opens the channel of direct messages with a person once', async () => {
  const { peer, send } = await openVendor({ ...DISCORD, before: { open: { status: 200, body: { id: '55' } } } });

  await send(message({ user_id: '80', channel_id: '41' }));
  await send(message({ user_id: '80' }));

  expect(bodies(peer.received('open'))).toEqual([{ recipient_id: '80' }]);
  expect(peer.received('send').map(({ url }) => url)).toEqual(['/channels/55/messages', '/channels/55/messages']);
  expect(peer.problems).toEqual([]);
});

it.each([
  [refused(50_007, 403), { kind: 'failed', cause: 'recipient', reasonCode: 'HARD' }],
  [refused(50_033, 400), { kind: 'failed', cause: 'recipient', reasonCode: 'HARD' }],
  [
    { status: 429, body: { retry_after: 2, global: true } },
    { kind: 'retry', retryAfterMs: 2_000, outage: true },
  ],
  [{ status: 401 }, { kind: 'failed', cause: 'configuration' }],
  [
    { status: 200, body: 'nonsense' },
    { kind: 'failed', cause: 'permanent' },
  ],
])('posts nothing where that channel is not opened: %j', async (open, outcome) => {
  const { peer, send } = await openVendor({ ...DISCORD, before: { open } });

  expect(await send(message({ user_id: '80' }))).toMatchObject(outcome);
  expect(peer.received('send')).toEqual([]);
});

describe('a long text', () => {
  const long = message({ channel_id: '41' }, ['one', 'two', 'three']);

  it('is posted as several messages in order, each with a nonce; the change of a send is in the last', async () => {
    const { peer, send } = await openVendor(DISCORD);
    const embeds = [{ title: 'Order' }];

    const outcome = await send(long, { override: { body: { embeds } } });

    expect(outcome).toMatchObject({ kind: 'accepted', reference: { id: '9001' } });
    const posted = bodies(peer.received('send'));
    expect(posted.map(({ content, embeds: given }) => [content, given])).toEqual([
      ['one', undefined],
      ['two', undefined],
      ['three', embeds],
    ]);
    expect(new Set(posted.map(({ nonce }) => nonce)).size).toBe(3);
    expect(peer.problems).toEqual([]);
  });

  it('is continued by a repeat after the posts that were accepted', async () => {
    const { peer, send, script } = await openVendor(DISCORD);
    script((answer, { body }) => void answer.writeHead(body.includes('two') ? 503 : 200).end('{"id":"9001"}'));
    expect(await send(long)).toMatchObject({ kind: 'retry' });

    script(DISCORD.rows.accepted.answer);
    expect(await send(long)).toMatchObject({ kind: 'accepted', reference: { id: '9001' } });

    expect(bodies(peer.received('send')).map(({ content }) => content)).toEqual(['one', 'two', 'two', 'three']);
  });

  it('is replaced by the content of a send', async () => {
    const { peer, send } = await openVendor(DISCORD);

    await send(long, { override: { body: { content: 'Another' } } });

    expect(bodies(peer.received('send')).map(({ content }) => content)).toEqual(['Another']);
  });
});

it('posts by a webhook without the token of a bot, and waits for the message', async () => {
  const { peer, send } = await openVendor(DISCORD_WEBHOOK);

  await send(message({ user_id: '80' }));

  const { url, headers } = peer.first('webhook');
  expect([url, headers.authorization]).toEqual(['/webhooks/7/the-token-of-the-webhook?wait=true', undefined]);
});

it('posts nothing without a target', async () => {
  const { peer, send } = await openVendor(DISCORD);

  expect(await send(message({ name: 'ada' }))).toMatchObject({ kind: 'failed', cause: 'permanent' });
  expect(peer.server.received).toEqual([]);
  expect(discordKind.recipientOf!({ channel: 'direct_message', slack: { channel: '1' } })).toBeUndefined();
});

it.each([
  [{}, 'settings.bot_token or settings.webhook_url is required, not both'],
  [{ bot_token: 'x', webhook_url: 'https://discord.example' }, 'settings.bot_token or settings.webhook_url is required, not both'],
  [{ bot_token: 'a b' }, 'settings.bot_token must be printable ASCII characters'],
  [{ webhook_url: 'discord.example' }, 'settings.webhook_url must be the https address of a webhook'],
])('refuses the settings %j', (settings, sentence) => {
  expect(() => discordKind.parseSettings(settings)).toThrow(sentence);
});
