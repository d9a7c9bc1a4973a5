import { acceptance, acceptTo, refusalOf } from './accepting.fixture';
import { RECIPIENTS_MAX } from './send';

const HOOK = 'https://hooks.example.com/in/1';

describe('one user', () => {
  it('is the recipient of the request, with undeclared fields as profile data', () => {
    expect(
      acceptTo({ user_id: 'ada', email: 'ada@example.com', locale: 'fr', timezone: 'Europe/Paris', custom: { plan: 'pro' } }),
    ).toMatchObject({
      userId: 'ada',
      recipient: 'ada',
      profile: { email: 'ada@example.com', locale: 'fr', timezone: 'Europe/Paris', custom: { plan: 'pro' } },
    });
  });

  it('has no declared field in its profile', () => {
    const reserved = {
      user_id: 'ada',
      data: {},
      preferences: {},
      context: {},
      tenant_id: 't',
      account_id: 't',
      filters: [],
      include_children: false,
    };
    const request = acceptTo({ ...reserved, list_id: null, list_pattern: null, audience_id: null });

    expect(request.profile).toEqual({});
    expect(request).not.toHaveProperty('targets');
  });

  it.each(['jörg@käse.example', 'ada+news@[192.0.2.1]', 'ada@localhost', "o'brien@example.com"])('may be reached at %s', (email) => {
    expect(acceptTo({ email }).profile).toEqual({ email });
  });

  it('leaves null in profile fields, which removes stored ones', () => {
    expect(acceptTo({ user_id: 'ada', email: null, slack: null }).profile).toEqual({ email: null, slack: null });
  });

  it('has its data merged deeply over those of the message', () => {
    const data = { order: { id: 1, items: ['a'] }, shop: 'x' };
    expect(acceptTo({ user_id: 'ada', data: { order: { items: ['b'] } } }, { data }).data).toEqual({
      order: { id: 1, items: ['b'] },
      shop: 'x',
    });
  });

  it('may have an incomplete address: the rest may be stored', () => {
    expect(acceptTo({ user_id: 'ada', slack: { channel: 'C1' }, ms_teams: {}, webhook: { method: 'PUT' } }).userId).toBe('ada');
  });

  it.each([
    ['its context', { tenant_id: 'b', account_id: 'c', context: { tenant_id: 'a' } }, 'a'],
    ['its tenant', { tenant_id: 'b', account_id: 'c', context: {} }, 'b'],
    ['its account, the older name', { account_id: 'c', context: null }, 'c'],
    ['the message', {}, 'd'],
  ])('is in the tenant of %s, which wins over later ones', (_, fields, tenantId) => {
    expect(acceptTo({ user_id: 'ada', ...fields }, { context: { tenant_id: 'd' } })).toMatchObject({ tenantId });
  });

  it('has the known fields of its preferences', () => {
    const notifications = { welcome: { status: 'OPTED_OUT', source: 'recipient' } };
    expect(acceptTo({ user_id: 'ada', preferences: { notifications, templateId: 'x' } }).preferences).toEqual({ notifications });
  });
});

