import type { AuditEventType } from './audit';
import type { KnownFields } from './known-fields';
import type { QuotaName } from './quotas';
import { SECRET_RESOURCES } from './secret-resources';

/** A class whose instances carry class-validator decorators. */
export type Dto<T extends object = object> = new () => T;

const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** `GET /profiles/:user_id`; a trailing `*name` matches the rest of the path. */
export type Route = `${HttpMethod} /${string}`;

/**
 * The clients that have an endpoint. `base`: all current SDKs (Node 7.10.2 on). `later`: later Node SDKs. `python`: only the Python SDK
 * from 9.2 on. `specification`: the product's specification, no SDK. `legacy`: older SDKs and plain clients. `own`: none, our addition.
 */
export type Generation = 'base' | 'later' | 'python' | 'specification' | 'legacy' | 'own';

/** The response without a body (204, or 202 where the interface requires it). */
export class Nothing {}

/** The response without a body of an operation with `warnings`. */
export class Warned {
  warnings?: string[];
}

/** Whether answers of this class have no body. */
export function hasNoBody(response: Dto): boolean {
  return response === Nothing || response === Warned;
}

/**
 * The definition of an operation. `Request` lists path parameters, query parameters and body fields together: names in the path are
 * path parameters, other fields come from the query of a GET or DELETE and from the body of a POST, PUT or PATCH, unless `query`
 * names them.
 */
