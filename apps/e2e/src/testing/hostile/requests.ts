import fc from 'fast-check';
import { type Attack, attacks, hugeAttack, type RequestParts } from './attacks';
import type { DescribedInterface, DescribedOperation, Parameter } from './openapi-interface';
import { shown, type WireRequest } from './exchange';
import { jsonText } from './json-edit';
import type { ResourceIds } from './resource-ids';
import { templateBodies } from './template-bodies';
import { ValidValues } from './values';

/** Unreachable endpoints: `.invalid` is a reserved domain. */
const ENDPOINTS = ['sms', 'webhook'].map((channel) => ({
  provider: 'http',
  settings: { channel, url: `https://${channel}.invalid/`, secret: 'a secret of some length', rate_limit: { rate: 5, period: 'second' } },
}));

/** Bodies whose free fields no schema describes; as likely as bodies from the schema. */
const BODIES: Readonly<Record<string, readonly unknown[]>> = {
  'POST /send': [
    { message: { to: { email: 'ada@example.com' }, content: { title: 'Hello', body: 'Your order **{order}**' }, data: { order: 'A-17' } } },
    {
      message: { to: { user_id: 'user_id-1' }, content: { title: '{a.b}', body: 'x' }, data: { a: { b: [1] } }, metadata: { tags: ['t'] } },
    },
    { message: { to: { user_id: 'user_id-2', email: 'ada@example.com' }, content: { title: '', body: 'x' } } },
    // Delayed for a day, so that it can be canceled.
    { message: { to: { email: 'later@example.com' }, content: { title: 'Later', body: 'x' }, delay: { duration: 86_400_000 } } },
  ],
  'POST /bulk': [
    { message: { event: 'welcome', data: { order: 'A-17' } } },
    { message: { event: 'listed', content: { title: 'Hello', body: '{name}' }, override: { channel: { email: { subject: 'x' } } } } },
    { message: { message: { content: { title: 'Hello', body: '{name}' }, routing: { method: 'all', channels: ['email'] } } } },
  ],
  'POST /bulk/{job_id}': [
    {
      users: [
        { recipient: 'user_id-1', data: { name: 'Ada' } },
        { profile: { email: 'ada@example.com' } },
        { to: { user_id: 'user_id-2' } },
      ],
    },
    { users: [{ recipient: 'user_id-1' }, { recipient: 'user_id-1' }, { to: { list_id: 'team' } }, {}] },
  ],
  'POST /providers': ENDPOINTS,
  'PUT /providers/{id}': ENDPOINTS,
  'PATCH /providers/{id}': [{ title: 'Endpoint' }, { order: 5 }, { settings: { rate_limit: null } }],
  'POST /webhooks': [{ url: 'https://webhook.invalid/' }],
  'PATCH /webhooks/{id}': [{ description: 'Endpoint' }, { url: 'https://other.invalid/' }],
  'POST /webhooks/{id}/replay': [{ from: '2026-03-01T10:00:00Z' }],
  'PUT /translations/{domain}/{locale}': [
    '',
    'msgid "Hello %s"\nmsgstr "Bonjour %s"\n',
    'msgid "a"\nmsgid_plural "b"\nmsgstr[0] "é"\nmsgstr[1] "😀"\n',
  ],
  ...templateBodies(),
};

/** Ordinary requests per huge one, which costs as much as a hundred others. */
const ORDINARY_PER_HUGE = 30;

/** One generated request and its intended resource. */
export class Probe {
  constructor(
    readonly request: WireRequest,
    /** Path of the intended resource, before the corruption. */
    readonly resource: string,
    readonly foreign: boolean,
  ) {}

  /** Short text for reports: a counterexample may have megabytes. */
  [fc.toStringMethod](): string {
    return shown(this.request);
  }
}

export interface Credentials {
  readonly authorization: string;
  /** Credentials without access to these operations. */
  readonly others: readonly string[];
}

/** Generates valid requests from the document, and hostile ones from valid ones. */
export class Requests {
  private readonly values: ValidValues;

  constructor(
    private readonly described: DescribedInterface,
    private readonly ids: ResourceIds,
    private readonly othersIds: ResourceIds,
    private readonly credentials: Credentials,
  ) {
    this.values = new ValidValues(described, ids);
  }

  valid(operation: DescribedOperation): fc.Arbitrary<Probe> {
    return this.parts(operation).map((parts) => probe(operation, parts, parts));
  }