describe('an address', () => {
  it.each([
    ['e-mail', { email: 'ada@example.com', phone_number: '+1' }, 'ada@example.com'],
    ['phone', { phone_number: '+15550100' }, '+15550100'],
    ['Slack channel', { slack: { access_token: 'x', channel: 'C1', user_id: 'U1', email: 'a@b' } }, 'C1'],
    ['Slack user', { slack: { access_token: 'x', user_id: 'U1', email: 'a@b' } }, 'U1'],
    ['Slack e-mail', { slack: { access_token: 'x', email: 'a@b' } }, 'a@b'],
    ['Teams user', { ms_teams: { tenant_id: 't', service_url: 'https://smba.example.com', user_id: 'U' } }, 'U'],
    ['Teams e-mail', { ms_teams: { tenant_id: 't', email: 'a@b' } }, 'a@b'],
    ['Teams channel', { ms_teams: { tenant_id: 't', channel_id: '19:x' } }, '19:x'],
    ['Teams conversation', { ms_teams: { service_url: 'https://smba.example.com', conversation_id: 'c' } }, 'c'],
    ['Teams channel by name', { ms_teams: { tenant_id: 't', channel_name: 'General', team_id: 'T' } }, 'T/General'],
    ['Discord user', { discord: { user_id: '1' } }, '1'],
    ['Discord channel', { discord: { channel_id: '2' } }, '2'],
    ['configured PagerDuty', { pagerduty: { severity: 'error' } }, 'pagerduty'],
    ['OneSignal user', { oneSignalExternalUserId: 'ext-1' }, 'ext-1'],
    ['Messenger', { facebookPSID: '42' }, '42'],
  ])('is the recipient: %s', (_, to, recipient) => {
    const request = acceptTo(to);

    expect(request).toMatchObject({ recipient, profile: to });
    expect(request).not.toHaveProperty('userId');
  });

  it.each([
    ['expo', { expo: { token: 'ExponentPushToken[abc]' } }, 'abc'],
    ['expo', { expo: { tokens: [{ token: 'ExponentPushToken[abc]' }, 'other'] } }, 'abc'],
    ['apn', { apn: 'device-token' }, 'device-token'],
    ['firebaseToken', { firebaseToken: ['device-token', 'another'] }, 'device-token'],
    ['oneSignalPlayerID', { oneSignalPlayerID: 'device-token' }, 'device-token'],
    ['aws_sns', { aws_sns: { target_arn: 'arn:aws:sns:x' } }, 'sns:x'],
    ['target_arn', { target_arn: 'arn:aws:sns:x' }, 'sns:x'],
    ['pagerduty', { pagerduty: { routing_key: 'secret-key' } }, 'secret-key'],
    ['slack', { slack: { incoming_webhook: { url: 'https://hooks.slack.com/services/T/B/secret' } } }, 'secret'],
    ['webhook', { webhook: { url: `${HOOK}/secret?key=secret#x` } }, 'hooks.example.com'],
  ])('that is secret is named by a digest: %s', (key, to, secret) => {
    const { recipient } = acceptTo(to);

    expect(recipient).toMatch(new RegExp(`^${key}:[0-9a-f]{32}$`));
    expect(recipient).not.toContain(secret);
    expect(acceptTo(to).recipient).toBe(recipient);
  });
});

describe('several', () => {
  it('are targets, each with its own fields; the recipient is the request id', () => {
    const to = [
      { user_id: 'ada', data: { n: 1 }, tenant_id: 't1', name: 'Ada' },
      { email: 'bo@example.com' },
      { list_id: 'a.b', data: { n: 2 }, filters: [{ operator: 'MEMBER_OF', path: 'account_id', value: 't', extra: 1 }] },
      { list_pattern: 'a.**', context: { tenant_id: 't2' } },
      { audience_id: 'big', preferences: { categories: { c: { status: 'OPTED_IN' } } } },
      { tenant_id: 't3', include_children: true, data: { n: 3 } },
      { account_id: 't4' },
    ];
    expect(acceptTo(to, { data: { all: true }, context: { tenant_id: 't0' } })).toEqual({
      ...acceptance,
      recipient: acceptance.id,
      profile: {},
      template: 'welcome',
      event: 'welcome',
      tags: [],
      data: { all: true },
      tenantId: 't0',
      targets: [
        { kind: 'user', userId: 'ada', recipient: 'ada', profile: { name: 'Ada' }, data: { n: 1 }, tenantId: 't1' },
        { kind: 'user', recipient: 'bo@example.com', profile: { email: 'bo@example.com' } },
        { kind: 'list', listId: 'a.b', data: { n: 2 }, filters: [{ operator: 'MEMBER_OF', path: 'account_id', value: 't' }] },
        { kind: 'pattern', pattern: 'a.**', tenantId: 't2' },
        { kind: 'audience', audienceId: 'big', preferences: { categories: { c: { status: 'OPTED_IN' } } } },
        { kind: 'tenant', tenantId: 't3', includeChildren: true, data: { n: 3 } },
        { kind: 'tenant', tenantId: 't4', includeChildren: false },
      ],
    });
  });

  it('may be one: an array of one, a list', () => {
    expect(acceptTo([{ user_id: 'ada' }]).targets).toHaveLength(1);
    expect(acceptTo({ list_id: 'a' })).toMatchObject({ recipient: acceptance.id, targets: [{ kind: 'list', listId: 'a' }] });
  });

  it(`are ${RECIPIENTS_MAX} at most`, () => {
    const to = (count: number): object[] => Array.from({ length: count }, (_, index) => ({ user_id: `u${index}` }));

    expect(acceptTo(to(RECIPIENTS_MAX)).targets).toHaveLength(RECIPIENTS_MAX);
    expect(refusalOf(() => acceptTo(to(RECIPIENTS_MAX + 1)))).toContain(`at most ${RECIPIENTS_MAX}`);
  });
});

