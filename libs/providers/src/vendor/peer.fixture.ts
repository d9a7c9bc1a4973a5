import { Ajv2020 } from 'ajv/dist/2020';
import { type Answering, CapturingHttp, type Received } from '@tidings/testing/capturing-http';
import { cleanUps } from '../http/receiver.fixture';
import { isSuccess } from './classify';
import type { JsonSchema, VendorOperation } from './operation';

/** An answer of a vendor. */
export interface PeerAnswer {
  readonly status: number;
  /** Text, or a value sent as JSON. Default: nothing. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a peer does with a request: answers, or anything else with the connection. */
export type Script = PeerAnswer | Answering;

/** A server that a vendor's peer is made of: HTTP/1, or another one with the same requests and answers. */
export type PeerServer = Pick<CapturingHttp, 'url' | 'received' | 'answering' | 'stop'>;

const ajv = new Ajv2020({ strict: false, allErrors: true });

/**
 * Stands in for a vendor at `url`: answers each operation by its script, and checks every request, and every answer of its scripts that is
 * JSON, by the operation's schemas. `problems` lists what did not fit.
 */
export class VendorPeer {
  readonly problems: string[] = [];
  /** By the operation's name. */
  readonly scripts = new Map<string, Script>();

  private constructor(
    readonly server: PeerServer,
    private readonly operations: Readonly<Record<string, VendorOperation>>,
  ) {
    server.answering = (answer, received) => this.answer(answer, received);
  }

  /** Starts a peer that `cleanUp` stops. */
  static async start(
    operations: Readonly<Record<string, VendorOperation>>,
    start: () => Promise<PeerServer> = () => CapturingHttp.start(),
  ): Promise<VendorPeer> {
    const server = await start();
    cleanUps.push(() => server.stop());
    return new VendorPeer(server, operations);
  }

  /** The base URL. */
  get url(): string {
    return new URL(this.server.url).origin;
  }

  /** The URL of an operation without a path: of a webhook, or beside the base URL. */
  urlOf(name: string): string {
    return `${this.url}/operations/${name}`;
  }

  /** The requests of an operation. */
  received(name: string): Received[] {
    return this.server.received.filter((received) => this.nameOf(received) === name);
  }

  /** The first request of an operation. @throws Error if there was none. */
  first(name: string): Received {
    const [first] = this.received(name);
    if (!first) throw new Error(`There was no request of ${name}`);
    return first;
  }

  private answer(...[answer, received]: Parameters<Answering>) {
    const name = this.nameOf(received);
    const operation = name === undefined ? undefined : this.operations[name];
    const script = name === undefined ? undefined : this.scripts.get(name);
    if (!operation || !script) {
      this.problems.push(`${received.method} ${received.url} is not expected`);
      answer.writeHead(501).end();
      return;
    }
    this.check(`request of ${name}`, operation.request, contentOf(operation, received));
    if (typeof script === 'function') return script(answer, received);
    const { status, body = '', headers } = script;
    if (typeof body !== 'string') this.check(`answer of ${name}`, isSuccess(script) ? operation.answer : operation.failure, body);
    answer.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  private nameOf(received: Received) {
    const { method, url } = received;
    const path = url.replace(/\?.*$/s, '');
    const isOf = ([name, operation]: [string, VendorOperation]) =>
      operation.method === method && (path === `/operations/${name}` || (operation.path !== '' && patternOf(operation).test(path)));
    const found = Object.entries(this.operations).filter(isOf);
    // The body decides between operations with the same path.
    const hasItsBody = ([, operation]: [string, VendorOperation]) =>
      operation.request !== undefined && ajv.validate(operation.request, contentOf(operation, received));
    return ((found.length > 1 && found.find(hasItsBody)) || found[0])?.[0];
  }

  private check(what: string, schema: JsonSchema | undefined, value: unknown) {
    if (schema === undefined) {
      if (value !== undefined) this.problems.push(`${what}: has no schema`);
    } else if (!ajv.validate(schema, value)) {
      this.problems.push(`${what}: ${ajv.errorsText()} in ${JSON.stringify(value)}`);
    }
  }
}

function patternOf({ path }: VendorOperation) {
  const escaped = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{\\\+\w+\}/g, '.+').replace(/\{\w+\}/g, '[^/]+')}$`);
}

/** What the schema of a request is about; undefined: nothing was sent. */
function contentOf({ encoding = 'json', method }: VendorOperation, { url, headers, body }: Received) {
  if (encoding === 'binary') return undefined;
  if (method === 'GET') return fieldsOf([...new URL(url, 'http://peer').searchParams]);
  if (encoding === 'form') return fieldsOf([...new URLSearchParams(body)]);
  if (encoding === 'multipart') return fieldsOf(partsOf(body, headers['content-type']));
  return body === '' ? undefined : (JSON.parse(body) as unknown);
}

function fieldsOf(given: readonly (readonly [name: string, value: string])[]) {
  if (given.length === 0) return undefined;
  const names = [...new Set(given.map(([name]) => name))];
  return Object.fromEntries(
    names.map((name) => {
      const values = given.flatMap(([other, value]) => (other === name ? [value] : []));
      return [name, values.length > 1 ? values : values[0]];
    }),
  );
}

/** The fields of a multipart form; of files the contents. */
function partsOf(body: string, type = '') {
  const [, boundary] = /^multipart\/form-data; boundary=(\S+)$/.exec(type) ?? [];
  const parts = boundary === undefined ? [] : body.split(`--${boundary}`).slice(1, -1);
  return parts.map((part) => {
    const start = part.indexOf('\r\n\r\n');
    const [, name = ''] = / name="([^"]*)"/.exec(part.slice(0, start)) ?? [];
    return [name, part.slice(start + 4, -2)] as const;
  });
}
