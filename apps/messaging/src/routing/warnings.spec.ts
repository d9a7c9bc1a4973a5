import '@tidings/testing/quiet';
import { messages } from '@tidings/contracts/messaging/messages';
import { makeDue, untilMadeDue } from '../testing/make-due';
import { Messaging } from '../testing/start-messaging';

describe('the history warns', () => {
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

  it('of a tenant that is not there', async () => {
    expect(await warnings(await send({ tenantId: 'nowhere' }))).toEqual([{ type: 'ENQUEUED', warnings: [UNKNOWN_TENANT] }]);
  });

  it('of what the request was found to say in vain, before what it meets', async () => {
    const warning = 'message.contnt is not a known field: it was ignored';
    expect(await warnings(await send({ warnings: [warning] }))).toEqual([{ type: 'ENQUEUED', warnings: [warning] }]);
    expect(await warnings(await send({ warnings: [warning], tenantId: 'nowhere' }))).toEqual([
      { type: 'ENQUEUED', warnings: [warning, UNKNOWN_TENANT] },
    ]);
    expect(await warnings(await send({ warnings: [warning], delay: untilMadeDue() }))).toEqual([{ type: 'ENQUEUED', warnings: [warning] }]);
  });

  it('of one that is not there when the time of a delayed message has come', async () => {
    const id = await send({ tenantId: 'nowhere', delay: untilMadeDue() });
    expect(await warnings(id)).toEqual([
      { type: 'ENQUEUED', warnings: [UNKNOWN_TENANT] },
      { type: 'PROFILE_LOADED', warnings: [UNKNOWN_TENANT] },
    ]);
  });

  it('of a condition that cannot be read, which is false', async () => {
    const unreadable = { channel: 'email', if: 'data.(' };
    const id = await send({ routing: { method: 'single', channels: [unreadable, 'email'] } });
    expect(await warnings(id)).toEqual([{ type: 'ROUTED', warnings: [expect.stringContaining('data.(')] }]);
  });

  it('of what a rendering left out', async () => {
    const elements = [
      { type: 'text' as const, content: 'Hello' },
      { type: 'text' as const, content: 'never', if: 'data.(' },
    ];
    const id = await send({ content: { version: '2022-01-01', elements } });
    expect(await warnings(id)).toEqual([{ type: 'RENDERED', warnings: [expect.stringContaining('data.(')] }]);
  });

  it('of why nothing is left to say', async () => {
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

  it('of a brand that is not there', async () => {
    const warning = 'There is no brand "nobodys": the message is sent without one';
    expect(await warnings(await send({ brandId: 'nobodys' }))).toEqual([{ type: 'RENDERED', warnings: [warning] }]);
  });

  const HEADERS = { 'list-unsubscribe': '<https://example.com/u>' };
  const OF_HEADER = 'override.headers asks for list-unsubscribe: the e-mail is sent without it';
  it.each([
    ['a channel', { channels: { email: { override: { headers: HEADERS } } } }],
    ['a provider', { providers: { smtp: { override: { headers: { 'x-mine': 'a', ...HEADERS } } } } }],
  ])('of List-Unsubscribe in an override of %s, which no mail carries yet', async (_, override) => {
    expect(await warnings(await send(override))).toEqual([{ type: 'RENDERED', warnings: [OF_HEADER] }]);
  });

  it('of a topic that asks for List-Unsubscribe', async () => {
    const topic = { workspace_id: messaging.workspaceId, topic_id: 'news', name: 'News', section_id: 's', section_name: 'S' };
    messaging.profiles.topics.push({ ...topic, default_status: 'OPTED_IN', include_unsubscribe_header: true });
    const warning = 'The topic "News" asks for include_unsubscribe_header: the e-mail is sent without List-Unsubscribe';
    expect(await warnings(await send({ topicId: 'news' }))).toEqual([{ type: 'RENDERED', warnings: [warning] }]);
  });

  it('of nothing where there is nothing', async () => {
    expect(await warnings(await send({}))).toEqual([]);
  });
});
