import type { FastifyReply } from 'fastify';
import { toErrorShape, wireError } from '@tidings/contracts/core/errors';
import { CLIENT_LEFT, countAnswer } from './request-metrics';

declare module 'fastify' {
  interface FastifyInstance {
    /** Once started, every answer closes its connection. */
    draining: { isStarted: boolean };
  }
}

/** Without a charset: an old SDK compares the whole header. */
export const JSON_TYPE = 'application/json';

/** Default retry delay of transient errors, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/** The wire format of every error. */
export function errorBody(message: string, type: string) {
  return JSON.stringify({ message, type });
}

/**
 * Answers with JSON text. Writes to the response directly: Fastify's own path would append a charset, and costs more than the
 * rest of this function. A client that disconnected is ignored.
 */
export function answerJson(reply: FastifyReply, status: number, text: string) {
  answerText(reply, status, JSON_TYPE, text);
}

/** Answers without a body. */
export function answerEmpty(reply: FastifyReply, status: number) {
  const { raw } = reply;
  if (!detach(reply, status)) return;
  raw.writeHead(status, { 'x-request-id': reply.request.id, ...(status !== 204 && { 'content-length': 0 }) });
  raw.end();
}

/** Answers with text of another type, or with bytes; for pages, files and metrics. */
export function answerText(reply: FastifyReply, status: number, contentType: string, text: string | Buffer) {
  if (!detach(reply, status)) return;
  reply.raw.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    'x-request-id': reply.request.id,
  });
  reply.raw.end(text);
}

/** Answers with any error: a `ServiceError` by its message or its own body, everything else as `internal`. */
export function answerError(reply: FastifyReply, error: unknown) {
  const { code, message, retryAfterSeconds, shouldRetry, answer } = toErrorShape(error);
  const { status, type } = wireError(code);
  const { raw } = reply;
  if (!raw.headersSent) {
    const seconds = retryAfterSeconds ?? (code === 'unavailable' || code === 'rate_limited' ? RETRY_AFTER_SECONDS : undefined);
    if (seconds !== undefined) raw.setHeader('retry-after', Math.max(1, Math.ceil(seconds)));
    const retry = shouldRetry ?? (code === 'not_served' ? false : undefined);
    if (retry !== undefined) raw.setHeader('x-should-retry', String(retry));
    if (code === 'unauthenticated') raw.setHeader('www-authenticate', 'Bearer realm="tidings"');
  }
  answerJson(reply, status, answer ? JSON.stringify(answer) : errorBody(message, type));
}

/** Detaches the reply from Fastify; false when it was answered before or the client disconnected. */
function detach(reply: FastifyReply, status: number) {
  const isAnswered = reply.raw.headersSent;
  countAnswer(reply.request, reply.raw.destroyed && !isAnswered ? CLIENT_LEFT : status);
  if (isAnswered || reply.raw.destroyed) return false;
  if (reply.server.draining.isStarted) reply.raw.setHeader('connection', 'close');
  reply.hijack();
  return true;
}
