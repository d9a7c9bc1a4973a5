import { PROTOCOLS, SAMPLERS } from '@tidings/tracing/settings';
import { ALL, type Variable } from './environment-variable';
import { keyValues, nonNegativeInteger, oneOf, positiveInteger, ratio, readableFile, text, webUrl } from './environment-values';

/** A variable of OpenTelemetry; every process that runs until it is stopped reads it. */
function otel<Value, Rest extends Omit<Variable<Value>, 'readBy' | 'parse'>>(parse: (text: string) => Value, rest: Rest) {
  return { parse, readBy: ALL, ...rest };
}

const ENDPOINT_EXAMPLE = '`http://collector:4318`';

/** OpenTelemetry's own variables, as far as they are read: docs/tracing.md. */
export const OTEL_VARIABLES = {
  OTEL_SDK_DISABLED: otel(oneOf(['true', 'false']), { default: 'false', description: '`true` turns tracing off, whatever else is set' }),
  OTEL_TRACES_EXPORTER: otel(oneOf(['otlp', 'none']), {
    absent: '`otlp` if an endpoint is set, else `none`',
    description: '`otlp` sends spans to a collector, by default at `http://localhost:4318`; `none` records none',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: otel(webUrl, {
    absent: 'none: nothing is traced',
    description: `URL of the collector, ${ENDPOINT_EXAMPLE}; spans go to \`/v1/traces\` below it`,
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: otel(webUrl, {
    absent: 'as `OTEL_EXPORTER_OTLP_ENDPOINT`',
    description: 'Whole URL for spans alone, `http://collector:4318/v1/traces`',
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: otel(oneOf(PROTOCOLS), {
    default: 'http/protobuf',
    description: '`http/protobuf` or `http/json`; gRPC is not supported',
  }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: otel(oneOf(PROTOCOLS), {
    absent: 'as `OTEL_EXPORTER_OTLP_PROTOCOL`',
    description: 'Protocol for spans alone',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: otel(keyValues, {
    absent: 'none',
    secret: true,
    description: 'Headers for the collector, `name=value` separated by commas, values percent-encoded',
  }),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: otel(keyValues, {
    absent: 'as `OTEL_EXPORTER_OTLP_HEADERS`',
    secret: true,
    description: 'Headers for spans alone, beside those',
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: otel(positiveInteger, {
    default: '10000',
    description: 'Longest time of one request to the collector, in ms',
  }),
  OTEL_EXPORTER_OTLP_COMPRESSION: otel(oneOf(['gzip', 'none']), { default: 'none', description: '`gzip` or `none`' }),
  OTEL_EXPORTER_OTLP_CERTIFICATE: otel(readableFile, {
    absent: 'the CA certificates of Node.js',
    description: 'PEM file with the CA certificates of the collector',
  }),
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: otel(readableFile, {
    absent: 'no client certificate',
    needs: ['OTEL_EXPORTER_OTLP_CLIENT_KEY'],
    description: 'PEM file with our certificate for the collector',
  }),
  OTEL_EXPORTER_OTLP_CLIENT_KEY: otel(readableFile, {
    absent: 'no client certificate',
    needs: ['OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE'],
    description: 'PEM file with its key',
  }),
  OTEL_SERVICE_NAME: otel(text, {
    absent: '`tidings-gateway`, …, `tidings-standalone`: each process its own',
    description: '`service.name` of the spans',
  }),
  OTEL_RESOURCE_ATTRIBUTES: otel(keyValues, {
    absent: 'none',
    description: 'Further attributes of the process, `deployment.environment.name=production`, separated by commas',
  }),
  OTEL_TRACES_SAMPLER: otel(oneOf(SAMPLERS), {
    default: 'parentbased_always_on',
    description: `Which traces are recorded: ${SAMPLERS.map((name) => `\`${name}\``).join(', ')}`,
  }),
  OTEL_TRACES_SAMPLER_ARG: otel(ratio, { default: '1', description: 'Share of the traces that `…traceidratio` records, 0 to 1' }),
  OTEL_BSP_SCHEDULE_DELAY: otel(nonNegativeInteger, { default: '5000', description: 'Interval of sending spans, in ms' }),
  OTEL_BSP_EXPORT_TIMEOUT: otel(positiveInteger, { default: '30000', description: 'Longest time of sending a batch, in ms' }),
  OTEL_BSP_MAX_QUEUE_SIZE: otel(positiveInteger, { default: '2048', description: 'Spans that wait; further ones are dropped' }),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: otel(positiveInteger, { default: '512', description: 'Spans of one batch' }),
} satisfies Record<string, Variable>;
