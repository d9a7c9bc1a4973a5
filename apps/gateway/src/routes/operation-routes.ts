import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { ServiceError } from '@tidings/contracts/core/errors';
import { REPLAYED_HEADER, type RequestKey, acceptsIdempotencyKey } from '@tidings/contracts/core/idempotency';
import type { NotServedRoute } from '@tidings/contracts/core/openapi';
import { type AnyOperation, requestParts } from '@tidings/contracts/core/request-parts';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { isWorkFollowed } from '@tidings/tracing/work-ids';
import { type AccessRule, accessRuleOf } from '../auth/access-rule';
import { after } from '../auth/after';
import type { Authenticator } from '../auth/authenticator';
import type { Caller } from '../auth/caller';
import { boundToUsers, type Serve } from '../auth/user-bound';
import { answerEmpty, answerJson, answerText, JSON_TYPE } from '../http/answers';
import { allowOrigin } from '../http/cors';
import { answerFailure, refusing } from '../http/fallbacks';
import { announceRequests } from '../http/request-metrics';
import { withRequestIds } from '../http/observed-requests';
import { setRateHeaders } from '../http/rate-headers';
import { shownNames, warn } from '../http/warnings';
import { outputPolicy } from '../http/output-policy';
import type { RateLimiter } from '../limits/rate-limiter';
import { assembler, type HttpParts } from '../request/assemble';
import { acceptBody } from '../request/body';
import { type KeyedParts, requestKeyOf } from '../request/request-key';
import { SendGathering } from '../send/send-gathering';
import { namesIn } from '../request/query';
import type { LocalHandlers } from './local-handlers';
import { missingTemplates } from './missing-templates';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set once the request is authenticated. */
    caller: Caller | null;
  }
}

interface OperationRoutesOptions {
  operations: readonly AnyOperation[];
  notServed: readonly NotServedRoute[];
  localHandlers: LocalHandlers;
  client: OperationClient;
  authenticator: Authenticator;
  limiter: RateLimiter;
}

/** Routes every operation with a path, and every route that is not served yet. Call before the instance is ready. */
export function routeOperations(instance: FastifyInstance, options: OperationRoutesOptions) {
  instance.decorateRequest('caller', null);
  // Bodies are received as bytes; each operation parses its own.
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  // Those without a credential have routes of their own.
  for (const operation of options.operations)
    if (operation.path && operation.scope !== 'none') routeOperation(instance, operation, options);
  for (const route of options.notServed) routeNotServed(instance, route, options);
}

function routeOperation(instance: FastifyInstance, operation: AnyOperation, options: OperationRoutesOptions) {
  const { method, path, scope, quota: quotaName } = operation;
  if (scope === 'internal') throw new Error(`${operation.pattern} is internal and has a route`);
  const assemble = assembler(operation);
  const warningOf = queryWarning(operation);
  const serve = boundToUsers(operation, serverOf(operation, options), options.client, options.operations);

  const keyed = acceptsIdempotencyKey(operation);
  // The gateway's own handlers report unknown fields themselves.
  const isOwn = operation.service === 'gateway';

  const respond = async (request: FastifyRequest, reply: FastifyReply) => {
    let key: RequestKey | undefined;
    const warning = warningOf(request.url);
    if (warning !== undefined) warn(reply, warning);
    try {
      const { request: parsed, unknownFields, body, warnings } = assemble(request as HttpParts);
      if (keyed) key = requestKeyOf(operation, request.caller!, request as KeyedParts, body, Date.now());
      warn(reply, ...warnings);
      if (!isOwn && unknownFields.length > 0) warn(reply, `Unknown fields were ignored: ${shownNames(unknownFields, Infinity)}`);
      const reported = isOwn && unknownFields.length > 0 ? unknownFields : undefined;
      const quota = quotaName && request.caller!.limits?.quotas?.[quotaName];
      const extended = key !== undefined || reported !== undefined || quota !== undefined;
      const caller = extended ? { ...request.caller!, requestKey: key, unknownFields: reported, quota } : request.caller!;
      const precise = withPrecondition(operation, parsed, request.headers['if-match']);
      const [answer, missing] = operation.templateNames
        ? await Promise.all([serve(caller, precise), missingTemplates(operation, caller, parsed, options.client)])
        : [await serve(caller, precise)];
      if (missing !== undefined) warn(reply, missing);
      setReplayed(reply, key);
      answerSuccess(request, reply, operation, parsed, answer);
    } catch (error) {
      setReplayed(reply, key);
      answerFailure((key?.replayed ? withoutRetry(error) : error) as Error, request, reply);
    }
  };
  announceRequests(operation.pattern, operation.status, isOwn);
  const admit = admission(options, operation.pattern, accessRuleOf(operation), method !== 'GET' && method !== 'DELETE', operation.textBody);
  instance.route({
    method: method!,
    url: fastifyPath(path!),
    onRequest: operation.gathered ? [admit, new SendGathering().hook] : admit,
    handler: (request, reply) => void (isWorkFollowed() ? withRequestIds(request, () => respond(request, reply)) : respond(request, reply)),
  });
}

function setReplayed({ raw }: FastifyReply, key: RequestKey | undefined) {
  if (key?.replayed && !raw.headersSent) raw.setHeader(REPLAYED_HEADER, 'true');
}

/** A stored error is the same on every retry, so it carries `x-should-retry: false`. */
function withoutRetry(error: unknown) {
  if (!(error instanceof ServiceError)) return error;
  return new ServiceError(error.code, error.message, { ...error.hints, shouldRetry: false });
}

