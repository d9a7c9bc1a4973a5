import { ServiceError } from '@tidings/contracts/core/errors';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { providers } from '@tidings/contracts/messaging/providers';
import { messageIdTime, messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(() => gateway.stop());

const post = (body: unknown, headers = {}, path = '/send'): Promise<Response> =>
  gateway.request(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
const MESSAGE = { to: { user_id: 'anna' }, content: { title: 'Hello', body: 'World' }, data: { name: 'Anna' } };

it('answers 202 with the id of the appended request', async () => {
  const before = Date.now();
  const answer = await post({ message: MESSAGE });

  expect(answer.status).toBe(202);
  const { requestId } = (await answer.json()) as { requestId: string };
  expect(messageIdToUuid(requestId)).toBeDefined();
  expect(messageIdTime(requestId)).toBeGreaterThanOrEqual(Math.floor(before / 1000) * 1000);
  expect(gateway.events.appended).toEqual([
    {
      topic: 'tidings.message-requests.v1',
      id: requestId,
      payload: expect.objectContaining({
        id: requestId,
        recipient: 'anna',
        mode: 'production',
        workspaceId: expect.any(String) as string,
        requestedAt: expect.any(Number) as number,
        content: { title: 'Hello', body: 'World' },
        data: { name: 'Anna' },
      }) as object,
    },
  ]);
});

it('marks sends of a test key', async () => {
  gateway.client.addKey('pk_test', { mode: 'test' });
  await post({ message: MESSAGE }, { authorization: 'Bearer pk_test' });

  expect(gateway.events.appended[0]!.payload).toMatchObject({ mode: 'test' });
});

it('appends nothing for an invalid send', async () => {
  const messages = [
    {},
    { ...MESSAGE, to: {} },
    { ...MESSAGE, to: [] },
    { ...MESSAGE, content: { title: 1 } },
    { ...MESSAGE, delay: { until: 'soon' } },
  ];
  for (const body of [{}, [], { event: 'welcome' }, ...messages.map((message) => ({ message }))]) {
    await expectError(await post(body), 400);
  }
  await expectError(await post({ event: 'welcome' }, {}, '/send/list'), 400);
  expect(gateway.events.appended).toEqual([]);
});

it('appends a send to several targets as one request, keyed by its id', async () => {
  const { requestId } = (await (await post({ message: { ...MESSAGE, to: [{ list_id: 'a' }, { user_id: 'anna' }] } })).json()) as {
    requestId: string;
  };

  expect(gateway.events.appended).toEqual([
    {
      topic: 'tidings.message-requests.v1',
      id: requestId,
      payload: expect.objectContaining({
        id: requestId,
        recipient: requestId,
        targets: [
          { kind: 'list', listId: 'a' },
          { kind: 'user', userId: 'anna', recipient: 'anna', profile: {} },
        ],
      }) as object,
    },
  ]);
});

it('answers older clients with 200 and messageId', async () => {
  const answer = await post({ event: 'welcome', recipient: 'anna', profile: { email: 'anna@example.com' } });
  const toList = await post({ event: 'welcome', list: 'a.b' }, {}, '/send/list');

  for (const [one, fields] of [
    [answer, { userId: 'anna', profile: { email: 'anna@example.com' } }],
    [toList, { targets: [{ kind: 'list', listId: 'a.b' }] }],
  ] as const) {
    expect(one.status).toBe(200);
    const { messageId, requestId } = (await one.json()) as { messageId: string; requestId: string };
    expect(requestId).toBe(messageId);
    expect(gateway.events.appended.find(({ id }) => id === messageId)?.payload).toMatchObject({ template: 'welcome', ...fields });
  }
});

it('refuses content with invalid {{…}}, naming the field, and accepts braces that are plain text', async () => {
  for (const [content, named] of [
    [{ title: 'Hi {{name', body: 'x' }, 'message.content.title: Template line 1: '],
    [{ title: 'Hi', body: 'x\n{{#if data.y}}' }, 'message.content.body: Template line 2: '],
    [{ elements: [{ type: 'html', content: '{{/if}}' }] }, 'message.content.elements[0].content: Template line 1: '],
  ] as const) {
    expect(await expectError(await post({ message: { ...MESSAGE, content } }), 400)).toContain(named);
  }
  expect(gateway.events.appended).toEqual([]);

  const fine = { title: '{name} {0} {', body: 'if (x) { `{{#if` } {{name}}' };
  expect((await post({ message: { ...MESSAGE, content: fine } })).status).toBe(202);
});

describe('an unknown channel', () => {
  const TEXT = { type: 'text', content: 'x' };
  const configure = (alias: string): void => {
    const provider = { id: 'prv_1', provider: 'http', title: 'One', alias, settings: {}, created: 1 };
    gateway.client.answer(providers.list, () => ({ paging: { more: false }, results: [provider] }));
  };

  it.each<[path: string, message: object]>([
    ['message.routing.channels[1]', { routing: { method: 'single', channels: ['email', 'emial'] } }],
    [
      'message.routing.channels[0].channels[0].channel',
      { routing: { method: 'all', channels: [{ method: 'single', channels: [{ channel: 'emial' }] }] } },
    ],
    ['message.channels.emial', { channels: { emial: { if: 'true' } } }],
    ['message.timeout.channel.emial', { timeout: { channel: { emial: 5_000 } } }],
    ['message.timeouts.channel.emial', { timeouts: { channel: { emial: 5_000 } } }],
  ])('is refused as %s', async (path, message) => {
    configure('mine');
    const sentence = await expectError(await post({ message: { ...MESSAGE, ...message } }), 400);

    expect(sentence).toBe(
      `${path} must be one of direct_message, email, push, sms, webhook, inbox, banner, or a provider by its key, alias or id (got "emial")`,
    );
    expect(gateway.events.appended).toEqual([]);
  });

  it.each<[path: string, elements: object[]]>([
    ['message.content.elements[0].channel', [{ type: 'channel', channel: 'emial', elements: [TEXT] }]],
    ['message.content.elements[0].elements[0].channels[1]', [{ type: 'group', elements: [{ ...TEXT, channels: ['sms', 'emial'] }] }]],
  ])('is refused as %s, where aliases are not allowed', async (path, elements) => {
    configure('emial');

    expect(await expectError(await post({ message: { ...MESSAGE, content: { elements } } }), 400)).toBe(
      `${path} must be one of direct_message, email, push, sms, webhook, inbox, banner, or the key of a provider (got "emial")`,
    );
    expect(gateway.client.callsOf(providers.list)).toEqual([]);
  });

  it('is refused in the older form of a send', async () => {
    configure('mine');
    const body = { event: 'welcome', recipient: 'anna', override: { channel: { emial: { subject: 'x' } } } };

    expect(await expectError(await post(body), 400)).toMatch(/^override\.channel\.emial must be one of /);
  });

  it('is accepted when it is the alias or id of a provider', async () => {
    configure('emial');
    const routing = { method: 'single', channels: ['emial', 'prv_1', { channel: 'emial', providers: ['x'] }] };

    expect((await post({ message: { ...MESSAGE, routing } })).status).toBe(202);
    expect((await post({ message: { ...MESSAGE, routing } })).status).toBe(202);
    expect(gateway.client.callsOf(providers.list)).toHaveLength(1);
  });

  it('is looked up again after it was not found', async () => {
    configure('other');
    const routing = { method: 'single', channels: ['mine'] };
    await expectError(await post({ message: { ...MESSAGE, routing } }), 400);

    configure('mine');
    expect((await post({ message: { ...MESSAGE, routing } })).status).toBe(202);
  });

  it('is accepted while providers cannot be listed', async () => {
    expect((await post({ message: { ...MESSAGE, routing: { method: 'single', channels: ['emial'] } } })).status).toBe(202);
    expect(gateway.client.callsOf(providers.list)).toHaveLength(1);
  });

  it('is not looked up for built-in names', async () => {
    const elements = [{ type: 'channel', channel: 'default', elements: [{ ...TEXT, channels: ['banner'] }] }];
    const message = {
      ...MESSAGE,
      content: { elements },
      routing: { method: 'single', channels: ['inbox', 'sendgrid', 'smtp', 'http', 'firebase-fcm', 'default'] },
      channels: { direct_message: {}, slack: {} },
      providers: { emial: {} },
      timeout: { channel: 5_000, provider: { emial: 5_000 } },
    };

    expect((await post({ message })).status).toBe(202);
    expect(gateway.client.callsOf(providers.list)).toEqual([]);
  });
});

it('accepts unknown fields, with warnings for the history', async () => {
  const recipient = { user_id: 'anna', favourite_colour: 'red', context: { tenent_id: 'acme' } };
  const message = {
    ...MESSAGE,
    to: [recipient, { list_id: 'a' }],
    contnt: MESSAGE.content,
    content: { ...MESSAGE.content, titel: 'Hi' },
    metadata: { tag: 'x', utm: { sorce: 'y' } },
    routing: { method: 'single', channels: ['email', { methode: 'all', method: 'all', channels: ['sms'] }] },
    channels: { email: { override: { any: 'thing' }, timeouts: { chanel: 5_000 } } },
    providers: { smtp: { iff: 'x' } },
    delay: { duration: 0, zone: 'UTC' },
    expiry: { expires_in: 5_000, expire_at: 1 },
    brand_id: null,
  };
  const answer = await post({ message });

  expect(answer.status).toBe(202);
  const paths = [
    'message.to[0].context.tenent_id',
    'message.content.titel',
    'message.contnt',
    'message.metadata.tag',
    'message.metadata.utm.sorce',
    'message.routing.channels[1].methode',
    'message.channels.email.timeouts.chanel',
    'message.providers.smtp.iff',
    'message.delay.zone',
    'message.expiry.expire_at',
  ];
  expect((gateway.events.appended[0]!.payload as MessageRequested).warnings).toEqual(
    paths.map((path) => `${path} is not a known field: it was ignored`),
  );
});

const warningsOf = async (message: object): Promise<string[] | undefined> => {
  expect((await post({ message: { ...MESSAGE, ...message } })).status).toBe(202);
  return (gateway.events.appended.at(-1)!.payload as MessageRequested).warnings;
};
const ignored = (path: string): string => `${path} is not a known field: it was ignored`;

const OF_SEVERAL = { data: { any: { thing: 1 } }, context: { tenant_id: 'acme' }, preferences: { notifications: {} } };
const FILTERS = [{ operator: 'MEMBER_OF', path: 'account_id', value: 'acme' }];

it('warns of probable mistakes in its own elements, after unknown fields', async () => {
  const text = { type: 'text', content: 'Hi' };
  const elements = [
    { ...text, contents: 'Hello', align: 'middle' },
    { type: 'group', elements: [{ ...text, color: 'bluish' }] },
    { type: 'action', content: 'Go' },
    { type: 'text', contents: 'Hello' },
  ];

  expect(await warningsOf({ content: { elements: [text] } })).toBeUndefined();
  expect(await warningsOf({ content: { titel: 'Hi', elements } })).toEqual([
    ignored('message.content.titel'),
    'message.content.elements[2] is an action without href',
    'message.content.elements[3] is a text without content or elements (its contents is unknown)',
    'message.content.elements[0].contents is unknown, and has no effect',
    'message.content.elements[0].align is none of left, center, right, full, and has no effect (got "middle")',
    'message.content.elements[1].elements[0].color is no color, and has no effect (got "bluish")',
    'message.content.elements[3].contents is unknown, and has no effect',
  ]);
});

it.each<[string, object]>([
  ['a list', { list_id: 'a.b', filters: FILTERS }],
  ['a pattern of lists', { list_pattern: 'a.*', filters: FILTERS }],
  ['an audience', { audience_id: 'a', filters: FILTERS }],
  ['a tenant', { tenant_id: 'acme', include_children: true }],
  ['a tenant by its older name', { account_id: 'acme' }],
])('warns of unknown fields of %s, which has no profile', async (_kind, recipient) => {
  const to = { ...OF_SEVERAL, ...recipient };

  expect(await warningsOf({ to })).toBeUndefined();
  expect(await warningsOf({ to: { ...to, filtrs: FILTERS, locale: 'de' } })).toEqual([
    ignored('message.to.filtrs'),
    ignored('message.to.locale'),
  ]);
  expect(await warningsOf({ to: [{ email: 'a@b.example', filtrs: 1 }, to, { ...to, filtrs: null }] })).toEqual([
    ignored('message.to[2].filtrs'),
  ]);
});

it('warns of unknown fields in the preferences of a recipient', async () => {
  const details = {
    status: 'OPTED_IN',
    channel_preferences: [{ channel: 'sms' }],
    rules: [{ until: '2030-01-01T00:00:00Z' }],
    source: 'list',
  };
  const accepted = { notifications: { welcome: details }, categories: { news: details }, templateId: 'x' };

  expect(await warningsOf({ to: { user_id: 'anna', preferences: accepted } })).toBeUndefined();
  const preferences = {
    notification: {},
    categorys: {},
    notifications: { welcome: { ...details, state: 'OPTED_OUT', rules: [{ ...details.rules[0], untill: 1 }] } },
  };
  expect(await warningsOf({ to: { user_id: 'anna', preferences } })).toEqual(
    ['notification', 'categorys', 'notifications.welcome.rules[0].untill', 'notifications.welcome.state'].map((path) =>
      ignored(`message.to.preferences.${path}`),
    ),
  );
  await post({ event: 'welcome', recipient: 'anna', preferences: { categorys: {} } });
  expect((gateway.events.appended.at(-1)!.payload as MessageRequested).warnings).toEqual([ignored('preferences.categorys')]);
});

it('warns of unknown fields in the older form of a send', async () => {
  await post({ event: 'welcome', recipient: 'anna', brand_id: 'b', profile: { any: 'thing' } });
  await post({ event: 'welcome', list: 'a.b', override: { any: {} }, recipients: [] }, {}, '/send/list');

  expect(gateway.events.appended.map(({ payload }) => (payload as MessageRequested).warnings)).toEqual([
    [expect.stringContaining('brand_id is not')],
    [expect.stringContaining('recipients is not')],
  ]);
});

it('accepts six megabytes: the files of a mail', async () => {
  const data = Buffer.alloc(4 * 1024 * 1024).toString('base64');
  const answer = await post({ message: { ...MESSAGE, channels: { email: { override: { attachments: [{ filename: 'a.bin', data }] } } } } });

  expect(answer.status).toBe(202);
});

it('answers 503 when the log certainly appended nothing, and 504 when that is unknown', async () => {
  gateway.events.failure = new ServiceError('unavailable', 'The log is unavailable', { retryAfterSeconds: 2.5 });
  const unavailable = await post({ message: MESSAGE });
  expect(unavailable.headers.get('retry-after')).toBe('3');
  await expectError(unavailable, 503, 'internal_error');

  gateway.events.failure = new ServiceError('deadline_exceeded', 'It is unknown whether the log appended it');
  await expectError(await post({ message: MESSAGE }), 504, 'internal_error');
});
