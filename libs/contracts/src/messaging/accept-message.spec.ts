import { acceptance, acceptBody, acceptTo, refusalOf } from './accepting.fixture';

const CONTENT = { title: 'Hello', body: 'World' };
const FILE = { filename: 'bill.pdf', contentType: 'application/pdf', data: 'JVBERi0=' };
const accept = (message: object): ReturnType<typeof acceptBody> =>
  acceptBody({ message: { to: { user_id: 'ada' }, content: CONTENT, ...message } });

it('makes the minimal request of a minimal send', () => {
  expect(accept({})).toEqual({
    ...acceptance,
    recipient: 'ada',
    userId: 'ada',
    profile: {},
    content: CONTENT,
    data: {},
    event: '',
    tags: [],
  });
});

it('accepts every field of a send', () => {
  const routing = { method: 'single', channels: ['email', { method: 'all', channels: ['sms', { channel: 'push' }] }] };
  const channels = {
    email: { if: 'not an ( expression', override: { subject: 'Hi', attachments: [FILE] }, metadata: { utm: { source: 'mail' } } },
  };
  const providers = { sendgrid: { override: { body: { x: 1 }, attachments: [FILE] }, timeouts: 60_000 } };
  const request = acceptTo(
    { user_id: 'ada' },
    {
      brand_id: 'brand',
      routing,
      channels,
      providers,
      data: { n: 1 },
      metadata: { event: 'signed-up', tags: ['a', 'b'], trace_id: 'trace', utm: { source: 'app', medium: null, term: '' } },
      preferences: { subscription_topic_id: 'topic' },
      context: { tenant_id: 'acme' },
      delay: { duration: 61_000 },
      timeout: { message: 3_600_000, channel: { email: 60_000 }, criteria: 'viewed', escalation: 5_000 },
      expiry: { expires_in: 'P1D' },
      of_another_version: true,
    },
  );

  expect(request).toEqual({
    ...acceptance,
    recipient: 'ada',
    userId: 'ada',
    profile: {},
    template: 'welcome',
    event: 'welcome',
    brandId: 'brand',
    routing,
    channels,
    providers,
    data: { n: 1 },
    tags: ['a', 'b'],
    traceId: 'trace',
    utm: { source: 'app' },
    topicId: 'topic',
    tenantId: 'acme',
    delay: { durationMs: 120_000 },
    timeouts: { messageMs: 3_600_000, channelMs: { email: 60_000 }, criteria: 'viewed', escalationMs: 5_000 },
    expiry: { inMs: 86_400_000 },
  });
});

it.each([{ method: 'all' }, { method: 'all', channels: null }])('accepts a routing with a method alone: %j', (routing) => {
  expect(accept({ routing }).routing).toEqual({ method: 'all', channels: [] });
});

it('treats null as absent', () => {
  const nothing = [
    'data',
    'brand_id',
    'channels',
    'providers',
    'routing',
    'metadata',
    'preferences',
    'context',
    'delay',
    'timeout',
    'expiry',
    'template',
  ];
  expect(accept(Object.fromEntries(nothing.map((field) => [field, null])))).toEqual(accept({}));

  const within = {
    metadata: { event: null, tags: null, trace_id: null, utm: null },
    preferences: { subscription_topic_id: null },
    context: { tenant_id: null },
    channels: {
      email: { brand_id: null, if: null, metadata: null, override: null, providers: null, routing_method: null, timeouts: null },
    },
    providers: { smtp: { if: null, metadata: { utm: null }, override: { attachments: null }, timeouts: null } },
  };
  const { channels, providers, ...rest } = accept(within);
  expect(rest).toEqual(accept({}));
  expect({ channels, providers }).toEqual({ channels: within.channels, providers: within.providers });
});

it('uses metadata.event as event of inline content, and the name of a template', () => {
  expect(accept({ metadata: { event: 'signed-up' } }).event).toBe('signed-up');
  expect(acceptTo({ user_id: 'ada' }, { metadata: { event: 'signed-up' } }).event).toBe('welcome');
});

it('reads timeouts by both names', () => {
  expect(accept({ timeouts: { message: 5_000 } }).timeouts).toEqual({ messageMs: 5_000 });
  expect(accept({ timeouts: { message: 5_000 }, timeout: { message: 6_000 } }).timeouts).toEqual({ messageMs: 6_000 });
});

it('limits a delay to a year from the acceptance', () => {
  expect(accept({ delay: { until: '2026-12-31' } }).delay).toEqual({ untilMs: Date.UTC(2026, 11, 31) });
  expect(refusalOf(() => accept({ delay: { until: '2028-01-01' } }))).toContain('message.delay.until');
});