export interface OperationDefinition<Request extends object, Response extends object, Command extends boolean = boolean> {
  /** `service.resource.verb`; the first part is the service that answers. */
  pattern: `${ServiceName}.${string}.${string}`;
  /** Absent for operations that only services call. */
  route?: Route;
  /** The clients that have the route. Default `base`. */
  generation?: Generation;
  /** HTTP status of success. Default 200, for a response without a body 204. */
  status?: number;
  /** The status of answers that have `field` (with `value`, if given): for another form of the request, or another result. */
  statusHaving?: { readonly field: string; readonly value?: string; readonly status: number };
  /** The scope that a credential needs; `any` if every credential is enough, `none` without one, `internal` if only services call. */
  scope: Scope;
  /** The field with the user whose data it is: an issued token then needs the scope `user_id:<that user>` too. */
  ofUser?: keyof Request & string;
  /**
   * If no field of the request names the user: the read operation (by its pattern) whose answer to the same request has the user in
   * `field`. An issued token then needs the scope `user_id:<that user>` too. Only for reads, both of one service.
   */
  ofUserAnswered?: { by: string; field: string };
  /** The field that a narrower scope may name: `read:brands:<that brand>` then suffices instead of `read:brands`. */
  scopedBy?: keyof Request & string;
  /** A scope that suffices too: the handler then leaves out what it does not grant. */
  limitedScope?: Permission;
  /** One line for readers of the API documentation. */
  summary: string;
  request: Dto<Request>;
  /** Its decorators are for the documentation only: the answer of an operation without a route has none. */
  response: Dto<Response>;
  /** POST, PUT and PATCH only: fields that come from the query string. Default: that of `ifMatch`, if any. */
  query?: readonly (keyof Request & string)[];
  /** The field that gets the `If-Match` header, unless the request sets it. */
  ifMatch?: keyof Request & string;
  /** The field of the answer that is also sent as `ETag`. */
  etag?: string;
  /**
   * The field of the answer with warnings about the request, a list of texts: sent in the header `x-tidings-warning`, not in the body.
   * The response of an operation without a body is then `Warned`.
   */
  warnings?: string;
  /** The ids or aliases of templates in a request. The answer warns of those that no template has. */
  templateNames?(request: Request): readonly string[];
  /** The field that gets the whole body, of any JSON type. */
  bodyField?: keyof Request & string;
  /**
   * With `bodyField`: the whole body is one text. A body that is a JSON string is decoded, whatever its content type;
   * any other body is the text itself, unless its content type is JSON.
   */
  textBody?: boolean;
  /** The answer is only this field of the response, a text: `text/plain`, or a JSON string for clients that accept only JSON. */
  textAnswer?: string;
  /**
   * With `textAnswer`: the field of the response with the text's media type, and its possible values. Default: `text/plain`. `images`: the
   * field of the request that is set where a page may load images of other hosts.
   */
  textTypes?: { readonly field: string; readonly types: readonly string[]; readonly images?: keyof Request & string };
  /** The known fields of the body. Default: those that the request and its nested classes declare. */
  knownFields?: KnownFields;
  /** A body is required although each of its fields is optional: the request needs one of several. */
  requiresBody?: boolean;
  /**
   * What happens to other fields of the body. `refused`: 400, naming the nearest known field. `reported`: they are ignored, but passed to
   * a gateway handler, or else named in an answer header. Default `refused`.
   */
  unknownFields?: 'refused' | 'reported';
  /** The field that gets a body that is an array instead of an object. */
  bareArray?: keyof Request & string;
  /**
   * The type of the audit event that a call by a client or an operator leaves, in the transaction of `CallJournal` that makes the change.
   * `own`: the handler records its events itself. Absent: the operation changes nothing, or what it does has a history (sends).
   */
  audit?: AuditEventType | 'own';
  /** With `audit`: the fields whose values, joined by `/`, are the target's id; of the request, or of the answer. Default: the first path parameter, or else the workspace. */
  auditTarget?: readonly string[];
  /** With `audit`: a field of the request; where it is true, a call that changes no field leaves no event. */
  auditsChangesIf?: string;
  /**
   * The operation changes data: its handler runs in a transaction, once per call, together with the record of its answer, and gets
   * the transaction as its third argument. Not with `secretAnswer`, whose answer must not be recorded.
   */
  command?: Command;
  /** The handler gets texts that PostgreSQL cannot store too: one of them must not fail a batch. Default: refused. */
  allowsUnstorable?: boolean;
  /** The call may be repeated on another instance if no answer arrived. Default: true for GET. */
  repeatable?: boolean;
  /**
   * The answer contains a credential. Under an `Idempotency-Key` it is never stored: the handler makes it again from what
   * `CallJournal.once` or `CallJournal.drawOnce` stored, which must contain no secret.
   */
  secretAnswer?: boolean;
  /** The request or the answer may hold credentials: between processes they travel sealed (`identity/carried-secrets`). */
  carriesSecrets?: boolean;
  /** Requests for a part of the interface that this version does not serve are refused with 501, which is documented. */
  servedInPart?: boolean;
  /** A conflict with existing data is answered with 409, which is documented. */
  mayConflict?: boolean;
  /** With `mayConflict`: the body of that 409, where it is not the common error body (`ErrorHints.answer`). */
  conflictAnswer?: Dto;
  /** How long a caller waits for the answer, in ms. Default 10 s, for GET 5 s. */
  deadlineMs?: number;
  /** The quota of what the operation creates or removes: its handler gets the workspace's as `CallContext.quota`. */
  quota?: QuotaName;
  /** The handler may wait: it runs under a separate concurrency limit. */
  waits?: boolean;
  /** While requests come often, the gateway lets them continue in groups, at most 30 ms later: a group shares its commits and reads. */
  gathered?: boolean;
}

export type ServiceName = 'gateway' | 'identity' | 'audience' | 'messaging' | 'content';

/** A permission of a credential. API keys may have all (`*`); issued tokens name their scopes. */
export type Scope = 'internal' | 'any' | 'none' | Permission;
type Permission = `${'read' | 'write'}:${string}`;

/** Whether a scope is a permission, which a credential may have or lack. */
export function isPermission(scope: Scope): scope is Permission {
  return scope.includes(':');
}

/** An operation: route, validation, RPC, documentation and the handler's type are derived from it. */
export interface Operation<
  Request extends object = object,
  Response extends object = object,
  Command extends boolean = boolean,
> extends OperationDefinition<Request, Response, Command> {
  readonly command: Command;
  readonly service: ServiceName;
  readonly method?: HttpMethod;
  /** The route's path, `/profiles/:user_id`. */
  readonly path?: string;
  readonly pathParameters: readonly string[];
  readonly generation: Generation;
  readonly status: number;
  readonly repeatable: boolean;
  readonly deadlineMs: number;
}

/** The operations of one resource, by handler name. */
export type OperationGroup = Readonly<Record<string, Operation<any, any>>>; // eslint-disable-line @typescript-eslint/no-explicit-any -- any operation fits a group

