import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fieldsOf } from './otlp-protobuf';
import { type WaitOptions, waitUntil } from './wait-until';

/** A span as it was received. Ids are lower-case hexadecimal digits. */
export interface ReceivedSpan {
  /** `service.name` of its process. */
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  traceState: string;
  attributes: Record<string, string | number | boolean>;
  links: { traceId: string; spanId: string }[];
  isError: boolean;
}

interface JsonAttribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
}

interface JsonSpan extends Partial<Pick<ReceivedSpan, 'parentSpanId' | 'traceState' | 'links'>> {
  name: string;
  traceId: string;
  spanId: string;
  attributes?: JsonAttribute[];
  status?: { code?: number };
}

interface JsonRequest {
  resourceSpans: { resource: { attributes: JsonAttribute[] }; scopeSpans: { spans: JsonSpan[] }[] }[];
}

const ERROR = 2;

/** A real collector of spans: OTLP over HTTP, in JSON and in protobuf. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Content types and headers of the requests. */
  readonly requests: { url: string; contentType: string; authorization?: string; text: string }[] = [];
  /** Status of the answers. */
  status = 200;
  private readonly server = createServer((request, answer) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { url = '', headers } = request;
      const contentType = headers['content-type'] ?? '';
      this.requests.push({ url, contentType, authorization: headers.authorization, text: body.toString('latin1') });
      if (this.status === 200) this.spans.push(...(contentType === 'application/json' ? fromJson(body) : fromProtobuf(body)));
      answer.writeHead(this.status, { 'content-type': contentType }).end(contentType === 'application/json' ? '{}' : '');
    });
  });

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  /** The value of `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  ofTrace(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /** Resolves with the spans of a trace once there is one of each name. */
  trace(traceId: string, names: readonly string[], options: WaitOptions = {}): Promise<ReceivedSpan[]> {
    return waitUntil(
      () => {
        const found = this.ofTrace(traceId);
        return names.every((name) => found.some((span) => span.name === name)) ? found : undefined;
      },
      { what: `${names.join(', ')} of the trace`, timeoutMs: 60_000, ...options },
    ).catch((error: Error) => {
      const received = this.ofTrace(traceId).map(({ service, name }) => `${service}: ${name}`);
      throw new Error(`${error.message}; received: ${received.join(', ')}`, { cause: error });
    });
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

function fromJson(body: Buffer): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body.toString()) as JsonRequest;
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes = [], links = [], status, name, traceId, spanId, parentSpanId = '', traceState = '' }) => ({
        service,
        name,
        traceId,
        spanId,
        parentSpanId,
        traceState,
        attributes: valuesOf(attributes),
        links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
        isError: status?.code === ERROR,
      })),
    );
  });
}

function valuesOf(attributes: readonly JsonAttribute[]) {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? doubleValue ?? boolValue ?? Number(intValue),
    ]),
  );
}

/** By the field numbers of opentelemetry/proto/collector/trace/v1 and below. */
function fromProtobuf(body: Buffer): ReceivedSpan[] {
  return children(body, 1).flatMap((resourceSpans) => {
    const [resource] = children(resourceSpans, 1);
    const service = String(attributesIn(resource!, 1)['service.name']);
    return children(resourceSpans, 2).flatMap((scopeSpans) => children(scopeSpans, 2).map((span) => toSpan(service, span)));
  });
}

function toSpan(service: string, span: Buffer): ReceivedSpan {
  const [status] = children(span, 15);
  return {
    service,
    name: text(span, 5),
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    traceState: text(span, 3),
    parentSpanId: hex(span, 4),
    attributes: attributesIn(span, 9),
    links: children(span, 13).map((link) => ({ traceId: hex(link, 1), spanId: hex(link, 2) })),
    isError: status !== undefined && fieldsOf(status).get(3)?.[0] === ERROR,
  };
}

function attributesIn(message: Buffer, field: number): ReceivedSpan['attributes'] {
  return Object.fromEntries(children(message, field).map((attribute) => [text(attribute, 1), valueIn(children(attribute, 2)[0]!)]));
}

/** An `AnyValue`: a text, a truth value, a whole number or a fraction, each in a field of its own. */
function valueIn(value: Buffer): string | number | boolean {
  const [[kind, [found]]] = [...fieldsOf(value)] as [[number, [number | Buffer]]];
  if (typeof found === 'number') return kind === 2 ? found === 1 : found;
  return kind === 4 ? found.readDoubleLE() : found.toString();
}

function children(message: Buffer, field: number): Buffer[] {
  return (fieldsOf(message).get(field) ?? []) as Buffer[];
}

function text(message: Buffer, field: number): string {
  return children(message, field)[0]?.toString() ?? '';
}

function hex(message: Buffer, field: number): string {
  return children(message, field)[0]?.toString('hex') ?? '';
}
