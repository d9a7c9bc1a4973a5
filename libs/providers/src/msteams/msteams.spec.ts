import { describeVendor, openVendor } from '../vendor/matrix.fixture';
import { msteamsKind } from './msteams';
import { CARD, MSTEAMS, refused } from './msteams.fixture';
import { isServiceUrl, targetOf } from './target';

describeVendor(MSTEAMS);

const { rendered } = MSTEAMS.message;
const to = (ms_teams: object) => ({ rendered, recipient: { channel: 'direct_message', ms_teams: { ...ms_teams } } as const });
const bodies = (received: readonly { body: string }[]) => received.map(({ body }) => JSON.parse(body) as object);

it('sends a card to the conversation, with the token of the bot', async () => {
  const { peer, send } = await openVendor(MSTEAMS);

  await send();
  await send();

  expect(peer.received('token').map(({ url, body }) => [url, Object.fromEntries(new URLSearchParams(body))])).toEqual([
    [
      '/shop.example/oauth2/v2.0/token',
      {
        grant_type: 'client_credentials',
        client_id: 'the-bot',
        client_secret: 'the-password-of-the-bot',
        scope: 'https://api.botframework.com/.default',
      },
    ],
  ]);
  expect(peer.received('send').map(({ url, headers }) => [url, headers.authorization])[0]).toEqual([
    '/v3/conversations/a:1/activities',
    'Bearer access',
  ]);
  expect(bodies(peer.received('send'))[0]).toEqual({
    type: 'message',
    channelId: 'msteams',
    conversation: { id: 'a:1' },
    summary: 'Shipped',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: CARD }],
  });
});

it('replaces a token that was refused, and repeats the call once', async () => {
  const { peer, send, script } = await openVendor(MSTEAMS);
  script(refused(401, 'Unauthorized'));

  expect(await send()).toMatchObject({ kind: 'failed', cause: 'configuration' });
  expect([peer.received('token').length, peer.received('send').length]).toEqual([2, 2]);
});

it.each([
  [
    { status: 401, body: { error: 'invalid_client' } },
    { kind: 'failed', cause: 'configuration' },
  ],
  [{ status: 503 }, { kind: 'retry', outage: true }],
])('sends nothing without a token: %j', async (token, outcome) => {
  const { peer, send } = await openVendor({ ...MSTEAMS, before: { token } });

  expect(await send()).toMatchObject(outcome);
  expect(peer.received('send')).toEqual([]);
});

describe('a person', () => {
  const before = { ...MSTEAMS.before, open: { status: 201, body: { id: 'a:2' } } };

  it('has a conversation with the bot, opened once', async () => {
    const { peer, send } = await openVendor({ ...MSTEAMS, before });

    await send(to({ user_id: '29:ada', tenant_id: 'T' }));
    await send(to({ user_id: '29:ada', tenant_id: 'T', channel_id: '19:c' }));
    await send(to({ user_id: '29:ada' }));

    const opened = (tenant: string) => ({
      bot: { id: '28:the-bot' },
      members: [{ id: '29:ada' }],
      tenantId: tenant,
      isGroup: false,
      channelData: { tenant: { id: tenant } },
    });
    expect(bodies(peer.received('open'))).toEqual([opened('T'), opened('shop.example')]);
    expect(peer.received('send').map(({ url }) => url)).toEqual(Array(3).fill('/v3/conversations/a:2/activities'));
    expect(peer.problems).toEqual([]);
  });

  it.each([
    [refused(403, 'MessageWritesBlocked'), { kind: 'failed', cause: 'recipient' }],
    [refused(429, 'Throttled'), { kind: 'retry' }],
  ])('gets nothing where it is not opened: %j', async (open, outcome) => {
    const { peer, send } = await openVendor({ ...MSTEAMS, before: { ...before, open } });

    expect(await send(to({ user_id: '29:ada' }))).toMatchObject(outcome);
    expect(peer.received('send')).toEqual([]);
  });
});

describe('a channel by its name', () => {
  const conversations = [
    { id: '19:team', name: null },
    { id: '19:alerts', name: 'Alerts' },
  ];
  const before = { ...MSTEAMS.before, channels: { status: 200, body: { conversations } } };

  it.each([
    ['alerts', '19:alerts'],
    ['General', '19:team'],
  ])('%s is found in its team', async (channel_name, id) => {
    const { peer, send } = await openVendor({ ...MSTEAMS, before });

    await send(to({ channel_name, team_id: '19:team' }));

    expect(peer.received('channels').map(({ url }) => url)).toEqual(['/v3/teams/19:team/conversations']);
    expect(bodies(peer.received('send'))).toMatchObject([{ conversation: { id } }]);
  });

  it('may be missing', async () => {
    const { send } = await openVendor({ ...MSTEAMS, before });

    expect(await send(to({ channel_name: 'Sales', team_id: '19:team' }))).toMatchObject({
      cause: 'recipient',
      error: 'The team has no channel "Sales"',
    });
  });
});

it.each([{ conversation_id: 'a:1' }, { user_id: '29:ada' }])('sends its token to no address that %j names', async (target) => {
  const { peer, send } = await openVendor(MSTEAMS);

  expect(await send(to({ ...target, service_url: 'https://smba.trafficmanager.net.evil.example/' }))).toMatchObject({
    kind: 'failed',
    cause: 'permanent',
    error: 'profile.ms_teams.service_url is no address of Microsoft Teams',
  });
  expect(peer.server.received).toEqual([]);
});

it.each([
  ['https://smba.trafficmanager.net/emea/', true],
  ['https://smba.infra.gov.teams.microsoft.us/', true],
  ['http://smba.trafficmanager.net/', false],
  ['https://smba.trafficmanager.net:8443/', false],
  ['https://evilbotframework.com/', false],
  ['https://teams.microsoft.com.example/', false],
])('%s is a service of Teams: %s', (url, is) => {
  expect(isServiceUrl(url)).toBe(is);
});

it('needs a target and a tenant', async () => {
  const { tenant_id: _tenant, ...settings } = MSTEAMS.settings({ url: 'http://127.0.0.1' } as never);
  const { peer, send } = await openVendor({ ...MSTEAMS, settings: ({ url }) => ({ ...settings, login_url: url }) });

  expect(await send(to({ user_id: '29:ada' }))).toMatchObject({ error: 'profile.ms_teams has no tenant_id, nor have the settings' });
  expect(peer.received('send')).toEqual([]);
  expect(targetOf({ email: 'ada@example.com', channel_name: 'Alerts' })).toBeUndefined();
  expect(msteamsKind.recipientOf!({ channel: 'direct_message', ms_teams: { email: 'ada@example.com' } })).toBeUndefined();
});
