import { HISTORY_TYPES, type HistoryType } from '@tidings/contracts/messaging/message-history';
import type { HistoryEvent } from './testing/api-client';
import { SendingWorld } from './testing/sending-world';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const TS = expect.any(Number) as number;
const EMAIL = { channel: { id: 'email' }, integration: { id: expect.stringMatching(/^prv_/) as string, provider: 'smtp' } };
const SMS = { channel: { id: 'sms' }, integration: { id: expect.stringMatching(/\w/) as string, provider: 'http' } };

let world: SendingWorld;
beforeAll(async () => {
  world = await SendingWorld.start();
});
beforeEach(() => world.takeTexts());
afterAll(() => world?.end());

const by = (...channels: string[]): object => ({ routing: { method: 'single', channels } });
const address = (): string => `${world.name('history')}@example.com`;
async function ended(status: string, message: object): Promise<{ id: string; history: HistoryEvent[] }> {
  const id = await world.send(message);
  await world.once(status, id);
  return { id, history: await world.client.history(id) };
}

describe('the history has, field by field,', () => {
  it('the whole life of a message by template, in the order of its numbers', async () => {
    const template = await world.template();
    const user = await world.user();
    await world.ask('PUT', '/events/shipped', { id: template, type: 'notification' });
    const override = { subject: 'Shipped', config: { from_address: 'shop@example.com' } };
    const { id, history } = await ended('DELIVERED', {
      to: { user_id: user, phone_number: null, nickname: 'Ada' },
      content: undefined,
      template: 'shipped',
      data: { order: 'A-17' },
      providers: { smtp: { override } },
      ...by('email'),
    });

    const stored_profile = { email: `${user}@example.com`, phone_number: world.phone };
    const received_profile = { phone_number: null, nickname: 'Ada' };
    expect(history).toEqual([
      {
        ts: TS,
        type: 'ENQUEUED',
        data: { order: 'A-17' },
        event: 'shipped',
        profile: received_profile,
        override: { smtp: { subject: 'Shipped', config: { from_address: '***' } } },
        recipient: user,
      },
      { ts: TS, type: 'MAPPED', event_id: 'shipped', notification_id: template },
      {
        ts: TS,
        type: 'PROFILE_LOADED',
        merged_profile: { email: stored_profile.email, nickname: 'Ada' },
        received_profile,
        stored_profile,
      },
      { ts: TS, type: 'ROUTED', ...EMAIL },
      { ts: TS, type: 'RENDERED', ...EMAIL, output: expect.any(Object) as object },
      { ts: TS, type: 'DELIVERING', ...EMAIL },
      { ts: TS, type: 'SENT', ...EMAIL },
      {
        ts: TS,
        type: 'DELIVERED',
        ...EMAIL,
        reference: { reply: expect.stringMatching(/^250/) as string, message_id: expect.any(String) as string },
      },
    ]);
    expect(history.map(({ ts }) => ts)).toEqual(history.map(({ ts }) => ts).toSorted((one, other) => one - other));
    expect(await world.once('DELIVERED', id)).toMatchObject({ event: 'shipped', notification: template });
  });

  it('what was rendered, each part at an address of its own', async () => {
    const { id, history } = await ended('DELIVERED', { to: { email: address() }, data: { name: 'Ada' }, ...by('email') });
    const { output } = history.find(({ type }) => type === 'RENDERED') as unknown as { output: Record<string, string> };
    expect(Object.keys(output).sort()).toEqual(['blocks', 'body', 'html', 'subject', 'text', 'title']);
    const type: Record<string, string> = { html: 'text/html; charset=utf-8', blocks: 'application/json' };
    for (const [part, path] of Object.entries(output)) {
      expect(path).toMatch(new RegExp(`^/messages/${id}/output/\\d+/${part}$`));
      const answer = await world.client.get(path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type[part] ?? 'text/plain; charset=utf-8']);
    }
    expect((await world.client.get(output.subject!)).body).toBe('Hello Ada');
    expect(await world.ask('GET', `/messages/${id}/output`)).toEqual({
      results: [
        {
          channel: 'email',
          channel_id: 'email',
          content: {
            html: expect.stringContaining('A short text.') as string,
            title: expect.any(String) as string,
            body: expect.any(String) as string,
            subject: 'Hello Ada',
            text: expect.stringContaining('A short text.') as string,
            blocks: [{ type: 'text', text: 'A short text.' }],
          },
        },
      ],
    });
  });

  const last: [what: string, status: string, message: () => object, event: object][] = [
    [
      'a provider error',
      'UNDELIVERABLE',
      () => (world.sms.answer(400, { error: 'no credit' }), { to: { phone_number: world.phone }, ...by('sms') }),
      { type: 'UNDELIVERABLE', ...SMS, error_message: 'The receiver answered 400: no credit', reason: 'PROVIDER_ERROR' },
    ],
    [
      'a bounce for good',
      'UNDELIVERABLE',
      () => (world.sms.answer(422, { cause: 'recipient', error: 'gone' }), { to: { phone_number: world.phone }, ...by('sms') }),
      { type: 'UNDELIVERABLE', ...SMS, error_message: 'The receiver answered 422: gone', reason: 'BOUNCED', reasonCode: 'HARD' },
    ],
    [
      'a bounce that may pass',
      'UNDELIVERABLE',
      () => {
        world.sms.answer(422, { cause: 'recipient', reason_code: 'SOFT', error: 'full' });
        return { to: { phone_number: world.phone }, ...by('sms') };
      },
      { type: 'UNDELIVERABLE', ...SMS, error_message: 'The receiver answered 422: full', reason: 'BOUNCED', reasonCode: 'SOFT' },
    ],
    [
      'no provider',
      'UNROUTABLE',
      () => ({ to: { email: address() }, ...by('push') }),
      { type: 'UNROUTABLE', channel: { id: '' }, reason: 'NO_PROVIDERS', error_message: 'No provider is configured for push' },
    ],
    [
      'no condition that is met',
      'FILTERED',
      () => ({ to: { email: address() }, ...by('email'), channels: { email: { if: 'false' } } }),
      { type: 'FILTERED', reason: 'FILTERED', error_message: 'The conditions of email are not met' },
    ],
    [
      'no template of that name',
      'UNMAPPED',
      () => ({ to: { email: address() }, content: undefined, template: 'nothing-of-the-kind' }),
      {
        type: 'UNMAPPED',
        event_id: 'nothing-of-the-kind',
        error_message: 'No notification template or event mapping "nothing-of-the-kind" exists',
      },
    ],
  ];
  it.each(last)('%s', async (_what, status, message, event) => {
    const { history } = await ended(status, message());
    expect(history.at(-1)).toEqual({ ts: TS, ...event });
  });

  it('a delay and its end by hand', async () => {
    const { id, history } = await ended('DELAYED', { to: { email: address() }, delay: { duration: HOUR_MS } });
    const [enqueued, delayed] = history as [HistoryEvent, HistoryEvent & { delay: number; until: number }];
    expect(delayed).toEqual({ ts: TS, type: 'DELAYED', delay: TS, details: expect.any(String) as string, until: TS });
    expect(delayed.until - enqueued.ts).toBeGreaterThanOrEqual(HOUR_MS);
    expect(delayed.until - enqueued.ts).toBeLessThanOrEqual(HOUR_MS + MINUTE_MS);

    const canceled = await world.client.request('POST', `/messages/${id}/cancel`);
    expect(canceled).toMatchObject({ status: 200, body: { id, status: 'CANCELED', canceledAt: TS, providers: [] } });
    expect((await world.client.history(id)).at(-1)).toEqual({ ts: TS, type: 'CANCELED' });
    const again = await world.client.request('POST', `/messages/${id}/cancel`);
    expect([again.status, again.body]).toEqual([409, canceled.body]);
  });

  it('a simulation: everything but the call of the provider', async () => {
    const tests = await world.testClient();
    const id = await world.send({ to: { email: address() }, ...by('email') }, tests);
    const record = await world.once('SIMULATED', id, tests);
    expect(record).not.toHaveProperty('error');
    expect(record).not.toHaveProperty('sent');
    expect(record.providers).toEqual([]);
    const history = await tests.history(id);
    expect(history.map(({ type }) => type)).toEqual(['ENQUEUED', 'PROFILE_LOADED', 'ROUTED', 'RENDERED', 'SIMULATED']);
    expect(history.at(-1)).toEqual({ ts: TS, type: 'SIMULATED', ...EMAIL, integration: { id: 'default', provider: 'smtp' } });
    expect(world.smtp.mailsTo(record.recipient)).toEqual([]);
  });
});

describe('asked by type', () => {
  let id: string;
  let history: HistoryEvent[];
  beforeAll(async () => ({ id, history } = await ended('DELIVERED', { to: { email: address() }, ...by('email') })));

  it.each(HISTORY_TYPES)('%s: those events and no other, none where there are none', async (type: HistoryType) => {
    const { results } = await world.ask<{ results: HistoryEvent[] }>('GET', `/messages/${id}/history?type=${type}`);
    expect(results).toEqual(history.filter((event) => event.type === type));
  });

  it.each(['SHOUTED', 'sent', 'PROCESSED', 'FAILED'])('%s: refused', async (type) => {
    const answer = await world.client.get<{ type: string }>(`/messages/${id}/history?type=${type}`);
    expect([answer.status, answer.body.type]).toEqual([400, 'invalid_request_error']);
  });
});
