import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Origins of pages that may read answers: a list, `*` for all, `false` for none. */
export type CorsOrigins = '*' | readonly string[] | false;

/**
 * All origins. Credentials are never ambient: a page must set them in a header, so another site's page gains nothing that its
 * author could not do without a browser. Cookies are never read and never allowed.
 */
export const DEFAULT_CORS_ORIGINS: CorsOrigins = '*';

const ALLOWED_HEADERS = ['authorization', 'content-type', 'if-match', 'idempotency-key', 'x-idempotency-expiration', 'traceparent'];
const EXPOSED_HEADERS = 'x-request-id, etag, retry-after, x-should-retry, idempotent-replayed, x-tidings-warning';
const PREFLIGHT_SECONDS = 7_200;
const HEADER_NAME = /^x-[a-z0-9-]{1,100}$/;
/** Most header names of a preflight that are read; the SDKs request about a dozen. */
const REQUESTED_HEADERS_MAX = 50;

/** Allows the requesting page to read the answer; false when there is no page or its origin is not allowed. */
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

/** Sets the headers of a preflight answer: the allowed `methods` and the SDKs' headers. */
export function allowPreflight(request: FastifyRequest, reply: FastifyReply, methods: readonly string[], origins: CorsOrigins): void {
  if (request.headers['access-control-request-method'] === undefined || !allowOrigin(request, reply, origins)) return;
  const { raw } = reply;
  raw.setHeader('access-control-allow-methods', methods.join(', '));
  raw.setHeader('access-control-allow-headers', [...new Set([...ALLOWED_HEADERS, ...requestedHeaders(request.headers)])].join(', '));
  raw.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
}

/** The requested `X-` headers: those of the SDKs (`X-Stainless-*`, `X-Fern-*`) change with releases, and no wildcard covers them. */
function requestedHeaders(headers: IncomingHttpHeaders): string[] {
  return String(headers['access-control-request-headers'] ?? '')
    .toLowerCase()
    .split(',', REQUESTED_HEADERS_MAX)
    .map((name) => name.trim())
    .filter((name) => HEADER_NAME.test(name));
}
