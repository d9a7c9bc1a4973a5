import { SendingFixture } from './testing/sending-fixture';
const HOUR_MS = 3_600_000;
const TIME = expect.any(Number) as number;

let fixture: SendingFixture;
beforeAll(async () => {
  fixture = await SendingFixture.start();
});
beforeEach(() => fixture.acceptTexts());
afterAll(() => fixture?.end());

const by = (...channels: string[]): object => ({ routing: { method: 'single', channels } });
const byAll = (...channels: string[]): object => ({ routing: { method: 'all', channels } });
const reach = (): { email: string; phone_number: string } => ({
  email: `${fixture.name('status')}@example.com`,
  phone_number: fixture.newPhone(),
});

/** A day in the format of delivery windows: `May 5`. */
function inHalfAYear(): string {
  const day = new Date(Date.now() + 180 * 24 * HOUR_MS);
  return `${day.toLocaleString('en', { month: 'short', timeZone: 'UTC' })} ${day.getUTCDate()}`;
}

interface Row {
  /** The message to send, after the setup of the receivers. */
  readonly sent: () => object | Promise<object>;
  /** Fields of the record beside its id, times and recipient. */
  readonly expected: Record<string, unknown>;
  /** Types of the history, in order. */
  readonly history: readonly string[];
}
const ENDS_BEFORE_ROUTING = ['ENQUEUED', 'PROFILE_LOADED'];
const TRIED = [...ENDS_BEFORE_ROUTING, 'ROUTED', 'RENDERED', 'DELIVERING'];
/** The entry of a route by the receiver of text messages, which was called once. */
const byReceiver = () => ({
  channel: { key: 'sms', template: '' },
  provider: 'http',
  configuration_id: expect.stringMatching(/^prv_/) as string,
  alias: 'texts',
  attempts: 1,
});