  /** Requests of which most have one or two corruptions. */
  hostile(operation: DescribedOperation): fc.Arbitrary<Probe> {
    const ordinary = this.attacked(operation, attacks(this.surface(operation)));
    if (!operation.body) return ordinary;
    return fc.oneof({ weight: ORDINARY_PER_HUGE, arbitrary: ordinary }, { weight: 1, arbitrary: this.attacked(operation, hugeAttack) });
  }

  private attacked(operation: DescribedOperation, attack: fc.Arbitrary<Attack>): fc.Arbitrary<Probe> {
    const one = fc.tuple(
      attack,
      fc.constant<Attack>((parts) => parts),
    );
    const two = fc.tuple(attack, attack);
    return fc
      .tuple(this.parts(operation), fc.oneof({ weight: 4, arbitrary: one }, { weight: 1, arbitrary: two }))
      .map(([parts, [first, second]]) => probe(operation, parts, second(first(parts))));
  }

  private surface({ pathParameters, queryParameters, method, body }: DescribedOperation) {
    return {
      pathParameters: pathParameters.map(({ name }) => name),
      queryParameters: queryParameters.map(({ name }) => name),
      hasBody: body !== undefined || method === 'POST' || method === 'PUT' || method === 'PATCH',
      otherCredentials: this.credentials.others,
      othersIds: pathParameters.flatMap(({ name }) => this.othersIds.of(name)).map(encodeURIComponent),
      cursors: this.ids.all('cursor').map(encodeURIComponent),
    };
  }

  private parts(operation: DescribedOperation): fc.Arbitrary<RequestParts> {
    const { pathParameters, queryParameters } = operation;
    const path = this.path(pathParameters);
    const query = fc.tuple(...queryParameters.map((parameter) => this.queryTexts(parameter))).map((texts) => texts.flat());
    return fc.tuple(path, query, this.body(operation)).map(([path, query, value]) => {
      const { authorization } = this.credentials;
      if (value === undefined) return { path, query, headers: { authorization }, foreign: false };
      const headers = { authorization, 'content-type': 'application/json' };
      return { path, query, headers, value, body: Buffer.from(jsonText(value)), foreign: false };
    });
  }

  private path(parameters: readonly Parameter[]): fc.Arbitrary<Record<string, string>> {
    const independent = fc.record(Object.fromEntries(parameters.map((parameter) => [parameter.name, this.pathText(parameter)])));
    const found = this.ids.pathParameters(parameters.map(({ name }) => name));
    if (parameters.length < 2 || found.length === 0) return independent;
    const existing = fc
      .constantFrom(...found)
      .map((parameters) => Object.fromEntries(Object.entries(parameters).map(([name, id]) => [name, encodeURIComponent(id)])));
    return fc.oneof({ weight: 3, arbitrary: existing }, { weight: 1, arbitrary: independent });
  }

  private pathText({ name, schema }: Parameter): fc.Arbitrary<string> {
    const { enum: values, maxLength = Infinity } = this.described.resolved(schema);
    if (Array.isArray(values)) return fc.constantFrom(...(values as unknown[])).map((value) => encodeURIComponent(String(value)));
    const ids = this.ids.of(name).filter((id) => id.length <= (maxLength as number));
    return fc.constantFrom(...ids).map(encodeURIComponent);
  }

  private queryTexts({ name, required, schema }: Parameter): fc.Arbitrary<[string, string][]> {
    const given = this.values.of(schema, name).map((value) => {
      const values = Array.isArray(value) ? (value as unknown[]) : [value];
      return values.map((one): [string, string] => [name, encodeURIComponent(String(one))]);
    });
    if (required) return given;
    return fc.oneof({ weight: 3, arbitrary: fc.constant<[string, string][]>([]) }, { weight: 1, arbitrary: given });
  }

  private body({ method, path, body }: DescribedOperation): fc.Arbitrary<unknown> {
    if (!body) return fc.constant(undefined);
    const bodies = BODIES[`${method} ${path}`];
    const bySchema = this.values.of(body);
    return bodies ? fc.oneof(fc.constantFrom(...bodies), bySchema) : bySchema;
  }
}

function probe(operation: DescribedOperation, intended: RequestParts, { path, query, headers, body, foreign }: RequestParts): Probe {
  const search = query.map(([name, text]) => (text === '' ? name : `${name}=${text}`)).join('&');
  const target = targetOf(operation, path) + (search && `?${search}`);
  return new Probe({ method: operation.method, target, headers, ...(body && { body }) }, targetOf(operation, intended.path), foreign);
}

function targetOf({ path }: DescribedOperation, values: RequestParts['path']): string {
  return path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => values[name]!);
}
