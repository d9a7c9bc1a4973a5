import { randomBytes } from 'node:crypto';
import { Teardown } from '@tidings/runtime/teardown';
import { OtlpReceiver, type ReceivedSpan } from '@tidings/testing/otlp-receiver';
import { waitUntil } from '@tidings/testing/wait-until';
import { SendingFixture } from './testing/sending-fixture';
import { ENVIRONMENT } from './testing/shared-system';
import { System, usualTopology } from './testing/system';
import { tearDown } from './testing/tear-down';

const APPEND = 'append tidings.message-requests.v1';
/** Sends at once: enough that some are processed together. */
const SENDS = 60;
const SPAN = /^[0-9a-f]{16}$/;

/** A client's own span. */
function clientSpan(flags = '01') {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: 'other=1' } };
}

const named = (spans: readonly ReceivedSpan[], name: string) => spans.find((span) => span.name === name)!;

describe('a trace of the product', () => {
  const topology = usualTopology();
  /** Both formats, each with one of the topologies. */
  const protocol = topology === 'kafka' ? 'http/json' : 'http/protobuf';
  const teardown = new Teardown();
  const processOf = (app: string) => (topology === 'kafka' ? `tidings-${app}` : 'tidings-standalone');
  let collector: OtlpReceiver;
  let system: System;
  let fixture: SendingFixture;

  beforeAll(async () => {
    collector = await OtlpReceiver.start();
    teardown.add('the collector', () => collector.stop());
    const environment = {
      ...ENVIRONMENT,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      LOG_LEVEL: 'debug',
    };
    system = await System.start({ topology, environment });
    teardown.add('the product', () => system.stop());
    fixture = await SendingFixture.start(system);
    teardown.add('the workspace', () => fixture.end());
  });
  beforeEach(() => fixture.acceptTexts());
  afterAll(() => tearDown(teardown));

  /** Sends within a client's own span; resolves with it and the id. */
  async function send(message: object, client = clientSpan()) {
    const content = { title: 'Secret title', body: 'Secret body' };
    const { status, body } = await fixture.client.request<{ requestId: string }>('POST', '/send', {
      headers: client.headers,
      body: { message: { content, ...message } },
    });
    expect(status).toBe(202);
    return { ...client, id: body.requestId };
  }

  it('goes on from the client through the log to the provider, in the protocol that is set', async () => {
    const userId = await fixture.user();
    const { traceId, spanId, id } = await send({ to: { user_id: userId } });

    const spans = await collector.trace(traceId, ['POST /send', APPEND, 'route message', 'call provider smtp']);

    const [server, append, route, call] = ['POST /send', APPEND, 'route message', 'call provider smtp'].map((name) => named(spans, name));
    expect(server).toMatchObject({ service: processOf('gateway'), parentSpanId: spanId, attributes: { 'http.response.status_code': 202 } });
    expect(append).toMatchObject({ service: processOf('gateway'), parentSpanId: server!.spanId });
    expect(route).toMatchObject({
      service: processOf('messaging'),
      parentSpanId: append!.spanId,
      attributes: { 'tidings.message_id': id },
    });
    expect(call).toMatchObject({
      service: processOf('messaging'),
      parentSpanId: route!.spanId,
      attributes: { 'tidings.provider': 'smtp', 'tidings.attempt': 1, 'tidings.outcome': 'accepted' },
    });
    expect(new Set(spans.map(({ traceState }) => traceState))).toEqual(new Set(['other=1']));
    const [request] = collector.requests;
    expect(request).toMatchObject({
      url: '/v1/traces',
      contentType: protocol === 'http/json' ? 'application/json' : 'application/x-protobuf',
      authorization: 'Bearer of-the-collector',
    });
  });

  it('goes on through calls of services', async () => {
    const { traceId, headers } = clientSpan();
    await fixture.client.request('PUT', `/lists/${fixture.name('traced')}`, { headers, body: { name: 'Traced' } });

    const spans = await collector.trace(traceId, ['PUT /lists/:list_id', 'audience.lists.replace']);

    const calls = spans.filter(({ name }) => name === 'audience.lists.replace');
    const client = calls.find(({ parentSpanId }) => parentSpanId === named(spans, 'PUT /lists/:list_id').spanId)!;
    const [server] = await waitUntil(
      () => {
        const found = collector.ofTrace(traceId).filter(({ parentSpanId }) => parentSpanId === client.spanId);
        return found.length > 0 ? found : undefined;
      },
      { what: 'the span of the service' },
    );
    expect(client.service).toBe(processOf('gateway'));
    expect(server).toMatchObject({ name: 'audience.lists.replace', service: processOf('audience') });
  });

  it('has a span for each attempt, and for the route that follows', async () => {
    let calls = 0;
    fixture.sms.answering = (answer) => answer.writeHead(++calls === 1 ? 503 : 400).end();
    const to = { email: `${fixture.name('failover')}@example.com`, phone_number: fixture.phone };
    const { traceId } = await send({ to, routing: { method: 'single', channels: ['sms', 'email'] } });

    const spans = await collector.trace(traceId, ['fail over message', 'call provider smtp'], { timeoutMs: 90_000 });

    const attempts = spans
      .filter(({ name }) => name === 'call provider http')
      .map(({ attributes, isError }) => ({ ...attributes, isError }));
    expect(attempts).toEqual([
      expect.objectContaining({ 'tidings.attempt': 1, 'tidings.outcome': 'retry', isError: true }),
      expect.objectContaining({ 'tidings.attempt': 2, 'tidings.outcome': 'failed', isError: true }),
    ]);
    const failover = named(spans, 'fail over message');
    expect(failover.parentSpanId).toBe(named(spans, 'route message').spanId);
    expect(named(spans, 'call provider smtp').parentSpanId).toBe(failover.spanId);
  });

  it('has links between a batch and the messages that are processed together', async () => {
    const sent = await Promise.all(Array.from({ length: SENDS }, () => send({ to: { email: `${fixture.name('batch')}@example.com` } })));
    await Promise.all(sent.map(({ traceId }) => collector.trace(traceId, ['call provider smtp'])));

    const traces = new Set(sent.map(({ traceId }) => traceId));
    const batch = await waitUntil(
      () =>
        collector.spans.find(({ name, links }) => name === 'route batch' && links.filter((link) => traces.has(link.traceId)).length > 1),
      { what: 'the span of a batch' },
    );
    expect(traces.has(batch.traceId)).toBe(false);
    const { traceId } = batch.links[0]!;
    const route = named(collector.ofTrace(traceId), 'route message');
    expect(route.links).toEqual([{ traceId: batch.traceId, spanId: expect.stringMatching(SPAN) as string }]);
    expect(collector.spans.some(({ name, links }) => name === 'append batch' && links.length > 1)).toBe(true);
  });

  it('does not record what the client does not sample', async () => {
    const unsampled = await send({ to: { email: `${fixture.name('unsampled')}@example.com` } }, clientSpan('00'));
    await fixture.once('DELIVERED', unsampled.id);
    const sampled = await send({ to: { email: `${fixture.name('sampled')}@example.com` } });
    await collector.trace(sampled.traceId, ['call provider smtp']);

    expect(collector.ofTrace(unsampled.traceId)).toEqual([]);
  });

  it('is named in the lines of the log, and the access log has a line for each request', async () => {
    const { traceId, headers } = clientSpan();
    const { headers: answered } = await fixture.client.request('GET', '/lists', { headers });

    const requestId = answered.get('x-request-id')!;
    const line = await waitUntil(() => system.output.split('\n').find((one) => one.includes(requestId) && one.includes('Answered')), {
      what: 'the line of the request',
    });
    for (const part of [traceId, '/lists', '200', fixture.system.workspaceId]) expect(line).toContain(part);
  });

  it('has no address, no content and no secret', () => {
    const texts = collector.requests.map(({ text }) => text).join('\n');
    expect(collector.spans.length).toBeGreaterThan(SENDS);
    for (const part of ['@example.com', fixture.phone, 'Secret', fixture.client.key!]) expect(texts).not.toContain(part);
  });
});
