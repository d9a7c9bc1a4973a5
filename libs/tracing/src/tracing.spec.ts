import { OtlpReceiver } from '@tidings/testing/otlp-receiver';
import { currentIds, withIds, followWork } from './work-ids';
import type { TracingSettings } from './settings';
import { isTracing, startSpan, withSpan } from './spans';
import { startTracing } from './start-tracing';
import { isSampled, readTraceContext, traceIdOf } from './trace-context';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, tracestate: 'other=1' };
/** Spans are sent at the end only. */
const SETTINGS: TracingSettings = {
  protocol: 'http/protobuf',
  sampler: 'parentbased_always_on',
  samplerRatio: 1,
  batch: { delayMs: 600_000, timeoutMs: 10_000, queueMax: 2_048, spansMax: 512 },
};

let collector: OtlpReceiver;
beforeEach(async () => {
  collector = await OtlpReceiver.start();
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
});
afterEach(async () => {
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  delete process.env.OTEL_RESOURCE_ATTRIBUTES;
  await collector.stop();
});

const errors: Error[] = [];
const start = (settings: Partial<TracingSettings> = {}) =>
  startTracing({ ...SETTINGS, ...settings }, { serviceName: 'tidings-test', version: '1', onError: (error) => errors.push(error) });

describe('tracing', () => {
  it('makes no span when off, and loads no SDK', () => {
    expect(isTracing()).toBe(false);
    expect(startSpan({ name: 'one', kind: 'internal' })).toBeUndefined();
  });

  it.each(['http/protobuf', 'http/json'] as const)('sends what was recorded when it ends, over %s', async (protocol) => {
    const tracing = start({ protocol });
    const parent = startSpan({ name: 'one', kind: 'server', parent: PARENT, attributes: { text: 'a', number: 7, yes: true } })!;
    await withSpan({ name: 'two', kind: 'client', parent: parent.context, links: [PARENT] }, async () => undefined);
    parent.fail('internal');
    parent.end();
    expect(collector.spans).toEqual([]);

    await tracing.close();

    expect(isTracing()).toBe(false);
    const [two, one] = collector.spans;
    const own = { service: 'tidings-test', traceId: TRACE, traceState: 'other=1' };
    const attributes = { text: 'a', number: 7, yes: true, 'error.type': 'internal' };
    expect(one).toMatchObject({ ...own, name: 'one', parentSpanId: 'b7ad6b7169203331', isError: true, attributes, links: [] });
    const links = [{ traceId: TRACE, spanId: 'b7ad6b7169203331' }];
    expect(two).toMatchObject({ ...own, name: 'two', parentSpanId: one!.spanId, isError: false, links });
  });

  it('names its service after the settings, or the attributes of the resource', async () => {
    process.env.OTEL_RESOURCE_ATTRIBUTES = 'service.name=of-attributes';
    for (const serviceName of [undefined, 'of-settings']) {
      const tracing = start({ serviceName });
      startSpan({ name: 'one', kind: 'internal' })!.end();
      await tracing.close();
    }

    expect(collector.spans.map(({ service }) => service)).toEqual(['of-attributes', 'of-settings']);
  });

  it('records what its parent samples, and passes on what it does not record', async () => {
    const tracing = start({ sampler: 'parentbased_always_off' });
    const unsampled = { traceparent: PARENT.traceparent.replace(/01$/, '00') };
    const [kept, dropped, own] = [PARENT, unsampled, undefined].map((parent) => startSpan({ name: 'one', kind: 'internal', parent })!);
    for (const span of [kept, dropped, own]) span!.end();
    await tracing.close();

    expect([kept, dropped, own].map((span) => isSampled(span!.context))).toEqual([true, false, false]);
    expect(traceIdOf(dropped!.context)).toBe(TRACE);
    expect(collector.spans).toHaveLength(1);
  });

  it('bounds attributes and links, and names an error by its code', async () => {
    const tracing = start();
    const links = Array.from({ length: 500 }, () => PARENT);
    const failing = withSpan({ name: 'one', kind: 'internal', links, attributes: { text: 'x'.repeat(1_000) } }, () =>
      Promise.reject(Object.assign(new Error('secret text'), { code: 'unavailable' })),
    );
    await expect(failing).rejects.toThrow('secret text');
    await tracing.close();

    const [span] = collector.spans;
    expect(span!.links).toHaveLength(128);
    expect(span!.attributes).toEqual({ text: 'x'.repeat(256), 'error.type': 'unavailable' });
    expect(collector.requests[0]!.text).not.toContain('secret');
  });

  it('reports a collector that refuses', async () => {
    collector.status = 400;
    const tracing = start();
    startSpan({ name: 'one', kind: 'internal' })!.end();
    await tracing.close();

    expect(errors.length).toBeGreaterThan(0);
  });
});

describe('a trace context', () => {
  it('is read from headers that have one', () => {
    expect(readTraceContext(PARENT.traceparent, PARENT.tracestate)).toEqual(PARENT);
    expect(readTraceContext(PARENT.traceparent, 'x'.repeat(513))).toEqual({ traceparent: PARENT.traceparent });
    expect(readTraceContext(PARENT.traceparent, 'line\nbreak')).toEqual({ traceparent: PARENT.traceparent });
    for (const unfit of [undefined, '', 'x'.repeat(55), `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, `ff${PARENT.traceparent.slice(2)}`])
      expect(readTraceContext(unfit)).toBeUndefined();
  });
});

describe('the ids of the work at hand', () => {
  beforeAll(() => followWork());

  it('are there in what it calls and awaits, and not in what it leaves running', async () => {
    let leave!: () => void;
    const left = new Promise<void>((resolve) => (leave = resolve));
    let after: Promise<unknown> | undefined;
    const seen = await withIds({ requestId: 'r1', workspaceId: 'w' }, async () => {
      after = left.then(() => currentIds());
      await new Promise(setImmediate);
      return withIds({ messageId: 'm1' }, async () => currentIds());
    });
    leave();

    expect(seen).toEqual({ requestId: 'r1', workspaceId: 'w', messageId: 'm1' });
    expect(await after).toBeUndefined();
    expect(currentIds()).toBeUndefined();
  });

  it('end with work that fails', async () => {
    expect(() =>
      withIds({ requestId: 'r1' }, () => {
        throw new Error('oh');
      }),
    ).toThrow('oh');
    await expect(withIds({ requestId: 'r1' }, () => Promise.reject(new Error('later')))).rejects.toThrow('later');
    expect(currentIds()).toBeUndefined();
  });
});