/** The request that an operation takes. */
export type RequestOf<O> = O extends Operation<infer Request, infer _> ? Request : never;
/** What a call of an operation resolves with: `void` for one without a response. */
export type ResponseOf<O> = O extends Operation<infer _, infer Response> ? (Response extends Nothing ? AnswerOf<Response> : never) : never;
type AnswerOf<Response> = [keyof Response] extends [never] ? void : Response;

/** Completes a definition with its service, method, path and defaults. */
export function defineOperation<Request extends object, Response extends object, const Command extends boolean = false>(
  definition: OperationDefinition<Request, Response, Command>,
): Operation<Request, Response, Command> {
  const { method, path } = definition.route ? splitRoute(definition.route) : {};
  const service = definition.pattern.split('.')[0] as ServiceName;
  const read = method === 'GET';
  if (definition.command && definition.secretAnswer) throw new Error(`${definition.pattern}: the answer of a command is recorded`);
  return {
    ...definition,
    command: (definition.command ?? false) as Command,
    service,
    method,
    path,
    generation: definition.generation ?? 'base',
    pathParameters: [...(path?.matchAll(/[:*](\w+)/g) ?? [])].map(([, name]) => name!),
    status: definition.status ?? (path !== undefined && hasNoBody(definition.response) ? 204 : 200),
    repeatable: definition.repeatable ?? read,
    deadlineMs: definition.deadlineMs ?? (read ? 5_000 : 10_000),
  };
}

/** An operation of a resource. By default its pattern ends in its name; without a route it is for services only. */
type Definition<Request extends object> = Partial<OperationDefinition<Request, object>> &
  Pick<OperationDefinition<Request, object>, 'request' | 'summary'>;

/** `Checked` checks each by its request. */
type Definitions = Readonly<Record<string, Partial<OperationGroup[string]> & Pick<OperationGroup[string], 'request' | 'summary'>>>;

/** The definitions, if their fields are those of their requests and no property is unknown. */
type Checked<Given extends Definitions> = {
  [Name in keyof Given]: Definition<InstanceType<Given[Name]['request']>> &
    Record<Exclude<keyof Given[Name], keyof Definition<object>>, never>;
};

/**
 * Completes the definitions of a resource's operations.
 * @param resource `service.resource`, the beginning of the patterns.
 * @param scope `brands`: a GET needs `read:brands`, every other route `write:brands`, unless the operation names its scope.
 * @param defaults for the operations that have a route. The response of any operation is `Nothing` by default.
 */
export function defineOperations<const Given extends Definitions, Response extends object = Nothing>(
  resource: `${ServiceName}.${string}`,
  scope: string,
  definitions: Given & Checked<Given>,
  defaults: { response?: Dto<Response> } & Partial<Pick<OperationGroup[string], 'generation' | 'ofUser' | 'etag' | 'warnings'>> = {},
): {
  readonly [Name in keyof Given]: Operation<
    InstanceType<Given[Name]['request']>,
    Given[Name] extends { response: Dto<infer Own> } ? Own : Response,
    Given[Name] extends { command: true } ? true : false
  >;
} {
  const operations = Object.entries(definitions as Definitions).map(([name, definition]) => {
    const access = definition.route?.startsWith('GET ') ? 'read' : 'write';
    const ofRoute = definition.route && { ...defaults, scope: `${access}:${scope}` as const };
    const own = { pattern: `${resource}.${name}` as const, carriesSecrets: SECRET_RESOURCES.has(resource) };
    return [name, defineOperation({ ...own, scope: 'internal', response: Nothing, ...ofRoute, ...definition })];
  });
  return Object.fromEntries(operations) as never;
}

/** The order of routes in documents: by path, then by method. */
export function compareRoutes(one: Routed, other: Routed): number {
  if (one.path === other.path) return HTTP_METHODS.indexOf(one.method!) - HTTP_METHODS.indexOf(other.method!);
  return (one.path ?? '') < (other.path ?? '') ? -1 : 1;
}

type Routed = Pick<Operation, 'method' | 'path'>;

/** `GET /lists/:list_id` as its method and path. */
export function splitRoute(route: Route): { method: HttpMethod; path: string } {
  const [method, path] = route.split(' ') as [HttpMethod, string];
  return { method, path };
}
