import type { HistoryType } from '@tidings/contracts/messaging/message-history';
import type { Received } from '@tidings/testing/capturing-http';
import type { MessageRecord } from './testing/api-client';
import { SendingWorld } from './testing/sending-world';
let world: SendingWorld;
beforeAll(async () => {
  world = await SendingWorld.start();
  for (const channel of ['push', 'direct_message'] as const) {
    const settings = { channel, url: world.sms.url, secret: 'a secret of some length' };
    await world.sdk.providers.create({ provider: 'http', alias: `a ${channel}`, settings });
  }
});
beforeEach(() => world.takeTexts());
afterAll(() => world?.end());

/** What became of each way of a message: its channel's answer, in the order of the routing. */
type Answer = 'delivered' | 'sent' | 'refused' | 'bounced';
const ANSWERS: Record<Answer, [number, object]> = {
  delivered: [200, { id: 'x', delivered: true }],
  sent: [200, { id: 'x' }],
  refused: [400, { error: 'refused' }],
  bounced: [422, { cause: 'recipient', error: 'bounced' }],
};
const CHANNELS = ['sms', 'push', 'direct_message'] as const;
type Channel = (typeof CHANNELS)[number];

/** Sends to all of these channels, whose receivers answer one after the other. */
async function send(method: 'all' | 'single', answers: Partial<Record<Channel, Answer>>, status: string): Promise<MessageRecord> {
  const channels = CHANNELS.filter((channel) => answers[channel]);
  world.sms.answering = (answer, { body }: Received) => {
    const { channel } = JSON.parse(body) as { channel: Channel };
    const [code, said] = ANSWERS[answers[channel]!];
    answer.writeHead(code).end(JSON.stringify(said));
  };
  const to = { phone_number: world.phone, expo: { token: 'ExponentPushToken[a]' }, slack: { channel: 'C1', access_token: 'x' } };
  const id = await world.send({ to, routing: { method, channels } });
  const tried = method === 'all' ? channels.length : 1;
  await world.until(`${id} ${status} by ${tried} ways`, async () => {
    const { status: now, providers } = await world.client.message(id);
    return now === status && providers.length >= tried;
  });
  return world.client.message(id);
}
const shown = ({ providers }: MessageRecord): Record<string, string> =>
  Object.fromEntries(providers.map(({ channel, status }) => [channel.key, status]));

describe('the record of several ways', () => {
  const REFUSED = { reason: 'PROVIDER_ERROR', error: 'The receiver answered 400: refused' };
  const rows: [what: string, answers: Parameters<typeof send>[1], status: string, why: Partial<MessageRecord>][] = [
    ['the highest that any reached', { sms: 'sent', push: 'delivered' }, 'DELIVERED', {}],
    ['the highest, though another failed', { sms: 'refused', push: 'sent' }, 'SENT', {}],
    ['the highest, though all others failed', { sms: 'refused', push: 'bounced', direct_message: 'delivered' }, 'DELIVERED', {}],
    ['a failure where all failed alike', { sms: 'refused', push: 'refused' }, 'UNDELIVERABLE', REFUSED],
  ];
  it.each(rows)('says %s', async (_what, answers, status, why) => {
    const record = await send('all', answers, status);
    const ends: Record<Answer, string> = { delivered: 'DELIVERED', sent: 'SENT', refused: 'UNDELIVERABLE', bounced: 'UNDELIVERABLE' };
    expect(shown(record)).toEqual(Object.fromEntries(Object.entries(answers).map(([channel, answer]) => [channel, ends[answer]])));
    expect([record.reason, record.error]).toEqual([why.reason, why.error]);
    for (const { status: one, error } of record.providers) expect(error !== undefined).toBe(one === 'UNDELIVERABLE');
    const earliest = (stage: 'sent' | 'delivered'): number | undefined => {
      const times = record.providers.flatMap((one) => one[stage] ?? []);
      return times.length > 0 ? Math.min(...times) : undefined;
    };
    expect([record.sent, record.delivered]).toEqual([earliest('sent'), earliest('delivered')]);
    expect(record.sent ?? record.enqueued).toBeGreaterThanOrEqual(record.enqueued);
  });

  it('says the reason of the last where all failed in different ways', async () => {
    const record = await send('single', { sms: 'refused', push: 'bounced' }, 'UNDELIVERABLE');
    expect(record).toMatchObject({ reason: 'BOUNCED', error: 'The receiver answered 422: bounced' });
    expect(record.providers.map(({ channel }) => channel.key)).toEqual(['sms', 'push']);
  });

  it('goes on to the next way and forgets the failure of the first', async () => {
    const record = await send('single', { sms: 'refused', push: 'delivered' }, 'DELIVERED');
    expect(shown(record)).toEqual({ sms: 'UNDELIVERABLE', push: 'DELIVERED' });
    expect(record).not.toHaveProperty('error');
    expect(record).not.toHaveProperty('reason');
    const told = (await world.client.history(record.id)).slice(2).map(({ type, channel }) => `${type} ${(channel as { id: string }).id}`);
    const tried = (channel: string): string[] => ['ROUTED', 'RENDERED', 'DELIVERING'].map((type) => `${type} ${channel}`);
    expect(told).toEqual([...tried('sms'), 'UNDELIVERABLE sms', ...tried('push'), 'SENT push', 'DELIVERED push']);
  });
});

