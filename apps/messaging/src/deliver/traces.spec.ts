import { messageRequested } from '@tidings/contracts/messaging/events';
import { messages } from '@tidings/contracts/messaging/messages';
import { requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import { providers } from '@tidings/contracts/messaging/providers';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { OtlpReceiver } from '@tidings/testing/otlp-receiver';
import { startTracing, type Tracing } from '@tidings/tracing/start-tracing';
import { Messaging } from '../testing/start-messaging';

import '@tidings/testing/quiet';

const PROFILE = { email: 'ada@example.com', phone_number: '+4915123456789' };
const BATCH = { delayMs: 20, timeoutMs: 5_000, queueMax: 2_048, spansMax: 512 };

describe('a traced message', () => {
  let messaging: Messaging;
  let sms: CapturingHttp;
  let collector: OtlpReceiver;
  let tracing: Tracing;
  let traces = 0;

  beforeAll(async () => {
    collector = await OtlpReceiver.start();
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
    const settings = { protocol: 'http/protobuf', sampler: 'parentbased_always_on', samplerRatio: 1, batch: BATCH } as const;
    tracing = startTracing(settings, { serviceName: 'tidings-messaging', version: '1', onError: () => undefined });
    messaging = await Messaging.create();
    await messaging.start();
    sms = await CapturingHttp.start();
    const settingsOfSms = { channel: 'sms', url: sms.url, secret: 'a secret of some length' };
    await messaging.call(providers.create, { provider: 'http', alias: 'texts', settings: settingsOfSms });
  });
  afterAll(async () => {
    await messaging?.end();
    await sms?.stop();
    await tracing?.close();
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    await collector?.stop();
  });

  /** Appends a send to the text channel within a trace. */
  async function send(flags: string) {
    const traceId = String(++traces).padStart(32, '0');
    const payload = messaging.request({ profile: PROFILE, routing: { method: 'single', channels: ['sms'] } });
    const trace = { traceparent: `00-${traceId}-b7ad6b7169203331-${flags}` };
    await messaging.log.append(messageRequested, [{ id: payload.id, payload }], { trace });
    return { id: payload.id, traceId };
  }

  const storedTrace = async (id: string) => {
    const text = `select events from messaging.history where message_id = $1 order by number`;
    const rows = await messaging.rows<{ events: { type: string; send?: { trace?: object } }[] }>(text, [requireMessageUuid(id)]);
    return rows.flatMap(({ events }) => events).find(({ type }) => type === 'ENQUEUED')?.send?.trace;
  };

  it('goes on in another process that retries it, and shows its trace to no client', async () => {
    sms.answer(503);
    const { id, traceId } = await send('01');
    await collector.trace(traceId, ['route message', 'call provider http']);
    await messaging.stop();
    sms.answer(200, { id: 'accepted' });
    await messaging.start();
    await messaging.waitForStatus(id, 'SENT');

    const spans = await collector.trace(traceId, ['route message'], {}).then(() => collector.ofTrace(traceId));
    const route = spans.find(({ name }) => name === 'route message')!;
    const calls = spans.filter(({ name }) => name === 'call provider http');
    expect(calls.length).toBeGreaterThan(1);
    expect(new Set(calls.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([route.spanId]));
    expect(calls[0]!.attributes).toMatchObject({ 'tidings.attempt': 1, 'tidings.outcome': 'retry', 'tidings.message_id': id });
    expect(await storedTrace(id)).toEqual({ traceparent: `00-${traceId}-${route.spanId}-01` });
    const { results } = await messaging.call(messages.history, { message_id: id });
    expect(JSON.stringify(results)).not.toContain(traceId);
  });

  it('stores nothing of a trace that is not sampled, and has no span', async () => {
    sms.answer(200, { id: 'accepted' });
    const { id, traceId } = await send('00');
    await messaging.waitForStatus(id, 'SENT');
    const sampled = await send('01');
    await collector.trace(sampled.traceId, ['call provider http']);

    expect(await storedTrace(id)).toBeUndefined();
    expect(collector.ofTrace(traceId)).toEqual([]);
  });
});
