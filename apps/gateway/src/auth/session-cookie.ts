import { createHmac, hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@tidings/contracts/core/errors';
import { BACKGROUND_HEADER, CSRF_HEADER, SESSION_COOKIE } from '@tidings/contracts/core/session-names';
import { isEqual } from '@tidings/providers/callback/signatures';

/** The id of a session: 32 random bytes in base64url. */
const ID = new RegExp(`(?:^|; ?)${SESSION_COOKIE}=([\\w-]{43})(?:;|$)`);
/** Methods that change nothing. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict';

/** Random bytes of a session's id. */
const ID_BYTES = 32;

/** The id of a new session. */
export function newSessionId() {
  return randomBytes(ID_BYTES).toString('base64url');
}

/** The id in the cookie of a session; undefined without one. */
export function sessionIdIn({ cookie }: IncomingHttpHeaders) {
  return cookie === undefined ? undefined : ID.exec(cookie)?.[1];
}

/** Whether a page made the request by itself, as a timer does. */
export function isBackground(headers: IncomingHttpHeaders) {
  return headers[BACKGROUND_HEADER] !== undefined;
}

/** Name of a session at identity, which does not know its id: SHA-256, lower-case hex. */
export function hashOfSession(id: string) {
  return hash('sha256', id, 'hex');
}

/** What pages of the session send with unsafe methods. Other pages cannot compute it: the cookie is hidden from all of them. */
export function csrfTokenOf(id: string) {
  return createHmac('sha256', id).update(CSRF_HEADER).digest('base64url');
}

/** The value of `Set-Cookie`; without an id it removes the cookie. @param isTls whether the page comes by TLS. Default: as the request says */
export function sessionCookie(headers: IncomingHttpHeaders, id?: string, isTls = isSecure(headers)) {
  const value = id ?? '; Max-Age=0';
  return `${SESSION_COOKIE}=${value}; ${ATTRIBUTES}${isTls ? '; Secure' : ''}`;
}

/**
 * Whether the client came by TLS, which a proxy ended. The page's own origin shows it; other clients have the header of the proxy alone.
 * Both concern the client's own cookie only.
 */
export function isSecure({ origin, 'x-forwarded-proto': forwarded }: IncomingHttpHeaders) {
  if (origin !== undefined && origin !== 'null') return origin.startsWith('https:');
  return (
    String(forwarded ?? '')
      .split(',', 1)[0]!
      .trim() === 'https'
  );
}

/**
 * Whether the browser says that a page of this origin made the request; false where it says nothing.
 * @throws ServiceError `forbidden` for another page.
 */
export function assertOwnPage({ 'sec-fetch-site': site }: IncomingHttpHeaders) {
  if (site === undefined || site === 'same-origin') return site !== undefined;
  throw new ServiceError('forbidden', 'A page of another origin may not use a session: Sec-Fetch-Site must be same-origin');
}

/** @throws ServiceError `forbidden` for an unsafe request with a session's cookie that a page of the session did not make. */
export function assertOwnRequest(method: string, headers: IncomingHttpHeaders, id: string) {
  if (SAFE.has(method)) return;
  assertOwnPage(headers);
  const given = headers[CSRF_HEADER];
  if (typeof given === 'string' && isEqual(given, csrfTokenOf(id))) return;
  throw new ServiceError('forbidden', `The header ${CSRF_HEADER} must be that of the session: GET /console/api/session answers it`);
}
