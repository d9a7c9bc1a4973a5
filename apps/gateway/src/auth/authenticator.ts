import type { FastifyRequest } from 'fastify';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { Scope } from '@tidings/contracts/core/operation';
import type { VerifiedKey } from '@tidings/contracts/identity/keys';
import { isAccountEmail, readCredential, unauthenticated } from './credentials';
import type { KeyVerifier } from './key-verifier';

/** W3C trace context, version 00 and later: passed on as it came, or not at all. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Makes the caller's context from the credential of a request, and from nothing else. */
export class Authenticator {
  constructor(private readonly verifier: KeyVerifier) {}

  /**
   * The context of a caller who may do what needs `scope` (anything, where none is named): at once when the key is remembered.
   * Throws or rejects with `unauthenticated`, `forbidden`, or `unavailable` when the key cannot be verified now.
   */
  authenticate(request: FastifyRequest, scope?: Scope): CallContext | Promise<CallContext> {
    const { keyHash, email } = readCredential(request.headers.authorization);
    const key = this.verifier.verify(keyHash, request.id);
    return key instanceof Promise ? key.then((verified) => admit(verified, email, request, scope)) : admit(key, email, request, scope);
  }
}

function admit(key: VerifiedKey, email: string | undefined, request: FastifyRequest, scope: Scope | undefined): CallContext {
  if (email !== undefined && !isAccountEmail(email, key.account_email)) {
    throw unauthenticated("The user name is not the e-mail address of the key's account");
  }
  if (scope !== undefined && !key.scopes.includes('*') && !key.scopes.includes(scope)) {
    throw new ServiceError('forbidden', `The credential lacks the scope ${scope}`);
  }
  const { traceparent } = request.headers;
  return {
    workspaceId: key.workspace_id,
    scopes: key.scopes,
    mode: key.mode,
    callId: request.id,
    ...(typeof traceparent === 'string' && TRACEPARENT.test(traceparent) && { traceparent }),
  };
}
