import {
  type Attributes,
  ROOT_CONTEXT,
  type SpanContext,
  type Span as ApiSpan,
  SpanKind as ApiKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent, setGlobalErrorHandler, TraceState } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TracerProvider,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import { randomUUID } from 'node:crypto';
import type { TracingSettings } from './settings';
import { LINKS_MAX, type Span, type SpanAttributes, type SpanKind, type SpanStart, type SpanStarter } from './spans';
import type { TraceContext, Traced } from './trace-context';

/** Bounds of what a span holds, whatever its maker passes. */
const LIMITS = { attributeValueLengthLimit: 256, attributeCountLimit: 32, linkCountLimit: LINKS_MAX, eventCountLimit: 16 };

const KINDS: Readonly<Record<SpanKind, ApiKind>> = {
  internal: ApiKind.INTERNAL,
  server: ApiKind.SERVER,
  client: ApiKind.CLIENT,
  producer: ApiKind.PRODUCER,
  consumer: ApiKind.CONSUMER,
};

/** OpenTelemetry's SDK in this process: makes spans, and sends them to a collector. */
export interface Sdk {
  readonly start: SpanStarter;
  /** Sends what is recorded, and ends. Never rejects. */
  close(): Promise<void>;
}

/** Of the process whose spans these are. */
export interface TracedProcess {
  /** `service.name`, unless the settings name another. */
  readonly serviceName: string;
  readonly version: string;
  /** Called with every failure to send. */
  onError(error: Error): void;
}

/** The SDK with these settings; endpoint, timeouts, compression and certificates are read by its exporter from `OTEL_EXPORTER_OTLP_*`. */
export function openSdk(settings: TracingSettings, { serviceName, version, onError }: TracedProcess): Sdk {
  setGlobalErrorHandler((error) => onError(error instanceof Error ? error : new Error('Sending spans failed')));
  const { headers, batch } = settings;
  const exporter = settings.protocol === 'http/json' ? new JsonExporter({ headers }) : new ProtobufExporter({ headers });
  const own = resourceFromAttributes({ 'service.name': serviceName, 'service.version': version, 'service.instance.id': randomUUID() });
  const named = settings.serviceName === undefined ? {} : { 'service.name': settings.serviceName };
  const provider = new TracerProvider({
    // `OTEL_RESOURCE_ATTRIBUTES` may name everything anew, and `OTEL_SERVICE_NAME` wins.
    resource: own.merge(detectResources({ detectors: [envDetector] })).merge(resourceFromAttributes(named)),
    sampler: samplerOf(settings),
    spanLimits: LIMITS,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: batch.delayMs,
        exportTimeoutMillis: batch.timeoutMs,
        maxQueueSize: batch.queueMax,
        maxExportBatchSize: Math.min(batch.spansMax, batch.queueMax),
      }),
    ],
  });
  const tracer = provider.getTracer('tidings', version);
  return {
    start({ name, kind, parent, attributes, links }: SpanStart) {
      const cause = parent && toSpanContext(parent);
      const context = cause ? trace.setSpanContext(ROOT_CONTEXT, cause) : ROOT_CONTEXT;
      const linked = links?.slice(0, LINKS_MAX).flatMap((link) => toSpanContext(link) ?? []);
      const options = {
        kind: KINDS[kind],
        attributes: attributes as Attributes,
        links: linked?.map((one) => ({ context: one })),
        root: !cause,
      };
      return new SdkSpan(tracer.startSpan(name, options, context));
    },
    close: () => provider.shutdown().catch(onError),
  };
}

function samplerOf({ sampler, samplerRatio }: TracingSettings): Sampler {
  const [, isParentBased, name] = /^(parentbased_)?(.*)$/.exec(sampler)!;
  const root =
    name === 'traceidratio'
      ? new TraceIdRatioBasedSampler(samplerRatio)
      : name === 'always_on'
        ? new AlwaysOnSampler()
        : new AlwaysOffSampler();
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

class SdkSpan implements Span {
  readonly context: TraceContext;

  constructor(private readonly span: ApiSpan) {
    const { traceId, spanId, traceFlags, traceState } = span.spanContext();
    const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
    const tracestate = traceState?.serialize();
    this.context = tracestate ? { traceparent, tracestate } : { traceparent };
  }

  set(attributes: SpanAttributes) {
    this.span.setAttributes(attributes);
  }

  fail(type: string) {
    this.span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
  }

  end() {
    this.span.end();
  }
}

/** `undefined` for a context that cannot be read. */
function toSpanContext({ traceparent, tracestate }: Traced): SpanContext | undefined {
  const parsed = traceparent === undefined ? null : parseTraceParent(traceparent);
  if (!parsed) return undefined;
  return { ...parsed, isRemote: true, ...(tracestate !== undefined && { traceState: new TraceState(tracestate) }) };
}