it('accepts Elemental, and files larger than the settings of a template may be', () => {
  const elemental = { version: '2022-01-01', elements: [{ type: 'text', content: 'Hi' }] };
  expect(accept({ content: elemental }).content).toEqual(elemental);

  const data = Buffer.alloc(1024 * 1024, 'file').toString('base64');
  const channels = { email: { override: { attachments: [{ ...FILE, data }] } } };
  expect(accept({ channels }).channels).toEqual(channels);
});

it.each(['', 'QQ', 'QUI', 'QQ==', 'QUJD\r\nREVG', 'QUJDREVG\n'])('accepts base64 with and without padding and line breaks: %j', (data) => {
  expect(() => accept({ providers: { smtp: { override: { attachments: [{ filename: 'a', data }] } } } })).not.toThrow();
});

it.each<[string, object, string]>([
  ['neither template nor content', { content: null }, 'message needs template, or content'],
  ['both template and content', { template: 'welcome' }, 'message has both template and content'],
  ['an empty template', { content: null, template: '' }, 'message.template'],
  ['content without a body', { content: { title: 'x' } }, 'message.content.body is required'],
  ['content that is a text', { content: 'x' }, 'message.content'],
  ['an element of an unknown type', { content: { elements: [{ type: 'nothing' }] } }, 'message.content.elements[0]'],
  ['ten tags', { metadata: { tags: Array(10).fill('x') } }, 'message.metadata.tags'],
  ['a tag of 31 characters', { metadata: { tags: ['ok', 'x'.repeat(31)] } }, 'message.metadata.tags[1]'],
  ['a tag that is a number', { metadata: { tags: [1] } }, 'message.metadata.tags[0]'],
  ['a trace that is an object', { metadata: { trace_id: {} } }, 'message.metadata.trace_id'],
  ['a utm key that is a number', { metadata: { utm: { source: 1 } } }, 'message.metadata.utm.source'],
  ['a utm that is a text', { metadata: { utm: 'x' } }, 'message.metadata.utm'],
  ['an unknown routing method', { routing: { method: 'some', channels: ['email'] } }, 'message.routing.method'],
  ['a routing without a method', { routing: {} }, 'message.routing.method'],
  ['a routing whose channels are a text', { routing: { method: 'all', channels: 'email' } }, 'message.routing.channels'],
  [
    'a nested routing with a method alone',
    { routing: { method: 'all', channels: [{ method: 'single' }] } },
    'message.routing.channels[0].channels',
  ],
  [
    'a channel with providers and without a name',
    { routing: { method: 'all', channels: ['sms', { method: 'single', providers: ['smtp'] }] } },
    'message.routing.channels[1].channel must be a text',
  ],
  ['a channel without any field', { routing: { method: 'all', channels: [{}] } }, 'message.routing.channels[0].channel must be a text'],
  ['an empty routing', { routing: { method: 'all', channels: [] } }, 'message.routing.channels must name'],
  [
    'an empty nested routing',
    { routing: { method: 'all', channels: ['sms', { method: 'single', channels: [] }] } },
    'message.routing.channels[1].channels',
  ],
  [
    'a condition of a listed provider that is no text',
    { routing: { method: 'all', channels: [{ channel: 'sms', providers: [{ name: 'a', if: true }] }] } },
    'message.routing.channels[0].providers[0].if',
  ],
  ['a routing that is a text', { routing: 'email' }, 'message.routing'],
  ['a channel that is a text', { channels: { email: 'x' } }, 'message.channels.email must be an object'],
  ['an override that is a text', { channels: { email: { override: 'x' } } }, 'message.channels.email.override must be an object'],
  [
    'overrides of more secrets than can be sealed at once',
    { providers: { smtp: { override: { headers: Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`x-${n}`, 'a'])) } } } },
    'message.providers.smtp.override',
  ],
  [
    'an override of a provider that is an array',
    { providers: { smtp: { override: [] } } },
    'message.providers.smtp.override must be an object',
  ],
  ['a condition that is no text', { providers: { smtp: { if: true } } }, 'message.providers.smtp.if'],
  ['utm of a channel', { channels: { email: { metadata: { utm: { term: {} } } } } }, 'message.channels.email.metadata.utm.term'],
  [
    'utm of a provider that is a text',
    { providers: { smtp: { metadata: { utm: 'x' } } } },
    'message.providers.smtp.metadata.utm must be an object',
  ],
  ['a topic that is a number', { preferences: { subscription_topic_id: 1 } }, 'message.preferences.subscription_topic_id'],
  ['a tenant that is empty', { context: { tenant_id: '' } }, 'message.context.tenant_id'],
  ['data that are an array', { data: [] }, 'message.data'],
  ['a delay without a time', { delay: {} }, 'message.delay'],
  ['an unreadable delay', { delay: { until: 'soon' } }, 'message.delay.until'],
  ['an unknown criterion', { timeout: { criteria: 'seen' } }, 'message.timeout.criteria'],
  ['a negative timeout', { timeouts: { message: -1 } }, 'message.timeouts.message'],
  ['an unreadable expiry', { expiry: { expires_in: 'later' } }, 'message.expiry.expires_in'],
])('refuses %s', (_, message, sentence) => {
  expect(refusalOf(() => accept(message))).toContain(sentence);
});

