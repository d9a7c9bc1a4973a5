import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WARNING_HEADER } from '@tidings/contracts/core/warnings';

const ALLOWED_HEADERS = ['authorization', 'content-type', 'if-match', 'idempotency-key', 'x-idempotency-expiration', 'traceparent'];
const EXPOSED_HEADERS = `x-request-id, etag, retry-after, x-should-retry, idempotent-replayed, ${WARNING_HEADER}`;
const HEADER_NAME = /^x-[a-z0-9-]{1,100}$/;
/** Most header names of a preflight that are read; the SDKs request about a dozen. */
const REQUESTED_HEADERS_MAX = 50;

/**
 * Allows the requesting page, of any origin, to read the answer; false when there is no page. Credentials are never ambient: a page
 * must set them in a header, so another site's page gains nothing that its author could not do without a browser. Cookies are never
 * read and never allowed.
 */
export function allowOrigin({ headers }: FastifyRequest, { raw }: FastifyReply) {
  if (headers.origin === undefined) return false;
  raw.setHeader('access-control-allow-origin', '*');
  raw.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  return true;
}

/** Sets the headers of a preflight answer: the allowed `methods` and the SDKs' headers. */
export function allowPreflight(request: FastifyRequest, reply: FastifyReply, methods: readonly string[]) {
  if (request.headers['access-control-request-method'] === undefined || !allowOrigin(request, reply)) return;
  const { raw } = reply;
  raw.setHeader('access-control-allow-methods', methods.join(', '));
  raw.setHeader('access-control-allow-headers', [...new Set([...ALLOWED_HEADERS, ...requestedHeaders(request.headers)])].join(', '));
  raw.setHeader('access-control-max-age', 7_200);
}

/** The requested `X-` headers: those of the SDKs (`X-Stainless-*`, `X-Fern-*`) change with releases, and no wildcard covers them. */
function requestedHeaders(headers: IncomingHttpHeaders) {
  return String(headers['access-control-request-headers'] ?? '')
    .toLowerCase()
    .split(',', REQUESTED_HEADERS_MAX)
    .map((name) => name.trim())
    .filter((name) => HEADER_NAME.test(name));
}
