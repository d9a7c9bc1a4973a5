import '@tidings/testing/quiet';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { messages } from '@tidings/contracts/messaging/messages';
import { type Provider, providers } from '@tidings/contracts/messaging/providers';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../testing/start-messaging';

/** Failures that open the breaker. */
const FAILURES = 10;
const HOUR_S = 3_600;
/** Time limit of messages: longer than a message needs to its call on a busy machine. */
const LIMIT_MS = 2_000;
const SETTINGS = { channel: 'sms', secret: 'a secret of some length' };

describe('while the breaker of a provider is open', () => {
  let messaging: Messaging;
  let receiver: CapturingHttp;
  let provider: Provider;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
    receiver = await CapturingHttp.start();
    receiver.answer(429, {}, { 'retry-after': String(HOUR_S) });
    provider = await messaging.call(providers.create, { provider: 'http', settings: { ...SETTINGS, url: receiver.url } });
    await waitUntil(async () => {
      await send();
      return receiver.received.length >= FAILURES;
    });
  });

  afterAll(async () => {
    await messaging.end();
    await receiver.stop();
  });

  const send = async (request: Partial<MessageRequested> = {}): Promise<string> =>
    (await messaging.send({ profile: { phone_number: '+49151' }, routing: { method: 'single', channels: ['sms'] }, ...request }))[0]!;
  /** Resolves when the message is sent or has failed. */
  const sendToEnd = async (): Promise<string> => {
    const id = await send({ timeouts: { messageMs: LIMIT_MS } });
    await waitUntil(async () => ['SENT', 'UNDELIVERABLE'].includes(await messaging.statusOf(id)));
    return id;
  };
  const record = (id: string) => messaging.call(messages.retrieve, { message_id: id });

  it('fails a message at its time limit with the reason', async () => {
    // Once the last of the failures is recorded.
    const id = await waitUntil(async () => {
      const one = await sendToEnd();
      return (await record(one)).error?.startsWith('Provider http failed so often') ? one : undefined;
    });

    expect(await record(id)).toMatchObject({ status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR' });
    expect(await messaging.historyTypes(id)).not.toContain('DELIVERING');
    expect(receiver.received.map(({ headers }) => headers['x-courier-message-id'])).not.toContain(id);
  });

  it('calls the provider again at once after a change of its configuration, whatever its Retry-After was', async () => {
    receiver.answer(200, { id: 'accepted' });
    await messaging.call(providers.change, { id: provider.id, settings: { url: `${receiver.url}/corrected`, secret: SETTINGS.secret } });
    const before = receiver.received.length;

    await waitUntil(async () => (await messaging.statusOf(await sendToEnd())) === 'SENT', { what: 'the change to take effect' });

    expect(receiver.received.slice(before).map(({ url }) => url)).toContain('/hook/corrected');
  });
});
