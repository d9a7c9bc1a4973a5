import type { TracingSettings } from '@tidings/tracing/settings';
import type { Values } from './environment-table';

/** How the process traces, by the standard variables of OpenTelemetry; undefined: not at all. */
export function toTracing(values: Values): TracingSettings | undefined {
  const isSet = Boolean(values.OTEL_EXPORTER_OTLP_ENDPOINT ?? values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
  const exporter = values.OTEL_TRACES_EXPORTER ?? (isSet ? 'otlp' : 'none');
  if (exporter === 'none' || values.OTEL_SDK_DISABLED === 'true') return undefined;
  return {
    protocol: values.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? values.OTEL_EXPORTER_OTLP_PROTOCOL!,
    headers: { ...values.OTEL_EXPORTER_OTLP_HEADERS, ...values.OTEL_EXPORTER_OTLP_TRACES_HEADERS },
    serviceName: values.OTEL_SERVICE_NAME,
    sampler: values.OTEL_TRACES_SAMPLER!,
    samplerRatio: values.OTEL_TRACES_SAMPLER_ARG!,
    batch: {
      delayMs: values.OTEL_BSP_SCHEDULE_DELAY!,
      timeoutMs: values.OTEL_BSP_EXPORT_TIMEOUT!,
      queueMax: values.OTEL_BSP_MAX_QUEUE_SIZE!,
      spansMax: values.OTEL_BSP_MAX_EXPORT_BATCH_SIZE!,
    },
  };
}
