import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Pages of which origins may read answers: a list of origins, or `*` for all; `false` for none. */
export type CorsOrigins = '*' | readonly string[] | false;

/**
 * Every origin. A credential here is never ambient: it stands in a header that a page must know to send, so another
 * site's page gains nothing that its author could not do without a browser. Cookies are never read, and never allowed.
 */
export const DEFAULT_CORS_ORIGINS: CorsOrigins = '*';

const ALLOWED_HEADERS = ['authorization', 'content-type', 'if-match', 'idempotency-key', 'x-idempotency-expiration', 'traceparent'];
const EXPOSED_HEADERS = 'x-request-id, etag, retry-after, x-should-retry, idempotent-replayed, x-tidings-warning';
const PREFLIGHT_SECONDS = 7_200;
const HEADER_NAME = /^x-[a-z0-9-]{1,100}$/;
/** Header names a preflight may ask for; the SDKs ask for about a dozen. */
const REQUESTED_HEADERS_MAX = 50;

/** Marks an answer as readable by the page that asked. Costs nothing where no page did. */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply, origins: CorsOrigins): boolean {
  const { origin } = request.headers;
  if (origin === undefined || origins === false) return false;
  const { raw } = reply;
  if (origins !== '*') {
    raw.setHeader('vary', 'Origin');
    if (!origins.includes(origin)) return false;
  }
  raw.setHeader('access-control-allow-origin', origins === '*' ? '*' : origin);
  raw.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  return true;
}

/** Answers the browser's question before a request: `methods` may be used, with the SDKs' headers. */
export function allowPreflight(request: FastifyRequest, reply: FastifyReply, methods: readonly string[], origins: CorsOrigins): void {
  if (request.headers['access-control-request-method'] === undefined || !allowOrigin(request, reply, origins)) return;
  const { raw } = reply;
  raw.setHeader('access-control-allow-methods', methods.join(', '));
  raw.setHeader('access-control-allow-headers', [...new Set([...ALLOWED_HEADERS, ...requestedHeaders(request.headers)])].join(', '));
  raw.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
}

/** Any `X-` header: the SDKs' own (`X-Stainless-*`, `X-Fern-*`) change from release to release, and no wildcard covers them. */
function requestedHeaders(headers: IncomingHttpHeaders): string[] {
  return String(headers['access-control-request-headers'] ?? '')
    .toLowerCase()
    .split(',', REQUESTED_HEADERS_MAX)
    .map((name) => name.trim())
    .filter((name) => HEADER_NAME.test(name));
}
