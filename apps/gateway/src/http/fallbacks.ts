import { Logger } from '@nestjs/common';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, wireError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import { BODY_BYTES_MAX } from '../gateway.options';
import { unsupportedMediaType } from '../request/body';
import { answerEmpty, answerError, answerJson, errorBody } from './answers';
import { allowPreflight } from './cors';
import type { MethodsOf } from './route-methods';

const logger = new Logger('Gateway');

/** Fastify's error codes for bodies that its parsers refuse. */
const PARSING = new Set(['FST_ERR_CTP_EMPTY_JSON_BODY', 'FST_ERR_CTP_INVALID_JSON_BODY', 'FST_ERR_CTP_INVALID_MEDIA_TYPE']);

/** Longest part of a path that an error message repeats. */
const QUOTED_PATH_LENGTH_MAX = 200;

/** Installs the answers outside routes: unknown paths, other methods, Fastify's own refusals, internal errors. */
export function installFallbacks(instance: FastifyInstance, methodsOf: MethodsOf) {
  const unrouted = (request: FastifyRequest, reply: FastifyReply) => answerUnrouted(request, reply, methodsOf);
  instance.setNotFoundHandler(unrouted);
  instance.setErrorHandler((error: FastifyError, request, reply) => {
    // Fastify parses the body of an unknown route as well; the missing route is the error to report.
    if (request.is404 && PARSING.has(error.code)) unrouted(request, reply);
    else answerFailure(error, request, reply);
  });
}

/** The rest of the path may be a push token, or the secret of a callback address, which no message may quote. */
const SECRET_PATH = /(\/tokens\/|\/providers\/callback\/)[^]+/i;

function answerUnrouted(request: FastifyRequest, reply: FastifyReply, methodsOf: MethodsOf) {
  const path = (request.raw.url ?? '/').split(/[?#]/, 1)[0]!;
  const methods = methodsOf(path);
  const quoted = path.replace(SECRET_PATH, '$1…').slice(0, QUOTED_PATH_LENGTH_MAX);
  if (methods.length === 0) return answerError(reply, new ServiceError('not_found', `Not Found: nothing is served at ${quoted}`));
  reply.raw.setHeader('allow', methods.join(', '));
  if (request.method === 'OPTIONS') {
    allowPreflight(request, reply, methods);
    return answerEmpty(reply, 204);
  }
  answerError(reply, new ServiceError('method_not_allowed', `${quoted} answers to ${methods.join(', ')}, not to ${request.method}`));
}

/** The error of a request that Fastify refuses, by its code. */
const REFUSALS: Readonly<Record<string, (request: FastifyRequest) => ServiceError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ routeOptions }) =>
    new ServiceError('payload_too_large', `The body is longer than ${routeOptions.bodyLimit ?? BODY_BYTES_MAX} bytes`),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ({ headers }) => unsupportedMediaType(headers['content-type'] ?? ''),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => invalid('The length of the body differs from its Content-Length'),
  FST_ERR_BAD_URL: () => invalid('The path is not valid percent-encoded UTF-8'),
};

/** Options of a route that answers with an error before it reads the body, which would not be used. */
export function refusing(error: ServiceError) {
  const refuse = () => Promise.reject(error);
  return { onRequest: refuse, handler: refuse };
}

/** Answers any error that a hook or handler threw or passed to `done`. */
export function answerFailure(error: Partial<FastifyError>, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof ServiceError) return answerError(reply, error);
  const refusal = REFUSALS[error.code ?? '']?.(request);
  if (refusal) return answerError(reply, refusal);
  const { statusCode } = error;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    // An error of HTTP itself, without an error code of the interface (408, 414, 431, …).
    return answerJson(reply, statusCode, errorBody(error.message ?? 'The request cannot be answered', wireError('invalid_request').type));
  }
  logger.error({ err: error, requestId: request.id, workspaceId: request.caller?.workspaceId }, 'A request failed unexpectedly');
  answerError(reply, error);
}
