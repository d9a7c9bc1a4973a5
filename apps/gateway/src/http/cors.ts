import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '@tidings/contracts/core/errors';
import { WARNING_HEADER } from '@tidings/contracts/core/warnings';
import { RATE_HEADERS } from './rate-headers';

const ALLOWED_HEADERS = [
  'authorization',
  'content-type',
  'if-match',
  'idempotency-key',
  'x-idempotency-expiration',
  'traceparent',
  'tracestate',
];
const EXPOSED_HEADERS = `x-request-id, etag, retry-after, x-should-retry, ${RATE_HEADERS.join(', ')}, idempotent-replayed, ${WARNING_HEADER}`;
const HEADER_NAME = /^x-[a-z0-9-]{1,100}$/;
/** Most header names of a preflight that are read; the SDKs request about a dozen. */
const REQUESTED_HEADERS_MAX = 50;

/** Longest part of an origin that an error message repeats. */
const QUOTED_ORIGIN_LENGTH_MAX = 100;

/** The origins whose pages may use API keys. A page that has a key shows it to its visitors; tokens of users are made for pages. */
export class KeyOrigins {
  private readonly allowed: ReadonlySet<string>;

  /** @param allowed beside the gateway's own. */
  constructor(allowed: readonly string[] = []) {
    this.allowed = new Set(allowed);
  }

  /** @throws ServiceError `forbidden` for a request of a page of another origin; call it before the request has an effect. */
  assertAllowed({ origin, host }: IncomingHttpHeaders) {
    if (origin === undefined || this.allowed.has(origin) || isOwn(origin, host)) return;
    const quoted = origin.slice(0, QUOTED_ORIGIN_LENGTH_MAX);
    throw new ServiceError(
      'forbidden',
      `A page of ${quoted} may not use an API key: give it a token of its user (POST /auth/issue-token), or add its origin to TIDINGS_CORS_ORIGINS`,
    );
  }
}

/** Whether an origin is the gateway's own, by the host that the client named; a proxy may have ended its TLS. */
function isOwn(origin: string, host: string | undefined) {
  return host !== undefined && /^https?:\/\//.test(origin) && origin.slice(origin.indexOf('//') + 2) === host.toLowerCase();
}

/**
 * Allows the requesting page, of any origin, to read the answer; false when there is no page. A page must set its credential in a header:
 * a token, or the API key of an origin in `KeyOrigins`. A request with a cookie, which browsers add by themselves, is not allowed.
 */
export function allowOrigin({ headers }: FastifyRequest, { raw }: FastifyReply) {
  if (headers.origin === undefined || headers.cookie !== undefined) return false;
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
