import type { HistoryType } from '@tidings/contracts/messaging/message-history';
import type { Received } from '@tidings/testing/capturing-http';
import type { MessageRecord } from './testing/api-client';
import { SendingFixture } from './testing/sending-fixture';
let fixture: SendingFixture;
beforeAll(async () => {
  fixture = await SendingFixture.start();
  for (const channel of ['push', 'direct_message'] as const) {
    const settings = { channel, url: fixture.sms.url, secret: 'a secret of some length' };
    await fixture.sdk.providers.create({ provider: 'http', alias: `a ${channel}`, settings });
  }
});
beforeEach(() => fixture.acceptTexts());
afterAll(() => fixture?.end());

/** Answer of each channel's receiver, in the order of the routing. */
type Answer = 'delivered' | 'sent' | 'refused' | 'bounced';
const ANSWERS: Record<Answer, [number, object]> = {
  delivered: [200, { id: 'x', delivered: true }],
  sent: [200, { id: 'x' }],
  refused: [400, { error: 'refused' }],
  bounced: [422, { cause: 'recipient', error: 'bounced' }],
};
const CHANNELS = ['sms', 'push', 'direct_message'] as const;
type Channel = (typeof CHANNELS)[number];

/** Sends over these channels with these answers; resolves with the record once it has `status`. */
async function send(method: 'all' | 'single', answers: Partial<Record<Channel, Answer>>, status: string): Promise<MessageRecord> {
  const channels = CHANNELS.filter((channel) => answers[channel]);
  fixture.sms.answering = (answer, { body }: Received) => {
    const { channel } = JSON.parse(body) as { channel: Channel };
    const [code, response] = ANSWERS[answers[channel]!];
    answer.writeHead(code).end(JSON.stringify(response));
  };
  const expo = { token: `ExponentPushToken[${fixture.name('device')}]` };
  const to = { phone_number: fixture.newPhone(), expo, slack: { channel: 'C1', access_token: 'x' } };
  const id = await fixture.send({ to, routing: { method, channels } });
  const tried = method === 'all' ? channels.length : 1;
  await fixture.until(`${id} ${status} by ${tried} routes`, async () => {
    const { status: now, providers } = await fixture.client.message(id);
    return now === status && providers.filter((one) => one.status !== undefined).length >= tried;
  });
  return fixture.client.message(id);
}
const statusByChannel = ({ providers }: MessageRecord): Record<string, string | undefined> =>
  Object.fromEntries(providers.map(({ channel, status }) => [channel.key, status]));

describe('the record of several routes', () => {
  const REFUSED = { reason: 'PROVIDER_ERROR', error: 'The receiver answered 400: refused' };
  const rows: [what: string, answers: Parameters<typeof send>[1], status: string, why: Partial<MessageRecord>][] = [
    ['the highest status of any route', { sms: 'sent', push: 'delivered' }, 'DELIVERED', {}],
    ['the highest status, though another route failed', { sms: 'refused', push: 'sent' }, 'SENT', {}],
    ['the highest status, though all others failed', { sms: 'refused', push: 'bounced', direct_message: 'delivered' }, 'DELIVERED', {}],
    ['a failure when all routes failed', { sms: 'refused', push: 'refused' }, 'UNDELIVERABLE', REFUSED],
  ];
  it.each(rows)('has %s', async (_what, answers, status, why) => {
    const record = await send('all', answers, status);
    const ends: Record<Answer, string> = { delivered: 'DELIVERED', sent: 'SENT', refused: 'UNDELIVERABLE', bounced: 'UNDELIVERABLE' };
    expect(statusByChannel(record)).toEqual(
      Object.fromEntries(Object.entries(answers).map(([channel, answer]) => [channel, ends[answer]])),
    );
    expect([record.reason, record.error]).toEqual([why.reason, why.error]);
    for (const { status: one, error } of record.providers) expect(error !== undefined).toBe(one === 'UNDELIVERABLE');
    const earliest = (stage: 'sent' | 'delivered'): number | undefined => {
      const times = record.providers.flatMap((one) => one[stage] ?? []);
      return times.length > 0 ? Math.min(...times) : undefined;
    };
    expect([record.sent, record.delivered]).toEqual([earliest('sent'), earliest('delivered')]);
    expect(record.sent ?? record.enqueued).toBeGreaterThanOrEqual(record.enqueued);
  });

  it('has the reason of the last route when all failed for different reasons', async () => {
    const record = await send('single', { sms: 'refused', push: 'bounced' }, 'UNDELIVERABLE');
    expect(record).toMatchObject({ reason: 'BOUNCED', error: 'The receiver answered 422: bounced' });
    expect(record.providers.map(({ channel }) => channel.key)).toEqual(['sms', 'push']);
  });

  it('continues with the next route and drops the failure of the first', async () => {
    const record = await send('single', { sms: 'refused', push: 'delivered' }, 'DELIVERED');
    expect(statusByChannel(record)).toEqual({ sms: 'UNDELIVERABLE', push: 'DELIVERED' });
    expect(record).not.toHaveProperty('error');
    expect(record).not.toHaveProperty('reason');
    const events = (await fixture.client.history(record.id))
      .slice(2)
      .map(({ type, channel }) => `${type} ${(channel as { id: string }).id}`);
    const tried = (channel: string): string[] => ['ROUTED', 'RENDERED', 'DELIVERING'].map((type) => `${type} ${channel}`);
    expect(events).toEqual([...tried('sms'), 'UNDELIVERABLE sms', ...tried('push'), 'SENT push', 'DELIVERED push']);
  });
});

