import { SendingWorld } from './testing/sending-world';
const HOUR_MS = 3_600_000;
const TIME = expect.any(Number) as number;

let world: SendingWorld;
beforeAll(async () => {
  world = await SendingWorld.start();
});
beforeEach(() => world.takeTexts());
afterAll(() => world?.end());

const by = (...channels: string[]): object => ({ routing: { method: 'single', channels } });
const byAll = (...channels: string[]): object => ({ routing: { method: 'all', channels } });
const reach = (): { email: string; phone_number: string } => ({
  email: `${world.name('status')}@example.com`,
  phone_number: world.phone,
});

/** A day as delivery windows write it: `May 5`. */
function inHalfAYear(): string {
  const day = new Date(Date.now() + 180 * 24 * HOUR_MS);
  return `${day.toLocaleString('en', { month: 'short', timeZone: 'UTC' })} ${day.getUTCDate()}`;
}

interface Row {
  /** What is sent, and what is done to the world before. */
  readonly sent: () => object | Promise<object>;
  /** What the record says beside its id, times and recipient. */
  readonly says: Record<string, unknown>;
  /** Types of the history behind what every message has. */
  readonly told: readonly string[];
}
const ENDS_BEFORE_ROUTING = ['ENQUEUED', 'PROFILE_LOADED'];
const TRIED = [...ENDS_BEFORE_ROUTING, 'ROUTED', 'RENDERED', 'DELIVERING'];
const leaf = (channel: string, provider: string) => ({ channel: { key: channel, template: '' }, provider });