describe('is refused', () => {
  it.each<[string, unknown, string]>([
    ['no recipient', undefined, 'message.to'],
    ['null', null, 'message.to must be an object (got null)'],
    ['a text', 'ada', 'message.to must be an object'],
    ['an empty array', [], 'message.to must name a recipient'],
    ['null in an array', [null], 'message.to[0]'],
    ['an empty object', {}, 'message.to needs user_id'],
    ['profile data alone', { name: 'Ada' }, 'message.to needs user_id'],
    ['a context alone', { context: { tenant_id: 't' } }, 'message.to needs user_id'],
    ['an empty user', { user_id: '' }, 'message.to.user_id'],
    ['a number for a user', { user_id: 1 }, 'message.to.user_id'],
    ['too long a user', { user_id: 'a'.repeat(513) }, 'message.to.user_id'],
    ['a user and a list', { user_id: 'ada', list_id: 'a' }, 'names a user and list_id'],
    ['an address and a pattern', { email: 'a@b', list_pattern: 'a.*' }, 'names a user and list_pattern'],
    ['a chat and an audience', { slack: { channel: 'C' }, audience_id: 'a' }, 'names a user and audience_id'],
    ['a list and a pattern', { list_id: 'a', list_pattern: 'b.*' }, 'names list_id and list_pattern'],
    ['an audience and a list', [{ user_id: 'ok' }, { audience_id: 'a', list_id: 'b' }], 'message.to[1] names list_id and audience_id'],
    ['an invalid list id', { list_id: 'a..b' }, 'message.to.list_id must not'],
    ['a pattern for a list id', { list_id: 'a.*' }, 'message.to.list_id must not contain *'],
    ['five parts', { list_pattern: 'a.b.c.d.*' }, 'message.to.list_pattern'],
    ['a pattern of everything', { list_pattern: '**' }, 'message.to.list_pattern must name a part before **'],
    ['a pattern within a part', { list_pattern: 'poke**' }, 'message.to.list_pattern'],
    ['an empty audience', { audience_id: '' }, 'message.to.audience_id'],
    ['an empty tenant', { tenant_id: '' }, 'message.to.tenant_id'],
    ['a tenant in another one', { tenant_id: 'a', context: { tenant_id: 'b' } }, 'message.to names the tenant a'],
    ['children of a user', { user_id: 'ada', tenant_id: 't', include_children: true }, 'message.to.include_children'],
    ['include_children that is a text', { tenant_id: 't', include_children: 'yes' }, 'message.to.include_children'],
    ['a filtered user', { user_id: 'ada', filters: [{ operator: 'MEMBER_OF', path: 'account_id', value: 't' }] }, 'message.to.filters'],
    ['a filtered tenant', { tenant_id: 't', filters: [{ operator: 'MEMBER_OF', path: 'account_id', value: 't' }] }, 'message.to.filters'],
    [
      'an unknown operator',
      { list_id: 'a', filters: [{ operator: 'EQ', path: 'account_id', value: 't' }] },
      'message.to.filters[0].operator',
    ],
    ['an unknown path', { list_id: 'a', filters: [{ operator: 'MEMBER_OF', path: 'plan', value: 't' }] }, 'message.to.filters[0].path'],
    [
      'a filter without value',
      { audience_id: 'a', filters: [{ operator: 'MEMBER_OF', path: 'account_id' }] },
      'message.to.filters[0].value',
    ],
    ['filters that are an object', { list_id: 'a', filters: {} }, 'message.to.filters'],
    ['data that are a text', { user_id: 'ada', data: 'x' }, 'message.to.data'],
    ['a context that is a text', { user_id: 'ada', context: 't' }, 'message.to.context'],
    [
      'an unknown preference status',
      { user_id: 'ada', preferences: { notifications: { n: { status: 'MAYBE' } } } },
      'message.to.preferences.notifications.n',
    ],
    ['preferences that are a text', { user_id: 'ada', preferences: { notifications: 'x' } }, 'message.to.preferences.notifications'],
    ['a profile that is too large', { user_id: 'ada', custom: 'x'.repeat(256 * 1024) }, 'bytes of profile fields'],
    ['an invalid e-mail address', { email: 'anna.example.com' }, 'message.to.email must be an e-mail address (got "anna.example.com")'],
    ['two e-mail addresses in one', { email: 'a@example.com, b@example.com' }, 'message.to.email must be an e-mail address'],
    ['an e-mail address with a name', { user_id: 'ada', email: 'Ada <a@example.com>' }, 'message.to.email must be an e-mail address'],
    [
      'one bad e-mail address of several',
      [{ email: 'a@example.com' }, { user_id: 'b' }, { list_id: 'c' }, { email: 'd@' }],
      'message.to[3].email must be an e-mail address (got "d@")',
    ],
    ['a Slack user with an invalid e-mail address', { slack: { email: 'anna' } }, 'message.to.slack.email must be an e-mail address'],
    ['Slack without a target', { slack: { access_token: 'x' } }, 'message.to.slack needs channel'],
    ['Slack with a number', { user_id: 'ada', slack: { channel: 1 } }, 'message.to.slack.channel'],
    ['an invalid Slack webhook', { slack: { incoming_webhook: { url: 'x' } } }, 'message.to.slack.incoming_webhook.url'],
    ['Teams without a tenant', { ms_teams: { user_id: 'U' } }, 'message.to.ms_teams needs'],
    ['Teams without a target', { ms_teams: { tenant_id: 't', channel_name: 'General' } }, 'message.to.ms_teams needs'],
    ['Discord without a target', { discord: {} }, 'message.to.discord needs user_id or channel_id'],
    ['PagerDuty as a text', { pagerduty: 'key' }, 'message.to.pagerduty must be an object'],
    ['a webhook without URL', { webhook: { method: 'POST' } }, 'message.to.webhook needs url'],
    ['a webhook to a file', { webhook: { url: 'file:///etc/passwd' } }, 'message.to.webhook.url'],
    ['a webhook with a password', { webhook: { url: 'https://a:b@example.com' } }, 'message.to.webhook.url'],
    ['a webhook that deletes', { webhook: { url: HOOK, method: 'DELETE' } }, 'message.to.webhook.method'],
    ['a header in two lines', { webhook: { url: HOOK, headers: { x: 'a\r\nhost: b' } } }, 'message.to.webhook.headers'],
    ['a header that is a number', { webhook: { url: HOOK, headers: { fine: 'y', x: 1 } } }, 'in one line; "x" is none'],
    ['an unknown authentication', { webhook: { url: HOOK, authentication: { mode: 'digest' } } }, 'message.to.webhook.authentication.mode'],
    ['an unknown profile', { webhook: { url: HOOK, profile: 'all' } }, 'message.to.webhook.profile'],
    ['no token in expo', { expo: { tokens: [] } }, 'message.to.expo'],
    ['a number in expo', { user_id: 'ada', expo: { token: 1 } }, 'message.to.expo'],
    ['an empty token', { firebaseToken: ['a', ''] }, 'message.to.firebaseToken'],
    ['an object that is no token', { apn: { device: 'x' } }, 'message.to.apn'],
    ['SNS without a target', { aws_sns: {} }, 'message.to.aws_sns needs target_arn'],
  ])('%s', (_, to, sentence) => {
    expect(refusalOf(() => acceptTo(to))).toContain(sentence);
  });

  it('without repeating a token', () => {
    const token = `token-${'x'.repeat(5_000)}`;
    for (const to of [
      { apn: token },
      { expo: { token } },
      { firebaseToken: token },
      { oneSignalPlayerID: token },
      { pagerduty: { routing_key: token } },
    ]) {
      expect(refusalOf(() => acceptTo(to))).not.toContain('token-x');
    }
  });
});
