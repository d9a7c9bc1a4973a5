import { describeVendor, openVendor, type VendorMatrix } from '../vendor/matrix.fixture';
import { SLACK, SLACK_WEBHOOK } from './slack.fixture';
import { slackKind } from './slack';

describeVendor(SLACK);

const WEBHOOK: VendorMatrix = { ...SLACK, ...SLACK_WEBHOOK };
const { rendered } = SLACK.message;
const to = (slack: object) => ({ rendered, recipient: { channel: 'direct_message', slack: { ...slack } } as const });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

it('posts text and blocks to the channel, with the token of the bot', async () => {
  const { peer, send } = await openVendor(SLACK);

  await send();

  const { headers, body } = peer.first('post');
  expect(headers).toMatchObject({ ...bearer('xoxb-the-token-of-the-bot'), 'content-type': 'application/json; charset=utf-8' });
  expect(JSON.parse(body)).toEqual({
    channel: 'C1',
    text: 'Shipped',
    blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*Shipped*' } }],
  });
});

it('sends what is raw in the content beside the blocks that were rendered of it', async () => {
  const { peer, send } = await openVendor(SLACK);

  await send(undefined, { override: { body: { slackBlocks: '[]', text: 'Raw' } } });

  expect(JSON.parse(peer.first('post').body)).toMatchObject({ text: 'Raw', blocks: [{ type: 'section' }] });
  expect(peer.problems).toEqual([]);
});

describe('the user of an e-mail address', () => {
  const ada = to({ email: 'ada@example.org' });

  it('is looked up once', async () => {
    const { peer, send } = await openVendor({ ...SLACK, before: { userByEmail: { status: 200, body: { ok: true, user: { id: 'U1' } } } } });

    await send(ada);
    await send(ada);

    expect(peer.received('userByEmail').map(({ url }) => url)).toEqual(['/users.lookupByEmail?email=ada%40example.org']);
    expect(peer.received('post').map(({ body }) => (JSON.parse(body) as { channel: string }).channel)).toEqual(['U1', 'U1']);
    expect(peer.problems).toEqual([]);
  });

  it.each([
    [
      { status: 200, body: { ok: false, error: 'users_not_found' } },
      { kind: 'failed', cause: 'recipient', reasonCode: 'HARD' },
    ],
    [
      { status: 200, body: { ok: false, error: 'missing_scope' } },
      { kind: 'failed', cause: 'configuration' },
    ],
    [
      { status: 429, headers: { 'retry-after': '3' } },
      { kind: 'retry', retryAfterMs: 3_000 },
    ],
    [{ status: 500 }, { kind: 'retry', outage: true }],
    [
      { status: 200, body: 'nonsense' },
      { kind: 'failed', cause: 'permanent' },
    ],
  ])('is not found: %j', async (userByEmail, outcome) => {
    const { peer, send } = await openVendor({ ...SLACK, before: { userByEmail } });

    expect(await send(ada)).toMatchObject(outcome);
    expect(peer.received('post')).toEqual([]);
  });
});

it.each([
  [{ channel: 'C1', user_id: 'U1', email: 'a@b.c' }, 'C1'],
  [{ user_id: 'U1', email: 'a@b.c' }, 'U1'],
])('posts to the first target of %j', async (slack, channel) => {
  const { peer, send } = await openVendor(SLACK);

  await send(to(slack));

  expect(JSON.parse(peer.first('post').body)).toMatchObject({ channel });
});

it('uses a token of the recipient, whose fault is none of the configuration', async () => {
  const { peer, send, script } = await openVendor(SLACK);
  script({ status: 200, body: { ok: false, error: 'token_revoked' } });

  const outcome = await send(to({ access_token: 'xoxb-of-ada', user_id: 'U1' }));

  expect(peer.first('post').headers).toMatchObject(bearer('xoxb-of-ada'));
  expect(outcome).toMatchObject({ kind: 'failed', cause: 'permanent' });
});

describe('an incoming webhook', () => {
  it.each(Object.entries(SLACK_WEBHOOK.rows))('of the configuration, with an answer: %s', async (_name, row) => {
    const { peer, send, script } = await openVendor(WEBHOOK);
    script(row!.answer);

    expect(await send()).toMatchObject(row!.outcome);
    expect(peer.received('webhook').map(({ headers }) => headers.authorization)).toEqual([undefined]);
    expect(peer.problems).toEqual([]);
  });

  it('of the recipient comes before that of the configuration, and without its token', async () => {
    const { peer, send, script } = await openVendor({ ...SLACK, sends: 'webhook' });
    script({ status: 404, body: 'no_service' });

    const outcome = await send(to({ access_token: 'xoxb-of-ada', incoming_webhook: { url: peer.urlOf('webhook') } }));

    expect(peer.received('webhook').map(({ headers }) => headers.authorization)).toEqual([undefined]);
    expect(outcome).toMatchObject({ kind: 'failed', cause: 'permanent' });
  });

  it('cannot be tested', async () => {
    const { peer, provider } = await openVendor(WEBHOOK);

    expect(await provider.test(new AbortController().signal)).toEqual({
      ok: false,
      message: 'An incoming webhook cannot be tested without a message',
    });
    expect(peer.server.received).toEqual([]);
  });
});

it('posts nothing without a target', async () => {
  const { peer, send } = await openVendor(SLACK);

  expect(await send(to({ team: 'T1' }))).toMatchObject({ kind: 'failed', cause: 'permanent' });
  expect(peer.server.received).toEqual([]);
  expect(slackKind.recipientOf!({ channel: 'direct_message', discord: { user_id: '1' } })).toBeUndefined();
});

it.each([
  [{}, 'settings.access_token or settings.webhook_url is required, not both'],
  [{ access_token: 'x', webhook_url: 'https://hooks.example' }, 'settings.access_token or settings.webhook_url is required, not both'],
  [{ webhook_url: 'hooks.example' }, 'settings.webhook_url must be the https address of a webhook'],
])('refuses the settings %j', (settings, sentence) => {
  expect(() => slackKind.parseSettings(settings)).toThrow(sentence);
});

it('names the host of a webhook', () => {
  const parsed = slackKind.parseSettings({ webhook_url: 'https://hooks.slack.com/services/T/B/x' });
  expect(slackKind.hostOf(parsed)).toEqual({ setting: 'webhook_url', host: 'hooks.slack.com' });
});
