import { HISTORY_TYPES, type HistoryType } from '@tidings/contracts/messaging/message-history';
import type { HistoryEvent } from './testing/api-client';
import { SendingFixture } from './testing/sending-fixture';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const TS = expect.any(Number) as number;
const EMAIL = { channel: { id: 'email' }, integration: { id: expect.stringMatching(/^prv_/) as string, provider: 'smtp' } };
const SMS = { channel: { id: 'sms' }, integration: { id: expect.stringMatching(/\w/) as string, provider: 'http' } };

let fixture: SendingFixture;
beforeAll(async () => {
  fixture = await SendingFixture.start();
});
beforeEach(() => fixture.acceptTexts());
afterAll(() => fixture?.end());

const by = (...channels: string[]): object => ({ routing: { method: 'single', channels } });
const address = (): string => `${fixture.name('history')}@example.com`;
async function finished(status: string, message: object): Promise<{ id: string; history: HistoryEvent[] }> {
  const id = await fixture.send(message);
  await fixture.once(status, id);
  return { id, history: await fixture.client.history(id) };
}

describe('the history contains', () => {
  it('every event of a message by template, in the order of its numbers', async () => {
    const template = await fixture.template();
    const user = await fixture.user();
    await fixture.call('PUT', '/events/shipped', { id: template, type: 'notification' });
    const override = { subject: 'Shipped', config: { from_address: 'shop@example.com' } };
    const { id, history } = await finished('DELIVERED', {
      to: { user_id: user, phone_number: null, nickname: 'Ada' },
      content: undefined,
      template: 'shipped',
      data: { order: 'A-17' },
      providers: { smtp: { override } },
      ...by('email'),
    });

    const stored_profile = { email: `${user}@example.com`, phone_number: fixture.phone };
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
    expect(await fixture.once('DELIVERED', id)).toMatchObject({ event: 'shipped', notification: template });
  });

  it('the rendered output, each part at its own path', async () => {
    const { id, history } = await finished('DELIVERED', { to: { email: address() }, data: { name: 'Ada' }, ...by('email') });
    const { output } = history.find(({ type }) => type === 'RENDERED') as unknown as { output: Record<string, string> };
    expect(Object.keys(output).sort()).toEqual(['blocks', 'body', 'html', 'subject', 'text', 'title']);
    const type: Record<string, string> = { html: 'text/html; charset=utf-8', blocks: 'application/json' };
    for (const [part, path] of Object.entries(output)) {
      expect(path).toMatch(new RegExp(`^/messages/${id}/output/\\d+/${part}$`));
      const answer = await fixture.client.get(path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type[part] ?? 'text/plain; charset=utf-8']);
    }
    expect((await fixture.client.get(output.subject!)).body).toBe('Hello Ada');
    expect(await fixture.call('GET', `/messages/${id}/output`)).toEqual({
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
      () => (fixture.sms.answer(400, { error: 'no credit' }), { to: { phone_number: fixture.newPhone() }, ...by('sms') }),
      { type: 'UNDELIVERABLE', ...SMS, error_message: 'The receiver answered 400: no credit', reason: 'PROVIDER_ERROR' },
    ],
    [
      'a hard bounce',
      'UNDELIVERABLE',
      () => (fixture.sms.answer(422, { cause: 'recipient', error: 'unknown' }), { to: { phone_number: fixture.newPhone() }, ...by('sms') }),
      { type: 'UNDELIVERABLE', ...SMS, error_message: 'The receiver answered 422: unknown', reason: 'BOUNCED', reasonCode: 'HARD' },
    ],
    [
      'a soft bounce',
      'UNDELIVERABLE',
      () => {
        fixture.sms.answer(422, { cause: 'recipient', reason_code: 'SOFT', error: 'full' });
        return { to: { phone_number: fixture.newPhone() }, ...by('sms') };
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
      'no condition is met',
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
        error_message:
          'No notification template "nothing-of-the-kind" exists, nor an event mapping from "nothing-of-the-kind" to an existing one',
      },
    ],
  ];
  it.each(last)('%s', async (_what, status, message, event) => {
    const { history } = await finished(status, message());
    expect(history.at(-1)).toEqual({ ts: TS, ...event });
  });

  it('a delay and its cancel', async () => {
    const { id, history } = await finished('DELAYED', { to: { email: address() }, delay: { duration: HOUR_MS } });
    const [enqueued, delayed] = history as [HistoryEvent, HistoryEvent & { delay: number; until: number }];
    expect(delayed).toEqual({ ts: TS, type: 'DELAYED', delay: TS, details: expect.any(String) as string, until: TS });
    expect(delayed.until - enqueued.ts).toBeGreaterThanOrEqual(HOUR_MS);
    expect(delayed.until - enqueued.ts).toBeLessThanOrEqual(HOUR_MS + MINUTE_MS);

    const canceled = await fixture.client.request('POST', `/messages/${id}/cancel`);
    expect(canceled).toMatchObject({ status: 200, body: { id, status: 'CANCELED', canceledAt: TS, providers: [] } });
    expect((await fixture.client.history(id)).at(-1)).toEqual({ ts: TS, type: 'CANCELED' });
    const again = await fixture.client.request('POST', `/messages/${id}/cancel`);
    const message = expect.stringContaining('is canceled already, since') as string;
    expect([again.status, again.body]).toEqual([409, { ...(canceled.body as object), message }]);
  });

  it('a simulation: every event but the call of the provider', async () => {
    const tests = await fixture.testClient();
    const id = await fixture.send({ to: { email: address() }, ...by('email') }, tests);
    const record = await fixture.once('SIMULATED', id, tests);
    expect(record).not.toHaveProperty('error');
    expect(record).not.toHaveProperty('sent');
    expect(record.providers).toEqual([]);
    const history = await tests.history(id);
    expect(history.map(({ type }) => type)).toEqual(['ENQUEUED', 'PROFILE_LOADED', 'ROUTED', 'RENDERED', 'SIMULATED']);
    expect(history.at(-1)).toEqual({ ts: TS, type: 'SIMULATED', ...EMAIL, integration: { id: 'default', provider: 'smtp' } });
    expect(fixture.smtp.mailsTo(record.recipient)).toEqual([]);
  });
});

describe('the history filtered by type', () => {
  let id: string;
  let history: HistoryEvent[];
  beforeAll(async () => ({ id, history } = await finished('DELIVERED', { to: { email: address() }, ...by('email') })));

  it.each(HISTORY_TYPES)('%s: exactly those events', async (type: HistoryType) => {
    const { results } = await fixture.call<{ results: HistoryEvent[] }>('GET', `/messages/${id}/history?type=${type}`);
    expect(results).toEqual(history.filter((event) => event.type === type));
  });

  it.each(['SHOUTED', 'sent', 'PROCESSED', 'FAILED'])('%s: refused', async (type) => {
    const answer = await fixture.client.get<{ type: string }>(`/messages/${id}/history?type=${type}`);
    expect([answer.status, answer.body.type]).toEqual([400, 'invalid_request_error']);
  });
});