describe('the record names', () => {
  it('tags, the trace and the Idempotency-Key of its send', async () => {
    const message = {
      to: { email: `${world.name('named')}@example.com` },
      content: { title: 'x', body: 'y' },
      metadata: { event: 'signup', tags: ['one', 'two'], trace_id: world.name('trace') },
    };
    const { requestId } = await world.sdk.send.message({ message }, { headers: { 'Idempotency-Key': 'the key' } });
    const record = await world.once('DELIVERED', requestId);
    expect(record).toMatchObject({ event: 'signup', notification: '', tags: ['one', 'two'], idempotencyKey: 'the key' });
    expect(await world.messagesOf(message.metadata.trace_id, 1)).toMatchObject([{ id: requestId }]);
  });
});

describe('a message that was sent', () => {
  it('is sent again as another one, and hidden from lists once its request is archived', async () => {
    const user = await world.user();
    const id = await world.send({ to: { user_id: user }, routing: { method: 'single', channels: ['email'] } });
    const first = await world.once('DELIVERED', id);

    const again = await world.client.request<{ messageId: string }>('POST', `/messages/${id}/resend`);
    expect([again.status, Object.keys(again.body)]).toEqual([202, ['messageId']]);
    await world.once('DELIVERED', again.body.messageId);

    const archived = await world.client.request('PUT', `/requests/${id}/archive`);
    expect([archived.status, archived.body]).toEqual([202, '']);
    const listed = async (query: string): Promise<string[]> =>
      (await world.ask<{ results: MessageRecord[] }>('GET', `/messages?recipient=${user}${query}`)).results.map((one) => one.id);
    expect(await listed('')).toEqual([again.body.messageId]);
    expect(await listed('&archived=true')).toEqual([again.body.messageId, id]);
    expect(await world.client.message(id)).toEqual(first);
  });
});

describe('not before a later step', () => {
  const LATER: [row: HistoryType, why: string][] = [
    ['OPENED', 'opened mails are not tracked, and clients of the inbox tell nothing yet'],
    ['CLICKED', 'links are not tracked yet'],
    ['THROTTLED', 'nobody can limit how much is sent yet'],
    ['DIGESTED', 'digests are not served yet'],
  ];
  it.each(LATER)('%s: %s', async (type) => {
    const id = await world.send({ to: { email: `${world.name('later')}@example.com` } });
    await world.once('DELIVERED', id);
    expect(await world.ask('GET', `/messages/${id}/history?type=${type}`)).toEqual({ results: [] });
    expect(await world.ask('GET', `/messages?status=${type}`)).toEqual({ paging: { more: false }, results: [] });
  });

  const NOT_SERVED: [row: string, why: string, ask: () => [method: string, path: string, body?: object]][] = [
    ['runId of a record', 'automations are not served yet', () => ['GET', '/automations']],
    [
      'a digest of a topic',
      'digests are not served yet',
      () => {
        const digest = { template_id: 'x', schedules: [{ frequency: 'daily' }] };
        return ['POST', `/preferences/sections/${world.section}/topics`, { name: 'Digest', default_status: 'OPTED_IN', digest }];
      },
    ],
  ];
  it.each(NOT_SERVED)('%s: %s', async (_row, _why, ask) => {
    const [method, path, body] = ask();
    expect((await world.client.request(method, path, { body })).status).toBe(501);
  });

  it('a report after SENT (DELIVERED, a bounce): providers have no address to tell it to yet', async () => {
    expect((await world.client.request('POST', '/providers/callback/http/x/y', { body: {} })).status).toBe(404);
  });

  it('List-Unsubscribe in mails of a topic that asks for it: there is no page behind such a link yet', async () => {
    const asked = { name: 'News', default_status: 'OPTED_IN', include_unsubscribe_header: true };
    const { id: topic } = await world.ask<{ id: string }>('POST', `/preferences/sections/${world.section}/topics`, asked);
    const user = await world.user();
    await world.send({
      to: { user_id: user },
      preferences: { subscription_topic_id: topic },
      routing: { method: 'single', channels: ['email'] },
    });
    const mail = await (await world.smtp.waitForMailsTo(`${user}@example.com`))[0]!.parse();
    expect(mail.headers.map(({ key }) => key).filter((key) => key.startsWith('list-'))).toEqual([]);
  });
});
