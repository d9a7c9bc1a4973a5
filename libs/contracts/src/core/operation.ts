import type { KnownFields } from './known-fields';

/** A class whose instances carry class-validator decorators. */
export type Dto<T extends object = object> = new () => T;

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `GET /profiles/:user_id`; a trailing `*name` takes the rest of the path. */
export type Route = `${HttpMethod} /${string}`;

/** The answer of an operation that has nothing to say: no body at all (204, or 202 where the interface says so). */
export class Nothing {}

/**
 * What is fixed about an operation. `Request` lists path parameters, query parameters and body fields together:
 * names that stand in the path are path parameters, the others come from the query of a GET or DELETE and from the
 * body of a POST, PUT or PATCH, unless `query` names them.
 */
export interface OperationDefinition<Request extends object, Response extends object, Command extends boolean = boolean> {
  /** `service.resource.verb`; the first part is the service that answers. */
  pattern: `${ServiceName}.${string}.${string}`;
  /** Absent for operations that only services call. */
  route?: Route;
  /** HTTP status of success. Default 200. */
  status?: number;
  /** The status where the answer has this field, and in it this value where one is named: another form of the request, or what it came to, is answered so. */
  statusHaving?: { readonly field: string; readonly value?: string; readonly status: number };
  /** What a credential must be allowed to do; `internal` where no client can call. */
  scope: Scope;
  /** The field that says whose data it is: an issued token then needs the scope `user_id:<that user>` too. */
  ofUser?: keyof Request & string;
  /**
   * Where no field of the request says whose data it is: the read, by its pattern, whose answer to the same request does, in
   * `field`. An issued token then needs the scope `user_id:<that user>` too. Operations of one service, reads alone.
   */
  ofUserAnswered?: { by: string; field: string };
  /** The field that a narrower scope may name: `read:brands:<that brand>` is then as good as `read:brands`. */
  scopedBy?: keyof Request & string;
  /** One line for the API's reader. */
  summary: string;
  request: Dto<Request>;
  response: Dto<Response>;
  /** Body verbs only: fields that nevertheless come from the query string. */
  query?: readonly (keyof Request & string)[];
  /** The field that a request's `If-Match` becomes, unless the request has it. */
  ifMatch?: keyof Request & string;
  /** The field of the answer that is its `ETag` too. */
  etag?: string;
  /** The whole body, whatever it is, becomes this one field. */
  bodyField?: keyof Request & string;
  /**
   * With `bodyField`: the whole body is one text. Whatever its type, a body that is a JSON string stands for the text in it;
   * any other body is the text itself, unless it is said to be JSON.
   */
  textBody?: boolean;
  /** The answer is this field of the response alone, a text: `text/plain`, or a JSON string to clients that can read nothing else. */
  textAnswer?: string;
  /** With `textAnswer`: the field of the response that says the text's media type, and every type it may say. Default: `text/plain`. */
  textTypes?: { readonly field: string; readonly types: readonly string[] };
  /** What of the body has a meaning. Of other fields, ignored as everywhere, a handler of the gateway is told; else a header of the answer names them. */
  knownFields?: KnownFields;
  /** A body that is an array, instead of an object with fields, becomes this field. */
  bareArray?: keyof Request & string;
  /**
   * It changes something: its handler runs in a transaction, once per call, together with the record of its answer, and gets that
   * transaction as its third argument. Not with `secretAnswer`, whose answer must not be recorded.
   */
  command?: Command;
  /** A read that may be asked a second time elsewhere when no answer came. Default: true for GET. */
  repeatable?: boolean;
  /**
   * The answer holds a credential. Under an `Idempotency-Key` it is never kept: the handler makes it again of what
   * `CallJournal.once` or `CallJournal.remember` kept, which must hold nothing secret.
   */
  secretAnswer?: boolean;
  /** Some requests ask for what the interface knows and this version does not do: they are refused with 501, which is documented. */
  servedInPart?: boolean;
  /** What stands in the way is answered with 409, which is documented. */
  mayConflict?: boolean;
  /** With `mayConflict`: what that 409 has as its body, where it is not the usual one (`ErrorHints.answer`). */
  conflictAnswer?: Dto;
  /** How long a caller waits for the answer. Default `DEFAULT_DEADLINE_MS`, look-ups `LOOKUP_DEADLINE_MS`. */
  deadlineMs?: number;
  /** Answers after waiting for something: runs outside the bound of the ordinary handlers, under one of its own. */
  waits?: boolean;
}

export type ServiceName = 'gateway' | 'identity' | 'audience' | 'messaging' | 'content';

const DEFAULT_DEADLINE_MS = 10_000;
const LOOKUP_DEADLINE_MS = 5_000;

/** What a credential may do. API keys may do everything (`*`); issued tokens name their scopes. */
export type Scope = 'internal' | `${'read' | 'write'}:${string}`;

/** An operation: one definition from which route, validation, RPC, documentation and the handler's type follow. */
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
  readonly status: number;
  readonly repeatable: boolean;
  readonly deadlineMs: number;
}

/** The operations of one resource, by handler name. */
export type OperationGroup = Readonly<Record<string, Operation<any, any>>>; // eslint-disable-line @typescript-eslint/no-explicit-any -- any operation fits a group

export type RequestOf<O> = O extends Operation<infer Request, infer _> ? Request : never;
export type ResponseOf<O> = O extends Operation<infer _, infer Response> ? (Response extends Nothing ? AnswerOf<Response> : never) : never;
type AnswerOf<Response> = [keyof Response] extends [never] ? void : Response;

export function defineOperation<Request extends object, Response extends object, const Command extends boolean = false>(
  definition: OperationDefinition<Request, Response, Command>,
): Operation<Request, Response, Command> {
  const [method, path] = (definition.route?.split(' ') ?? []) as [HttpMethod?, string?];
  const service = definition.pattern.split('.')[0] as ServiceName;
  const read = method === 'GET';
  if (definition.command && definition.secretAnswer) throw new Error(`${definition.pattern}: the answer of a command is recorded`);
  return {
    ...definition,
    command: (definition.command ?? false) as Command,
    service,
    method,
    path,
    pathParameters: [...(path?.matchAll(/[:*](\w+)/g) ?? [])].map(([, name]) => name!),
    status: definition.status ?? 200,
    repeatable: definition.repeatable ?? read,
    deadlineMs: definition.deadlineMs ?? (read ? LOOKUP_DEADLINE_MS : DEFAULT_DEADLINE_MS),
  };
}
