import { Logger } from '@nestjs/common';
import { send } from '@tidings/contracts/messaging/send';
import { OtlpReceiver } from '@tidings/testing/otlp-receiver';
import { waitUntil } from '@tidings/testing/wait-until';
import { startTracing } from '@tidings/tracing/start-tracing';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';
import { things } from '../testing/test-operations';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const HEADERS = { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, tracestate: 'other=1' };
const BATCH = { delayMs: 10, timeoutMs: 1_000, queueMax: 100, spansMax: 100 };

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

it('passes on the trace of its client where it does not trace', async () => {
  gateway = await startTestGateway();

  await gateway.request('/things/one', { headers: HEADERS });

  expect(gateway.client.callsOf(things.get)[0]!.context).toMatchObject(HEADERS);
});

describe('while tracing', () => {
  let collector: OtlpReceiver;
  let close: () => Promise<void>;
  beforeEach(async () => {
    collector = await OtlpReceiver.start();
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
    const settings = { protocol: 'http/json', sampler: 'parentbased_always_on', samplerRatio: 1, batch: BATCH } as const;
    ({ close } = startTracing(settings, { serviceName: 'tidings-gateway', version: '1', onError: () => undefined }));
    gateway = await startTestGateway();
  });
  afterEach(async () => {
    await close();
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    await collector.stop();
  });

  it('makes a span of a request, which its calls continue, named by its route', async () => {
    await gateway!.request('/things/secret-id', { headers: HEADERS });

    const [span] = await collector.trace(TRACE, ['GET /things/:thing_id']);
    expect(span).toMatchObject({ parentSpanId: 'b7ad6b7169203331', traceState: 'other=1', isError: false });
    expect(span!.attributes).toMatchObject({ 'http.route': '/things/:thing_id', 'http.response.status_code': 200 });
    expect(gateway!.client.callsOf(things.get)[0]!.context.traceparent).toBe(`00-${TRACE}-${span!.spanId}-01`);
    expect(collector.requests.map(({ text }) => text).join()).not.toContain('secret-id');
  });

  it('begins a trace for a request without one, and for one that nothing serves', async () => {
    const answers = await Promise.all([gateway!.request('/things/one'), gateway!.request('/nothing/secret-id')]);

    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    const spans = await waitUntil(() => {
      const found = ids.map((id) => collector.spans.find(({ attributes }) => attributes['tidings.request_id'] === id));
      return found.every(Boolean) ? found : undefined;
    });
    expect(spans.map((span) => [span!.name, span!.parentSpanId, span!.attributes['http.response.status_code']])).toEqual([
      ['GET /things/:thing_id', '', 200],
      ['GET', '', 404],
    ]);
  });
});

it('logs each request at debug if it is to, by its route', async () => {
  const lines: Record<string, unknown>[] = [];
  gateway = await startTestGateway({ logsRequests: true });
  const ignore = () => undefined;
  const capture = { log: ignore, error: ignore, warn: ignore, debug: (line: Record<string, unknown>) => void lines.push(line) };
  Logger.overrideLogger(capture);

  const answer = await gateway.request('/things/secret-id');
  const refused = await gateway.request(`/${send.accept.path!.slice(1)}`, { method: 'POST', body: '{}' });

  await waitUntil(() => lines.length === 2, { what: 'two lines' });
  const [line, other] = lines;
  const requestId = answer.headers.get('x-request-id');
  expect(line).toMatchObject({ message: 'Answered', method: 'GET', route: '/things/:thing_id', status: 200, requestId });
  expect(other).toMatchObject({ method: 'POST', route: '/send', status: refused.status });
  expect(JSON.stringify(lines)).not.toContain('secret-id');
});