describe('a message is', () => {
  const rows: [status: string, when: string, row: Row][] = [
    [
      'ROUTED',
      'its channel is decided, and its provider not yet reached',
      {
        sent: () => (world.sms.answer(503), { to: reach(), ...by('sms') }),
        says: { providers: [] },
        told: TRIED,
      },
    ],
    [
      'SENT',
      'a provider took it, and tells later whether it arrived',
      {
        sent: () => ({ to: reach(), ...by('sms') }),
        says: {
          sent: TIME,
          providers: [
            {
              ...leaf('sms', 'http'),
              status: 'SENT',
              sent: TIME,
              reference: { id: 'taken' },
              providerResponse: { status: 200, body: '{"id":"taken"}' },
            },
          ],
        },
        told: [...TRIED, 'SENT'],
      },
    ],
    [
      'DELIVERED',
      'the provider confirms it',
      {
        sent: () => (world.sms.answer(200, { id: 'there', delivered: true }), { to: reach(), ...by('sms') }),
        says: {
          sent: TIME,
          delivered: TIME,
          providers: [
            {
              ...leaf('sms', 'http'),
              status: 'DELIVERED',
              sent: TIME,
              delivered: TIME,
              reference: { id: 'there' },
              providerResponse: { status: 200, body: '{"id":"there","delivered":true}' },
            },
          ],
        },
        told: [...TRIED, 'SENT', 'DELIVERED'],
      },
    ],
    [
      'UNMAPPED',
      'there is no such template or event',
      {
        sent: () => ({ to: reach(), content: undefined, template: 'nothing-of-the-kind' }),
        says: {
          event: 'nothing-of-the-kind',
          error: 'No notification template or event mapping "nothing-of-the-kind" exists',
          providers: [],
        },
        told: ['ENQUEUED', 'UNMAPPED'],
      },
    ],
    [
      'UNROUTABLE',
      'its content says nothing on any channel of its routing',
      {
        sent: () => {
          const elements = [{ type: 'channel', channel: 'push', elements: [{ type: 'text', content: 'Only there' }] }];
          return { to: reach(), ...by('email'), content: { version: '2022-01-01', elements } };
        },
        says: { reason: 'NO_CHANNELS', error: 'The content has nothing to say on the channels of its routing', providers: [] },
        told: [...ENDS_BEFORE_ROUTING, 'UNROUTABLE'],
      },
    ],
    [
      'UNROUTABLE',
      'no provider is configured for its channels',
      {
        sent: () => ({ to: reach(), ...by('webhook', 'push') }),
        says: { reason: 'NO_PROVIDERS', error: 'No provider is configured for webhook, push', providers: [] },
        told: [...ENDS_BEFORE_ROUTING, 'UNROUTABLE'],
      },
    ],
    [
      'UNROUTABLE',
      'no provider has what it needs of the profile',
      {
        sent: () => ({ to: { email: reach().email }, ...by('sms') }),
        says: {
          reason: 'NO_PROVIDERS',
          error: 'No provider can reach this recipient: sms needs profile.phone_number',
          providers: [],
        },
        told: [...ENDS_BEFORE_ROUTING, 'UNROUTABLE'],
      },
    ],
    [
      'UNROUTABLE',
      'its template is not published',
      {
        sent: async () => ({ to: reach(), content: undefined, template: await world.template({ isDraft: true }) }),
        says: { reason: 'UNPUBLISHED', error: expect.stringMatching(/^Template \S+ is not published$/) as string, providers: [] },
        told: ['ENQUEUED', 'MAPPED', 'PROFILE_LOADED', 'UNROUTABLE'],
      },
    ],
    [
      'UNDELIVERABLE',
      'its provider refuses the call',
      {
        sent: () => (world.sms.answer(400, { error: 'no credit' }), { to: reach(), ...by('sms') }),
        says: {
          reason: 'PROVIDER_ERROR',
          error: 'The receiver answered 400: no credit',
          providers: [
            {
              ...leaf('sms', 'http'),
              status: 'UNDELIVERABLE',
              error: 'The receiver answered 400: no credit',
              providerResponse: { status: 400, body: '{"error":"no credit"}' },
            },
          ],
        },
        told: [...TRIED, 'UNDELIVERABLE'],
      },
    ],
    [
      'UNDELIVERABLE',
      'its address is gone for good',
      {
        sent: () => (world.sms.answer(422, { cause: 'recipient', error: 'gone' }), { to: reach(), ...by('sms') }),
        says: { reason: 'BOUNCED', error: 'The receiver answered 422: gone' },
        told: [...TRIED, 'UNDELIVERABLE'],
      },
    ],
    [
      'UNDELIVERABLE',
      'it cannot be delivered for another reason: its window never opens',
      {
        sent: () => ({ to: reach(), delay: { until: `${inHalfAYear()}: 09:00-17:00` } }),
        says: { reason: 'FAILED', error: expect.stringContaining('within 90 days') as string, providers: [] },
        told: ['ENQUEUED', 'UNDELIVERABLE'],
      },
    ],
    [
      'FILTERED',
      'the conditions of all its channels are false',
      {
        sent: () => ({ to: reach(), ...byAll('email', 'sms'), channels: { email: { if: 'data.vip' }, sms: { if: 'false' } } }),
        says: { reason: 'FILTERED', error: 'The conditions of email, sms are not met', providers: [] },
        told: [...ENDS_BEFORE_ROUTING, 'FILTERED'],
      },
    ],
    [
      'FILTERED',
      'the condition of its provider is false',
      {
        sent: () => ({ to: reach(), ...by('email'), providers: { smtp: { if: 'false' } } }),
        says: { reason: 'FILTERED', error: 'The conditions of email are not met', providers: [] },
        told: [...ENDS_BEFORE_ROUTING, 'FILTERED'],
      },
    ],
    [
      'DELAYED',
      'its time has not come',
      {
        sent: () => ({ to: reach(), delay: { duration: HOUR_MS } }),
        says: { providers: [] },
        told: ['ENQUEUED', 'DELAYED'],
      },
    ],
  ];

  it.each(rows)('%s where %s', async (status, _when, { sent, says, told }) => {
    const message = (await sent()) as { to: { email: string } };
    const id = await world.send(message);
    const record = await world.once(status, id);
    await world.until(`${id} to be tried`, async () => (await world.told(id)).length >= told.length);
    expect(await world.told(id)).toEqual(told);
    const bounced = says.reason === 'BOUNCED' && { providers: record.providers };
    const mapped = says.reason === 'UNPUBLISHED' && { event: expect.any(String) as string, notification: expect.any(String) as string };
    expect(record).toEqual({
      id,
      status,
      enqueued: TIME,
      recipient: message.to.email,
      event: '',
      notification: '',
      ...mapped,
      ...says,
      ...bounced,
    });
  });
});
