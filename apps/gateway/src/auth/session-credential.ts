import type { FastifyRequest } from 'fastify';
import type { KeyVerifier } from './key-verifier';
import { assertOwnRequest, hashOfSession, isBackground, sessionIdIn } from './session-cookie';

/**
 * The session that is the credential of a request, being verified; undefined without one: `Authorization` has precedence.
 * @throws ServiceError as `assertOwnRequest`.
 */
export function sessionOf({ method, headers, id }: FastifyRequest, keys: KeyVerifier) {
  const sessionId = headers.authorization ? undefined : sessionIdIn(headers);
  if (sessionId === undefined) return undefined;
  assertOwnRequest(method, headers, sessionId);
  return { sessionId, verified: keys.verifySession(hashOfSession(sessionId), id, isBackground(headers)) };
}