describe('a message is', () => {
  const rows: [status: string, when: string, row: Row][] = [
    [
      'ROUTED',
      'its channel is decided, and its provider not yet reached',
      {
        sent: () => (fixture.sms.answer(503), { to: reach(), ...by('sms') }),
        expected: { providers: [expect.objectContaining({ ...byReceiver(), attempts: TIME })] },
        history: TRIED,
      },
    ],
    [
      'SENT',
      'a provider accepted it without a confirmed delivery',
      {
        sent: () => ({ to: reach(), ...by('sms') }),
        expected: {
          sent: TIME,
          providers: [
            {
              ...byReceiver(),
              status: 'SENT',
              sent: TIME,
              reference: { id: 'accepted' },
              providerResponse: { status: 200, body: '{"id":"accepted"}' },
            },
          ],
        },
        history: [...TRIED, 'SENT'],
      },
    ],
    [
      'DELIVERED',
      'the provider confirms it',
      {
        sent: () => (fixture.sms.answer(200, { id: 'there', delivered: true }), { to: reach(), ...by('sms') }),
        expected: {
          sent: TIME,
          delivered: TIME,
          providers: [
            {
              ...byReceiver(),
              status: 'DELIVERED',
              sent: TIME,
              delivered: TIME,
              reference: { id: 'there' },
              providerResponse: { status: 200, body: '{"id":"there","delivered":true}' },
            },
          ],
        },
        history: [...TRIED, 'SENT', 'DELIVERED'],
      },
    ],
    [
      'UNMAPPED',
      'there is no such template or event',
      {
        sent: () => ({ to: reach(), content: undefined, template: 'nothing-of-the-kind' }),
        expected: {
          event: 'nothing-of-the-kind',
          error:
            'No notification template "nothing-of-the-kind" exists, nor an event mapping from "nothing-of-the-kind" to an existing one',
          providers: [],
        },
        history: ['ENQUEUED', 'UNMAPPED'],
      },
    ],
    [
      'UNROUTABLE',
      'its content is empty on every channel of its routing',
      {
        sent: () => {
          const elements = [{ type: 'channel', channel: 'push', elements: [{ type: 'text', content: 'Only there' }] }];
          return { to: reach(), ...by('email'), content: { version: '2022-01-01', elements } };
        },
        expected: { reason: 'NO_CHANNELS', error: 'The content is empty on the channels of its routing', providers: [] },
        history: [...ENDS_BEFORE_ROUTING, 'UNROUTABLE'],
      },
    ],
    [
      'UNROUTABLE',
      'no provider is configured for its channels',
      {
        sent: () => ({ to: reach(), ...by('webhook', 'push') }),
        expected: { reason: 'NO_PROVIDERS', error: 'No provider is configured for webhook, push', providers: [] },
        history: [...ENDS_BEFORE_ROUTING, 'UNROUTABLE'],
      },
    ],
    [
      'UNROUTABLE',
      'no provider has what it needs of the profile',
      {
        sent: () => ({ to: { email: reach().email }, ...by('sms') }),
        expected: {
          reason: 'NO_PROVIDERS',
          error: 'No provider can reach this recipient: sms needs profile.phone_number, a number of 5 to 15 digits',
          providers: [],
        },
        history: [...ENDS_BEFORE_ROUTING, 'UNROUTABLE'],
      },
    ],
    [
      'UNROUTABLE',
      'its template is not published',
      {
        sent: async () => ({ to: reach(), content: undefined, template: await fixture.template({ isDraft: true }) }),
        expected: { reason: 'UNPUBLISHED', error: expect.stringMatching(/^Template \S+ is not published$/) as string, providers: [] },
        history: ['ENQUEUED', 'MAPPED', 'PROFILE_LOADED', 'UNROUTABLE'],
      },
    ],
    [
      'UNDELIVERABLE',
      'its provider refuses the call',
      {
        sent: () => (fixture.sms.answer(400, { error: 'no credit' }), { to: reach(), ...by('sms') }),
        expected: {
          reason: 'PROVIDER_ERROR',
          error: 'The receiver answered 400: no credit',
          providers: [
            {
              ...byReceiver(),
              status: 'UNDELIVERABLE',
              error: 'The receiver answered 400: no credit',
              providerResponse: { status: 400, body: '{"error":"no credit"}' },
            },
          ],
        },
        history: [...TRIED, 'UNDELIVERABLE'],
      },
    ],
    [
      'UNDELIVERABLE',
      'its address does not exist any more',
      {
        sent: () => (fixture.sms.answer(422, { cause: 'recipient', error: 'unknown' }), { to: reach(), ...by('sms') }),
        expected: { reason: 'BOUNCED', error: 'The receiver answered 422: unknown' },
        history: [...TRIED, 'UNDELIVERABLE'],
      },
    ],
    [
      'UNDELIVERABLE',
      'it cannot be delivered for another reason: its window never opens',
      {
        sent: () => ({ to: reach(), delay: { until: `${inHalfAYear()}: 09:00-17:00` } }),
        expected: { reason: 'FAILED', error: expect.stringContaining('within 90 days') as string, providers: [] },
        history: ['ENQUEUED', 'UNDELIVERABLE'],
      },
    ],
    [
      'FILTERED',
      'the conditions of all its channels are false',
      {
        sent: () => ({ to: reach(), ...byAll('email', 'sms'), channels: { email: { if: 'data.vip' }, sms: { if: 'false' } } }),
        expected: { reason: 'FILTERED', error: 'The conditions of email, sms are not met', providers: [] },
        history: [...ENDS_BEFORE_ROUTING, 'FILTERED'],
      },
    ],
    [
      'FILTERED',
      'the condition of its provider is false',
      {
        sent: () => ({ to: reach(), ...by('email'), providers: { smtp: { if: 'false' } } }),
        expected: { reason: 'FILTERED', error: 'The conditions of email are not met', providers: [] },
        history: [...ENDS_BEFORE_ROUTING, 'FILTERED'],
      },
    ],
    [
      'DELAYED',
      'its time has not come',
      {
        sent: () => ({ to: reach(), delay: { duration: HOUR_MS } }),
        expected: { providers: [] },
        history: ['ENQUEUED', 'DELAYED'],
      },
    ],
  ];

  it.each(rows)('%s when %s', async (status, _when, { sent, expected, history }) => {
    const message = (await sent()) as { to: { email: string } };
    const id = await fixture.send(message);
    const record = await fixture.once(status, id);
    await fixture.until(`${id} to be tried`, async () => (await fixture.historyTypes(id)).length >= history.length);
    expect(await fixture.historyTypes(id)).toEqual(history);
    const bounced = expected.reason === 'BOUNCED' && { providers: record.providers };
    const mapped = expected.reason === 'UNPUBLISHED' && { event: expect.any(String) as string, notification: expect.any(String) as string };
    expect(record).toEqual({
      id,
      status,
      enqueued: TIME,
      recipient: message.to.email,
      event: '',
      notification: '',
      ...mapped,
      ...expected,
      ...bounced,
    });
  });
});

it.each([
  ['texts', { title: '', body: '' }, 'message.content shows nothing'],
  ['elements', { version: '2022-01-01', elements: [] }, 'message.content.elements must have one element at least'],
])('content without %s is refused', async (_, content, error) => {
  const answer = await fixture.client.request('POST', '/send', { body: { message: { to: reach(), content } } });
  expect(answer).toMatchObject({ status: 400, body: { type: 'invalid_request_error' } });
  expect((answer.body as { message: string }).message).toContain(error);
});

it('a missing variable fails the channels of a template that requires its variables, and the next route is tried', async () => {
  const channel = (name: string, content: string) => ({ type: 'channel', channel: name, elements: [{ type: 'text', content }] });
  const content = { version: '2022-01-01', elements: [channel('email', 'Order {order}'), channel('sms', 'Shipped')] };
  const template = await fixture.template({ content, throw_on_missing_variable: true });

  const id = await fixture.send({ to: reach(), content: undefined, template, ...by('email', 'sms') });

  expect((await fixture.once('SENT', id)).providers).toMatchObject([
    { channel: { key: 'email' }, provider: 'smtp', status: 'UNDELIVERABLE', error: 'Variable not found: order' },
    { channel: { key: 'sms' }, status: 'SENT' },
  ]);
});
