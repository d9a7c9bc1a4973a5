import { withListExamples } from './documented-schema';
import { type ErrorCode, wireError } from './errors';
import { IDEMPOTENCY_EXPIRATION_HEADER, IDEMPOTENCY_KEY_HEADER, IDEMPOTENCY_KEY_LENGTH_MAX, acceptsIdempotencyKey } from './idempotency';
import { describedIn, fieldSchema, givenSchema, isRequired, type JsonSchema, objectSchema, SchemaComponents } from './json-schema';
import { hasNoBody, type HttpMethod } from './operation';
import { type AnyOperation, requestField, requestParts } from './request-parts';
import { CSRF_HEADER, SESSION_COOKIE } from './session-names';
import { shapeOf } from './shape';
import { WARNING_HEADER } from './warnings';

/** A route of the interface that no operation serves. */
export interface NotServedRoute {
  readonly method: HttpMethod;
  /** `/tenants/:tenant_id`, as in an operation's route. */
  readonly path: string;
  readonly summary: string;
}

/** Errors that any operation may return. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'unauthenticated',
  'forbidden',
  'rate_limited',
  'internal',
  'unavailable',
  'deadline_exceeded',
];

const ERROR_TITLES: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'The request is not valid; the message names the field',
  unauthenticated: 'No credential, or an unknown one',
  forbidden: 'The credential does not allow this',
  not_found: 'It does not exist',
  conflict: 'The request conflicts with existing data, or another request with its Idempotency-Key is running; see the message',
  payload_too_large: 'The body is too large',
  unsupported_media_type: 'The body is not JSON',
  key_reused: 'An earlier request with its Idempotency-Key had another body; the message says when. Nothing was done',
  rate_limited: 'Too many requests; see Retry-After',
  internal: 'Something went wrong on our side',
  not_served: 'Part of the interface, but not served yet',
  unavailable: 'Not done; see Retry-After',
  deadline_exceeded: 'No answer in time: the request may have been done',
};

const KEY_HEADERS: readonly JsonSchema[] = [
  {
    name: IDEMPOTENCY_KEY_HEADER,
    in: 'header',
    required: false,
    description:
      'Requests with the same key have one effect: the first answer is stored and replayed with `idempotent-replayed: true`. While the first request is running, others get 409. With another body than the first request they get 422.',
    example: 'order-A-17-shipped',
    schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_LENGTH_MAX },
  },
  {
    name: IDEMPOTENCY_EXPIRATION_HEADER,
    in: 'header',
    required: false,
    description:
      'Until when the answer is stored: ISO 8601, seconds or ms since the epoch, or a time from now (`7 days`). Clamped between 24 hours (the default) and a year.',
    example: '2026-03-08T10:00:00.000Z',
    schema: { type: 'string' },
  },
];

const HEADERS: Readonly<Record<string, JsonSchema>> = {
  Warning: {
    description: 'Warnings about the request, which was done: ignored fields and parameters, names that exist nowhere. Separated by `; `.',
    schema: { type: 'string' },
  },
};
/** Of the answers of every operation. */
const SUCCESS_HEADERS = { [WARNING_HEADER]: { $ref: '#/components/headers/Warning' } };

/** The credentials of clients; one of them is required. */
const CLIENT_CREDENTIALS: Readonly<Record<string, JsonSchema>> = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or a token issued from one' },
  basic: { type: 'http', scheme: 'basic', description: "The account's e-mail address and an API key" },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: `A session of the console. Methods other than GET need the header ${CSRF_HEADER} too`,
  },
};

/** Paths are complete, so the base is the root of the host that serves the document. */
const SERVERS = [{ url: '/', description: 'The gateway that serves this document' }];

/**
 * The OpenAPI 3.1 document of the operations that have a route, and of the routes that are not served yet, which are
 * marked `x-not-served` and answer 501. Throws if a route is defined twice, or if a path parameter has two names.
 * `credentials` are the security schemes, one of which is required.
 */
export function openApiDocument(
  operations: readonly AnyOperation[],
  notServed: readonly NotServedRoute[],
  info: { readonly title: string; readonly version: string },
  credentials: Readonly<Record<string, JsonSchema>> = CLIENT_CREDENTIALS,
): JsonSchema {
  const components = new SchemaComponents();
  const paths = new Paths();
  for (const operation of operations) {
    if (operation.method && operation.path) paths.add(operation.method, operation.path, served(operation, components));
  }
  for (const route of notServed) paths.add(route.method, paths.canonical(route.path), unserved(route, paths));
  components.add('Error', errorSchema());
  return withListExamples({
    openapi: '3.1.0',
    info,
    servers: SERVERS,
    security: Object.keys(credentials).map((name) => ({ [name]: [] })),
    paths: paths.byPath,
    components: { securitySchemes: credentials, headers: HEADERS, responses: errorResponses(), schemas: components.schemas },
  });
}

/** `/users/:user_id/tokens/*token` in OpenAPI's notation: `/users/{user_id}/tokens/{token}`. */
function openApiPath(path: string) {
  return path.replace(/[:*](\w+)/g, '{$1}');
}

/** A route without the names of its path parameters: routes of equal shape are the same route. */
export function routeShape(method: string, path: string): string {
  return `${method} ${path.replace(/[:*]\w+/g, '{}')}`;
}

class Paths {
  readonly byPath: Record<string, Record<string, JsonSchema>> = {};
  private readonly byShape = new Map<string, string>();

  add(method: HttpMethod, path: string, operation: JsonSchema): void {
    if (this.canonical(path) !== path) throw new Error(`${path} has other parameter names elsewhere: ${this.canonical(path)}`);
    this.byShape.set(routeShape('', path), path);
    const operations = (this.byPath[openApiPath(path)] ??= {});
    const verb = method.toLowerCase();
    if (operations[verb]) throw new Error(`${method} ${path} is defined twice`);
    operations[verb] = operation;
  }

