import '@tidings/testing/quiet';
import { Logger } from '@nestjs/common';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { type MessageDetails, messages } from '@tidings/contracts/messaging/messages';
import { type Provider, providers } from '@tidings/contracts/messaging/providers';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging, POLLING_OFTEN } from '../testing/start-messaging';
const SECRET = 'a secret of some length';
const AT_ONCE = 15;
const SHORT_MS = 2_000;
/** Less than the time to the next slot of the slow provider. */
const MINUTE_MS = 60_000;

describe('a provider that must not be called now', () => {
  let messaging: Messaging;
  let receiver: CapturingHttp;
  let down: Provider;
  let slow: Provider;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start('', { workTimes: POLLING_OFTEN });
    receiver = await CapturingHttp.start();
    down = await configure('down');
    slow = await configure('slow', { rate_limit: { rate: 1, period: 'hour' } });
    await configure('free');
  });

  beforeEach(() => {
    receiver.received.length = 0;
    receiver.answer(200);
  });

  afterAll(async () => {
    await messaging.end();
    await receiver.stop();
  });

  const configure = (alias: string, more: object = {}) =>
    messaging.call(providers.create, { provider: 'http', alias, settings: { channel: 'sms', url: receiver.url, secret: SECRET, ...more } });
  const by = (...channels: string[]) => ({ profile: { phone_number: '+49151' }, routing: { method: 'single' as const, channels } });
  const send = async (request: Partial<MessageRequested>): Promise<string> => (await messaging.send(request))[0]!;
  const record = (id: string) => messaging.call(messages.retrieve, { message_id: id });

  it('fails messages at their time limit while its breaker is open, with the last answer of those that were called', async () => {
    receiver.answer(503, { error: 'boom' });
    const warnings = jest.spyOn(Logger.prototype, 'warn');
    const error = 'Provider down (http) failed so often that it is not called for a while';
    const configuration = { provider: 'http', configuration_id: down.id, alias: 'down' };
    const waiting: MessageDetails[] = [];
    const ended: MessageDetails[] = [];
    const wasCalled = ({ attempts = 0 }: { attempts?: number }): boolean => attempts > 0;
    await waitUntil(
      async () => {
        const ids = await messaging.send(...Array.from({ length: AT_ONCE }, () => ({ ...by('down'), timeouts: { messageMs: SHORT_MS } })));
        for (const id of ids) {
          await waitUntil(async () => {
            const one = await record(id);
            if (one.status === 'ROUTED' && one.providers![0]?.error?.startsWith(error)) waiting.push(one);
            if (one.status === 'UNDELIVERABLE') ended.push(one);
            return one.status === 'UNDELIVERABLE';
          });
        }
        return (
          ended.some((one) => one.error === error) &&
          ended.some((one) => one.error?.startsWith(`${error}; the `)) &&
          waiting.some(({ providers }) => wasCalled(providers![0]!))
        );
      },
      { what: 'messages that waited for their provider', timeoutMs: 60_000 },
    );

    const [route] = waiting.map(({ providers }) => providers![0]!).filter(wasCalled);
    const why = /not called for a while; the (only attempt|last of \d+ attempts): The receiver answered 503: boom$/;
    const response = { status: 503, body: '{"error":"boom"}' };
    const called = { ...configuration, error: expect.stringMatching(why) as string, providerResponse: response };
    expect(route).toMatchObject({ ...called, next_attempt: expect.any(Number) as number });
    expect(route).not.toHaveProperty('status');
    const last = ended.find((one) => one.error?.startsWith(`${error}; the `))!;
    expect(last.providers).toMatchObject([{ ...called, status: 'UNDELIVERABLE', error: last.error }]);
    expect(wasCalled(last.providers![0]!)).toBe(true);
    const { results } = await messaging.call(messages.history, { message_id: last.id, type: 'UNDELIVERABLE' });
    expect(results).toMatchObject([{ error_message: last.error }]);
    expect(ended.find((one) => one.error === error)!.providers).toMatchObject([{ ...configuration, attempts: 0 }]);
    const logged = { provider: 'http', configurationId: down.id, alias: 'down', messageId: expect.any(String) as string };
    expect(warnings.mock.calls.map(([line]) => line as unknown)).toContainEqual(expect.objectContaining(logged));
    warnings.mockRestore();
  });

  it('is skipped for the next route when its rate is used up; without one the message fails at its time limit', async () => {
    await messaging.waitForStatus(await send(by('slow')), 'SENT');

    const another = await send(by('slow', 'free'));
    await messaging.waitForStatus(another, 'SENT');
    const error = 'Provider slow (http) has no free slot in time: its rate_limit is used up';
    expect((await record(another)).providers).toMatchObject([{ status: 'UNDELIVERABLE', error }, { status: 'SENT' }]);
    const { results } = await messaging.call(messages.history, { message_id: another, type: 'DELIVERING' });
    expect(results).toHaveLength(1); // of the provider that was called

    const hurried = await send({ ...by('slow'), timeouts: { messageMs: MINUTE_MS } });
    await messaging.waitForStatus(hurried, 'UNDELIVERABLE');
    expect(await record(hurried)).toMatchObject({ reason: 'PROVIDER_ERROR', error });
  });

  it('keeps messages waiting for their slots when its rate is used up', async () => {
    const id = await send(by('slow'));

    const [row] = await waitUntil(
      async () => {
        const rows = await messaging.rows<{ wait_ms: number }>(
          'select (extract(epoch from due_at - clock_timestamp()) * 1000)::float8 as wait_ms from messaging.deliveries where has_slot',
        );
        return rows.length > 0 ? rows : undefined;
      },
      { what: 'a reserved slot' },
    );
    expect(row!.wait_ms).toBeLessThan(3_600_000); // the next slot: earlier messages reserved none that they did not use
    expect(await record(id)).toMatchObject({
      status: 'ROUTED',
      providers: [{ configuration_id: slow.id, alias: 'slow', attempts: 0, next_attempt: expect.any(Number) as number }],
    });

    // A new limit voids the slots reserved under the old one.
    await messaging.call(providers.change, { id: slow.id, settings: { rate_limit: null } });
    await messaging.waitForStatus(id, 'SENT');
  });

  it('is cut off when its retry window ends, and the next route is used', async () => {
    let wasCut = false;
    receiver.answering = (answer, { url }) =>
      url === '/silent' ? void answer.once('close', () => (wasCut = true)) : void answer.writeHead(200).end();
    const providersOfSend = { free: { override: { url: `${new URL(receiver.url).origin}/silent` } } };

    const id = await send({
      ...by('free', 'email'),
      profile: { phone_number: '+49151', email: 'soon@example.com' },
      providers: providersOfSend,
      timeouts: { providerMs: SHORT_MS },
    });
    await messaging.waitForStatus(id, 'DELIVERED');

    await waitUntil(() => wasCut, { what: 'the call to be cut off' });
    const [silent, next] = (await record(id)).providers!;
    expect([silent!.status, next!.status]).toEqual(['UNDELIVERABLE', 'DELIVERED']);
    const [, restMs] = /did not answer within (\d+) ms, the rest of its retry window/.exec(silent!.error!)!;
    expect(Number(restMs)).toBeLessThanOrEqual(SHORT_MS);
  });
});
