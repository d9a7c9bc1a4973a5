import '@tidings/testing/quiet';
import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { messages } from '@tidings/contracts/messaging/messages';
import { providers } from '@tidings/contracts/messaging/providers';
import { makeDue, untilMadeDue } from '../testing/make-due';
import { Messaging } from '../testing/start-messaging';
import { SMS_SETTINGS } from '../testing/start-providers';

describe('the history has', () => {
  let messaging: Messaging;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
  });
  afterAll(() => messaging.end());

  const send = async (request: Parameters<Messaging['request']>[0]): Promise<string> => {
    const [id] = await messaging.send({ mode: 'test', profile: { email: 'ada@example.com' }, ...request });
    if (request?.delay) {
      await messaging.waitForStatus(id!, 'DELAYED');
      await makeDue(messaging, [id!]);
    }
    await messaging.waitForStatus(id!, 'SIMULATED');
    return id!;
  };
  const warnings = async (message_id: string) =>
    (await messaging.call(messages.history, { message_id })).results.flatMap(({ type, warnings }) =>
      warnings ? [{ type, warnings }] : [],
    );
  const UNKNOWN_TENANT = 'There is no tenant "nowhere": the message is sent without the context of one';

  it('a warning about an unknown tenant', async () => {
    expect(await warnings(await send({ tenantId: 'nowhere' }))).toEqual([{ type: 'ENQUEUED', warnings: [UNKNOWN_TENANT] }]);
  });

  it('a warning about ignored fields of the request, before the warnings of processing', async () => {
    const warning = 'message.contnt is not a known field: it was ignored';
    expect(await warnings(await send({ warnings: [warning] }))).toEqual([{ type: 'ENQUEUED', warnings: [warning] }]);
    expect(await warnings(await send({ warnings: [warning], tenantId: 'nowhere' }))).toEqual([
      { type: 'ENQUEUED', warnings: [warning, UNKNOWN_TENANT] },
    ]);
    expect(await warnings(await send({ warnings: [warning], delay: untilMadeDue() }))).toEqual([{ type: 'ENQUEUED', warnings: [warning] }]);
  });

  it('a warning about an unknown tenant at acceptance and again after the delay', async () => {
    const id = await send({ tenantId: 'nowhere', delay: untilMadeDue() });
    expect(await warnings(id)).toEqual([
      { type: 'ENQUEUED', warnings: [UNKNOWN_TENANT] },
      { type: 'PROFILE_LOADED', warnings: [UNKNOWN_TENANT] },
    ]);
  });

  it('a warning about copies of a template to addresses that are not on the guest list of the API key', async () => {
    const limits = { recipients: ['ada@example.com', 'bo@example.com'] };
    const content = { version: '2022-01-01' as const, elements: [{ type: 'text' as const, content: 'Hello' }] };
    messaging.content.publish('copies', content, { email: { cc: ['Bo <bo@example.com>', 'eve@example.com'], bcc: ['eve@example.com'] } });
    const id = await send({ content: undefined, template: 'copies', recipient: 'ada@example.com', limits });
    expect(await warnings(id)).toEqual([
      { type: 'RENDERED', warnings: ['2 copies were left out: the API key sends only to the recipients on its list'] },
    ]);
    const [stored] = await messaging.rows<{ events: string }>('select events::text from messaging.history where message_id = $1', [
      messageIdToUuid(id),
    ]);
    expect(stored!.events).not.toContain('eve@example.com');
  });

  it('a warning about each name in settings that is no provider', async () => {
    const { id } = await messaging.call(providers.create, { provider: 'http', alias: 'gateway', settings: SMS_SETTINGS });
    const request = {
      providers: { smtp: {}, [id]: {}, gateway: {}, pigeon: {} },
      channels: { email: { providers: ['smtp', 'gateway', 'sendgrid'] }, push: { providers: ['mailgun', 'smtp'] } },
      timeouts: { providerMs: { http: 5_000, [id]: 5_000, owl: 5_000 } },
    };
    const OF_PROVIDERS = [
      'providers names the provider "pigeon", which does not exist: it has no effect',
      'timeout.provider names the provider "owl", which does not exist: it has no effect',
      'channels.email.providers names the provider "sendgrid", which does not exist: the other providers of the list are used',
      'channels.push.providers names the provider "mailgun", which does not exist: no provider is left for push',
    ];

    expect(await warnings(await send(request))).toEqual([{ type: 'ENQUEUED', warnings: OF_PROVIDERS }]);
    expect(await warnings(await send({ ...request, tenantId: 'nowhere' }))).toEqual([
      { type: 'ENQUEUED', warnings: [UNKNOWN_TENANT, ...OF_PROVIDERS] },
    ]);
  });

  it('a warning about a condition that cannot be parsed, which is false', async () => {
    const invalid = { channel: 'email', if: 'data.(' };
    const id = await send({ routing: { method: 'single', channels: [invalid, 'email'] } });
    expect(await warnings(id)).toEqual([{ type: 'ROUTED', warnings: [expect.stringContaining('data.(')] }]);
  });

  it('a warning about elements that a rendering left out', async () => {
    const elements = [
      { type: 'text' as const, content: 'Hello' },
      { type: 'text' as const, content: 'never', if: 'data.(' },
    ];
    const id = await send({ content: { version: '2022-01-01', elements } });
    expect(await warnings(id)).toEqual([{ type: 'RENDERED', warnings: [expect.stringContaining('data.(')] }]);
  });

  it('a warning about every reason why the content is empty', async () => {
    const elements = [
      { type: 'text' as const, content: 'never', if: 'a ===' },
      { type: 'text' as const, content: 'never', loop: '{{a' },
    ];
    const routing = { method: 'single' as const, channels: [{ channel: 'email', if: 'data.(' }, 'email'] };
    const [id] = await messaging.send({ mode: 'test', profile: { email: 'ada@example.com' }, content: { elements }, routing });
    await messaging.waitForStatus(id!, 'UNROUTABLE');

    const named = ['data.(', 'a ===', '{{a'].map((part) => expect.stringContaining(part) as string);
    expect(await warnings(id!)).toEqual([{ type: 'UNROUTABLE', warnings: named }]);
  });

  it('a warning about each variable that is shown and has no value', async () => {
    const id = await send({ content: { title: 'Order {order_id}', body: '{{#if vip}}{{vip}}{{/if}}{{total}} {{default note "none"}}' } });
    const missing = ['order_id', 'total'].map((path) => `Variable not found: ${path}`);
    const warned = await warnings(id);
    expect(warned).toEqual([{ type: 'RENDERED', warnings: expect.arrayContaining(missing) as string[] }]);
    expect(warned[0]!.warnings).toHaveLength(2);
  });

  it('a warning about an unknown brand', async () => {
    const warning = 'There is no brand "unknown": the message is sent without one';
    expect(await warnings(await send({ brandId: 'unknown' }))).toEqual([{ type: 'RENDERED', warnings: [warning] }]);
  });

  const HEADERS = { 'list-unsubscribe': '<https://example.com/u>' };
  const OF_HEADER = 'override.headers requests list-unsubscribe: the e-mail is sent without it';
  it.each([
    ['a channel', { channels: { email: { override: { headers: HEADERS } } } }],
    ['a provider', { providers: { smtp: { override: { headers: { 'x-mine': 'a', ...HEADERS } } } } }],
  ])('a warning about List-Unsubscribe in an override of %s, which no e-mail carries', async (_, override) => {
    expect(await warnings(await send(override))).toEqual([{ type: 'RENDERED', warnings: [OF_HEADER] }]);
  });

  it('a warning about a topic that requests List-Unsubscribe, where no links are made', async () => {
    const topic = { workspace_id: messaging.workspaceId, topic_id: 'news', name: 'News', section_id: 's', section_name: 'S' };
    messaging.profiles.topics.push({ ...topic, default_status: 'OPTED_IN', include_unsubscribe_header: true });
    const warning =
      'The topic "News" requests include_unsubscribe_header: the e-mail is sent without List-Unsubscribe, as TIDINGS_PUBLIC_URL is not set';
    const content = { title: 'News', body: 'Stop: {{unsubscribe_url}} {{preferences_url}}' };
    expect(await warnings(await send({ topicId: 'news', content }))).toEqual([{ type: 'RENDERED', warnings: [warning] }]);
  });

  it('no warning without a cause', async () => {
    expect(await warnings(await send({}))).toEqual([]);
  });
});