  /** The path with the parameter names that the document already uses for it. */
  canonical(path: string): string {
    return this.byShape.get(routeShape('', path)) ?? path;
  }
}

function served(operation: AnyOperation, components: SchemaComponents) {
  const { pattern, summary, scope, status, statusHaving, pathParameters, servedInPart, mayConflict, conflictAnswer } = operation;
  const errors: ErrorCode[] = [...COMMON_ERRORS];
  if (pathParameters.length > 0) errors.push('not_found');
  if (servedInPart) errors.push('not_served');
  if (mayConflict || acceptsIdempotencyKey(operation)) errors.push('conflict');
  if (acceptsIdempotencyKey(operation)) errors.push('key_reused');
  const body = requestBody(operation, components);
  if (body) errors.push('payload_too_large', 'unsupported_media_type');
  const content = answerContent(operation, components);
  const success = { description: 'Success', headers: SUCCESS_HEADERS, ...(content && { content }) };
  return {
    operationId: pattern,
    tags: [pattern.split('.')[1]],
    summary,
    description: components.descriptions.ofOperation(pattern).description,
    'x-scope': scope,
    ...(scope === 'none' && { security: [] }),
    parameters: parametersOf(operation, components),
    ...(body && { requestBody: body }),
    responses: {
      [status]: success,
      ...(statusHaving && { [statusHaving.status]: success }),
      ...errorReferences(errors),
      ...(conflictAnswer && conflictResponse(conflictAnswer, components)),
    },
  };
}

/** A 409 with an operation-specific body; the 409 of a key in use has the common error body. */
function conflictResponse(answer: NonNullable<AnyOperation['conflictAnswer']>, components: SchemaComponents) {
  const schema = { anyOf: [components.refTo(answer), { $ref: '#/components/schemas/Error' }] };
  return { [wireError('conflict').status]: { description: ERROR_TITLES.conflict, content: { 'application/json': { schema } } } };
}

function unserved({ method, path, summary }: NotServedRoute, paths: Paths) {
  const names = [...paths.canonical(path).matchAll(/[:*](\w+)/g)].map(([, name]) => name);
  return {
    operationId: `${method} ${openApiPath(path)}`,
    tags: [path.split('/')[1]],
    summary: `${summary} (not served yet)`,
    description: 'This version does not serve it: every request is answered with 501, whatever its parameters and its body.',
    'x-not-served': true,
    parameters: names.map((name) => ({
      name,
      in: 'path',
      required: true,
      description: 'Any text; not read.',
      example: 'any',
      schema: { type: 'string' },
    })),
    responses: errorReferences(['unauthenticated', 'not_served']),
  };
}

function parametersOf(operation: AnyOperation, components: SchemaComponents) {
  const parts = requestParts(operation);
  const parameter = (location: 'path' | 'query') => (name: string) => {
    const field = requestField(operation, name);
    const required = location === 'path' || (field !== undefined && isRequired(field));
    const described = field && describedIn(components, field);
    return { name, in: location, required, ...described, schema: field ? givenSchema(field, components) : { type: 'string' } };
  };
  return [
    ...parts.path.map(parameter('path')),
    ...parts.query.map(parameter('query')),
    ...(acceptsIdempotencyKey(operation) ? KEY_HEADERS : []),
  ];
}

function answerContent({ response, textAnswer, textTypes }: AnyOperation, components: SchemaComponents) {
  if (textAnswer !== undefined) {
    return Object.fromEntries((textTypes?.types ?? ['text/plain']).map((type) => [type, { schema: { type: 'string' } }]));
  }
  // Any other class without fields is an empty object.
  return hasNoBody(response) ? undefined : { 'application/json': { schema: components.refTo(response) } };
}

function requestBody(operation: AnyOperation, components: SchemaComponents) {
  const { body, bodyField, bareArray } = requestParts(operation);
  const { example } = components.descriptions.ofOperation(operation.pattern);
  if (bodyField !== undefined) {
    const field = requestField(operation, bodyField);
    if (!field) throw new Error(`${operation.pattern}: the request does not declare ${bodyField}`);
    const media = { schema: fieldSchema(field, components), ...(example !== undefined && { example }) };
    return { required: isRequired(field), content: { 'application/json': media, ...(operation.textBody && { 'text/plain': media }) } };
  }
  if (body.length === 0) return undefined;
  const fields = shapeOf(operation.request).filter(({ name }) => body.includes(name));
  const object = objectSchema(fields, components);
  const field = fields.find(({ name }) => name === bareArray);
  const schema = field ? { anyOf: [object, givenSchema(field, components)] } : object;
  const media = { schema, ...(example !== undefined && { example }) };
  return { required: operation.requiresBody ?? fields.some(isRequired), content: { 'application/json': media } };
}

function errorReferences(codes: readonly ErrorCode[]) {
  return Object.fromEntries(codes.map((code) => [wireError(code).status, { $ref: `#/components/responses/${code}` }]));
}

function errorResponses() {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return Object.fromEntries(Object.entries(ERROR_TITLES).map(([code, description]) => [code, { description, content }]));
}

function errorSchema() {
  const types = new Set((Object.keys(ERROR_TITLES) as ErrorCode[]).map((code) => wireError(code).type));
  return {
    type: 'object',
    required: ['message', 'type'],
    properties: {
      message: {
        type: 'string',
        description: 'The reason, with the field and the value that are wrong. For people: its wording may change.',
        examples: ['List orders does not exist'],
      },
      type: {
        type: 'string',
        enum: [...types],
        description: 'The kind of error, for programs.',
        examples: [wireError('not_found').type],
      },
    },
  };
}
