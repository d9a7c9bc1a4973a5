import type { FastifyReply } from 'fastify';
import { type ErrorCode, toErrorShape, wireError } from '@tidings/contracts/core/errors';

declare module 'fastify' {
  interface FastifyInstance {
    /** Once begun, every answer says that its connection ends with it. */
    draining: { begun: boolean };
  }
}

/** Exactly this, without a charset: an old SDK compares the header as a whole. */
export const JSON_TYPE = 'application/json';

/** Told to clients whose errors pass by themselves, where the error names no time of its own; in seconds. */
const RETRY_AFTER_SECONDS = 1;

/** The one form every error has on the wire. */
export function errorBody(message: string, type: string): string {
  return JSON.stringify({ message, type });
}

/**
 * Answers with text that is JSON already. Written to the response directly: Fastify's own way would append a charset,
 * and costs more than everything else here. What became of the client no longer matters once it hung up.
 */
export function answerJson(reply: FastifyReply, status: number, text: string): void {
  answerText(reply, status, JSON_TYPE, text);
}

/** Answers without a body. */
export function answerEmpty(reply: FastifyReply, status: number): void {
  const { raw } = reply;
  if (!begin(reply)) return;
  raw.writeHead(status, status === 204 ? { 'x-request-id': reply.request.id } : { 'x-request-id': reply.request.id, 'content-length': 0 });
  raw.end();
}

/** Answers with text of another type; for pages and metrics. */
export function answerText(reply: FastifyReply, status: number, contentType: string, text: string): void {
  if (!begin(reply)) return;
  reply.raw.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    'x-request-id': reply.request.id,
  });
  reply.raw.end(text);
}

/** Answers with any error: a `ServiceError` in its own words, or with the body it brings, everything else as `internal`. */
export function answerError(reply: FastifyReply, error: unknown): void {
  const { code, message, retryAfterSeconds, shouldRetry, answer } = toErrorShape(error);
  const { status, type } = wireError(code);
  const { raw } = reply;
  if (!raw.headersSent) {
    const seconds = retryAfterSeconds ?? defaultRetryAfter(code);
    if (seconds !== undefined) raw.setHeader('retry-after', Math.max(1, Math.ceil(seconds)));
    const retry = shouldRetry ?? (code === 'not_served' ? false : undefined);
    if (retry !== undefined) raw.setHeader('x-should-retry', String(retry));
    if (code === 'unauthenticated') raw.setHeader('www-authenticate', 'Bearer realm="tidings"');
  }
  answerJson(reply, status, answer ? JSON.stringify(answer) : errorBody(message, type));
}

/** Answers with an error of HTTP itself, for which the interface has no code of its own (408, 414, 431, …). */
export function answerHttpError(reply: FastifyReply, status: number, message: string): void {
  answerJson(reply, status, errorBody(message, status >= 500 ? wireError('internal').type : wireError('invalid_request').type));
}

function defaultRetryAfter(code: ErrorCode): number | undefined {
  return code === 'unavailable' || code === 'rate_limited' ? RETRY_AFTER_SECONDS : undefined;
}

/** Takes the reply out of Fastify's hands; false when it was answered before, or nobody is there to read it. */
function begin(reply: FastifyReply): boolean {
  if (reply.raw.headersSent || reply.raw.destroyed) return false;
  if (reply.server.draining.begun) reply.raw.setHeader('connection', 'close');
  reply.hijack();
  return true;
}