/** Adds `If-Match` to the request of an operation with a precondition field; a set field takes precedence. */
function withPrecondition({ ifMatch }: AnyOperation, request: object, header: string | undefined) {
  if (ifMatch === undefined || header === undefined || (request as Record<string, unknown>)[ifMatch]) return request;
  return { ...request, [ifMatch]: header };
}

/**
 * Answers with the service's answer: with its field that is the `ETag`, without its field of warnings, which are sent as a header, with
 * the status that a field of it may determine, or with its field that is a text. The SDKs with the header `x-fern-language` parse every
 * answer as JSON, whatever its type: to them a plain text is a JSON string. Other clients would show the quotes.
 */
function answerSuccess(request: FastifyRequest, reply: FastifyReply, operation: AnyOperation, parsed: object, given: string | undefined) {
  const { status, statusHaving, etag, textAnswer, textTypes, warnings } = operation;
  if (given === undefined) return answerEmpty(reply, status);
  const fields = (etag || statusHaving || textAnswer || warnings ? JSON.parse(given) : {}) as Record<string, unknown>;
  const state = etag && fields[etag];
  if (typeof state === 'string' && !reply.raw.headersSent) reply.raw.setHeader('etag', `"${state}"`);
  let answer = given;
  if (warnings !== undefined && warnings in fields) {
    const { [warnings]: texts, ...others } = fields;
    warn(reply, ...(texts as string[]));
    answer = JSON.stringify(others);
  }
  if (status === 204) return answerEmpty(reply, status);
  if (textAnswer === undefined) {
    if (!statusHaving) return answerJson(reply, status, answer);
    const { field, value } = statusHaving;
    const matches = value === undefined ? field in fields : fields[field] === value;
    return answerJson(reply, matches ? statusHaving.status : status, answer);
  }

  const text = fields[textAnswer] as string;
  const type = textTypes && (fields[textTypes.field] as string | undefined);
  if (textTypes && type !== undefined) {
    reply.raw.setHeader('content-security-policy', outputPolicy((parsed as Record<string, unknown>)[textTypes.images ?? ''] !== undefined));
    reply.raw.setHeader('x-content-type-options', 'nosniff');
    answerText(reply, status, type === JSON_TYPE ? type : `${type}; charset=utf-8`, text);
  } else if (request.headers['x-fern-language'] === undefined) answerText(reply, status, 'text/plain; charset=utf-8', text);
  else answerJson(reply, status, JSON.stringify(text));
}

function routeNotServed(instance: FastifyInstance, { method, path }: NotServedRoute, options: OperationRoutesOptions) {
  const admit = admission(options, 'not_served');
  const { onRequest, handler } = refusing(new ServiceError('not_served', `${method} ${path} is not served yet`));
  instance.route({ method, url: fastifyPath(path), onRequest: [admit, onRequest], handler });
}

/**
 * The hook that authenticates the caller and checks `rule`, before the body is read: unauthenticated clients cannot make the gateway
 * read one. Then it takes from the rate limits, whose state every answer shows. It uses callbacks, so that a cached key costs no promise.
 */
function admission(
  { authenticator, limiter }: OperationRoutesOptions,
  countedAs: string,
  rule?: AccessRule,
  acceptsBody = false,
  textBody = false,
): onRequestHookHandler {
  return (request, reply, done) => {
    request.countedAs = countedAs;
    allowOrigin(request, reply);
    const admit = (caller: Caller) => {
      request.caller = caller;
      assertRate(limiter, caller, reply);
      acceptBody(request.raw.headers, acceptsBody, textBody);
    };
    let admitted: void | Promise<void>;
    try {
      admitted = isWorkFollowed()
        ? withRequestIds(request, () => after(authenticator.authenticate(request, rule), admit))
        : after(authenticator.authenticate(request, rule), admit);
    } catch (error) {
      return done(error as Error);
    }
    if (admitted instanceof Promise) admitted.then(() => done(), done);
    else done();
  };
}

/** @throws ServiceError `rate_limited`. */
function assertRate(limiter: RateLimiter, caller: Caller, { raw }: FastifyReply) {
  const state = limiter.admit(caller);
  if (!state) return;
  setRateHeaders(raw, state);
  if (state.refusal) throw state.refusal;
}

function serverOf(operation: AnyOperation, { localHandlers, client }: OperationRoutesOptions): Serve {
  const local = localHandlers.find(operation.pattern);
  if (local) return async (caller, request) => JSON.stringify(await local(caller, request as never));
  if (operation.service === 'gateway') throw new Error(`${operation.pattern} is the gateway's own and has no handler`);
  return (caller, request) => client.callForJson(operation, caller, request);
}

/** The path in Fastify's syntax, where a wildcard has no name. */
function fastifyPath(path: string) {
  return path.replace(/\*\w+$/, '*');
}

/** Returns the warning about unknown query parameters of a request target; undefined without any. */
function queryWarning(operation: AnyOperation) {
  const { query } = requestParts(operation);
  const accepted = query.length > 0 ? `it knows ${query.join(', ')}` : 'it knows none';
  return (url: string) => {
    if (!url.includes('?')) return undefined;
    const unknown = [...new Set(namesIn(url))].filter((name) => !query.includes(name));
    if (unknown.length === 0) return undefined;
    return `Unknown query parameters were ignored: ${shownNames(unknown)} (${accepted})`;
  };
}