it.each<[string, unknown, string]>([
  ['are no array', FILE, ' must be an array'],
  ['are too many', Array(101).fill(FILE), ' has 101 entries'],
  ['contain a text', ['x'], '[0] must be an object'],
  ['have no name', [FILE, { data: 'QQ==' }], '[1].filename is required'],
  ['are named like a path', [{ ...FILE, filename: '../x' }], '[0].filename must be'],
  ['have a line break in their name', [{ ...FILE, filename: 'a\r\nb' }], '[0].filename must be'],
  ['are of no type', [{ ...FILE, contentType: 'pdf\r\nx: y' }], '[0].contentType must be'],
  ['have no data', [{ filename: 'a' }], '[0].data is required'],
  ['are not base64', [{ ...FILE, data: 'not base64!' }], '[0].data must be a text in base64'],
  ['are cut off', [{ ...FILE, data: 'QUJDR' }], '[0].data must be a text in base64'],
  ['are padded wrongly', [{ ...FILE, data: 'QUJD=' }], '[0].data must be a text in base64'],
])('refuses attachments that %s', (_, attachments, sentence) => {
  for (const where of ['channels.email', 'providers.sendgrid']) {
    const [kind, key] = where.split('.') as [string, string];
    expect(refusalOf(() => accept({ [kind]: { [key]: { override: { attachments } } } }))).toContain(
      `message.${where}.override.attachments${sentence}`,
    );
  }
});

describe('content that shows nothing', () => {
  const BLANK = { title: '', body: ' ' };
  const EMPTY = { version: '2022-01-01', elements: [] };
  const DATA = { order: 'A-17' };
  const by = (...channels: unknown[]): object => ({ routing: { method: 'single', channels } });

  it.each<[string, object, string]>([
    ['texts', { content: BLANK }, 'message.content shows nothing: its title and its body are empty'],
    ['visible characters', { content: { title: '\ufeff', body: '\u200b \u00ad' } }, 'message.content shows nothing'],
    ['elements', { content: EMPTY }, 'message.content.elements must have one element at least (got an empty array)'],
    ['data that no app reads', { content: BLANK, data: DATA, ...by('email', { method: 'all', channels: ['sms'] }) }, 'message.content'],
    [
      'an override without content',
      { content: EMPTY, channels: { email: { override: { from: 'a@example.com', subject: '' } } } },
      'message.content.elements',
    ],
  ])('is refused: no %s', (_, message, error) => {
    expect(refusalOf(() => accept(message))).toContain(error);
  });

  it.each<[string, object]>([
    ['a title alone', { content: { ...BLANK, title: 'Hello' } }],
    ['a title beside no elements', { content: { ...EMPTY, title: 'Hello' } }],
    ['an element', { content: { ...EMPTY, elements: [{ type: 'text', content: '{name}' }] } }],
    ['an override of a channel', { content: BLANK, channels: { email: { override: { html: '<p>Hello</p>' } } } }],
    ['an override of a provider', { content: EMPTY, providers: { apn: { override: { body: { aps: {} } } } } }],
    ['a push message with data', { content: BLANK, data: DATA, ...by('email', { method: 'all', channels: ['push'] }) }],
    ['a push message by its provider', { content: BLANK, data: DATA, ...by('expo') }],
    ['a push message by the default routing', { content: BLANK, data: DATA }],
    ['a push message with data of a recipient', { content: BLANK, to: [{ user_id: 'ada', data: DATA }] }],
  ])('is accepted with %s', (_, message) => {
    expect(accept(message)).toMatchObject({ content: expect.any(Object) as object });
  });
});