describe('the record names', () => {
  it('tags, the trace and the Idempotency-Key of its send', async () => {
    const message = {
      to: { email: `${fixture.name('named')}@example.com` },
      content: { title: 'x', body: 'y' },
      metadata: { event: 'signup', tags: ['one', 'two'], trace_id: fixture.name('trace') },
    };
    const { requestId } = await fixture.sdk.send.message({ message }, { headers: { 'Idempotency-Key': 'the key' } });
    const record = await fixture.once('DELIVERED', requestId);
    expect(record).toMatchObject({ event: 'signup', notification: '', tags: ['one', 'two'], idempotencyKey: 'the key' });
    expect(await fixture.messagesOf(message.metadata.trace_id, 1)).toMatchObject([{ id: requestId }]);
  });
});

describe('a message that was sent', () => {
  it('is sent again as a new message, and hidden from lists once its request is archived', async () => {
    const user = await fixture.user();
    const id = await fixture.send({ to: { user_id: user }, routing: { method: 'single', channels: ['email'] } });
    const first = await fixture.once('DELIVERED', id);

    const again = await fixture.client.request<{ messageId: string }>('POST', `/messages/${id}/resend`);
    expect([again.status, Object.keys(again.body)]).toEqual([202, ['messageId']]);
    await fixture.once('DELIVERED', again.body.messageId);

    const archived = await fixture.client.request('PUT', `/requests/${id}/archive`);
    expect([archived.status, archived.body]).toEqual([202, '']);
    const listed = async (query: string): Promise<string[]> =>
      (await fixture.call<{ results: MessageRecord[] }>('GET', `/messages?recipient=${user}${query}`)).results.map((message) => message.id);
    expect(await listed('')).toEqual([again.body.messageId]);
    expect(await listed('&archived=true')).toEqual([again.body.messageId, id]);
    expect(await fixture.client.message(id)).toEqual(first);
  });
});

describe('not supported yet', () => {
  const LATER: [row: HistoryType, why: string][] = [
    ['OPENED', 'opened mails are not tracked, and inbox clients report nothing yet'],
    ['CLICKED', 'links are not tracked yet'],
    ['THROTTLED', 'limits of sends are not served yet'],
    ['DIGESTED', 'digests are not served yet'],
  ];
  it.each(LATER)('%s: %s', async (type) => {
    const id = await fixture.send({ to: { email: `${fixture.name('later')}@example.com` } });
    await fixture.once('DELIVERED', id);
    expect(await fixture.call('GET', `/messages/${id}/history?type=${type}`)).toEqual({ results: [] });
    expect(await fixture.call('GET', `/messages?status=${type}`)).toEqual({ paging: { more: false }, results: [] });
  });

  const NOT_SERVED: [row: string, why: string, request: () => [method: string, path: string, body?: object]][] = [
    ['runId of a record', 'automations are not served yet', () => ['GET', '/automations']],
    [
      'a digest of a topic',
      'digests are not served yet',
      () => {
        const digest = { template_id: 'x', schedules: [{ frequency: 'daily' }] };
        return ['POST', `/preferences/sections/${fixture.section}/topics`, { name: 'Digest', default_status: 'OPTED_IN', digest }];
      },
    ],
  ];
  it.each(NOT_SERVED)('%s: %s', async (_row, _why, request) => {
    const [method, path, body] = request();
    expect((await fixture.client.request(method, path, { body })).status).toBe(501);
  });
});
