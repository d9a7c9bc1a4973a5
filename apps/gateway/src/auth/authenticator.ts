import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '@tidings/contracts/core/audit';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { VerifiedKey } from '@tidings/contracts/identity/keys';
import { USER_SCOPE_PREFIX } from '@tidings/contracts/identity/issued-tokens';
import { OPERATOR_ROLE, type VerifiedSession } from '@tidings/contracts/identity/sessions';
import { type AccessRule, assertAllowed } from './access-rule';
import { KeyOrigins } from '../http/cors';
import { traceOf } from '../http/observed-requests';
import { after } from './after';
import type { Caller } from './caller';
import { isAccountEmail, readCredential, unauthenticated } from './credentials';
import { KeyVerifier } from './key-verifier';
import { sessionOf } from './session-credential';
import { TokenVerifier } from './token-verifier';

/** Derives the caller's context from the credential of a request, and from nothing else. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly keys: KeyVerifier,
    private readonly tokens: TokenVerifier,
    private readonly keyOrigins: KeyOrigins,
  ) {}

  /**
   * The context of a caller who fulfils `rule` (any caller without a rule): synchronously when the credential is cached.
   * Throws or rejects with `unauthenticated`, `forbidden`, or `unavailable` when the credential cannot be verified now.
   */
  authenticate(request: FastifyRequest, rule?: AccessRule): Caller | Promise<Caller> {
    const { headers, id } = request;
    const found = sessionOf(request, this.keys);
    if (found) {
      return after(found.verified, (session) => {
        if (session.role !== OPERATOR_ROLE) return callerOf(request, rule, session);
        throw new ServiceError('forbidden', "An operator's session has no workspace: sign in with an API key of the workspace");
      });
    }
    const credential = readCredential(headers.authorization);
    const { email } = credential;
    /** @param tokenScopes scopes of a token; absent for the key itself. */
    const admit = (key: VerifiedKey, tokenScopes?: readonly string[]) => {
      if (email !== undefined && !isAccountEmail(email, key.account_email)) {
        throw unauthenticated("The user name is not the e-mail address of the key's account");
      }
      if (tokenScopes === undefined) this.keyOrigins.assertAllowed(headers);
      return callerOf(request, rule, key, tokenScopes);
    };
    if ('token' in credential) return after(this.tokens.verify(credential.token, id), ({ issuer, scopes }) => admit(issuer, scopes));
    return after(this.keys.verify(credential.keyHash, id), (key) => admit(key));
  }
}

/** @throws ServiceError `forbidden` for a caller who does not fulfil the rule. */
function callerOf(
  request: FastifyRequest,
  rule: AccessRule | undefined,
  key: VerifiedKey | VerifiedSession,
  tokenScopes?: readonly string[],
) {
  const person = 'person' in key ? key.person : undefined;
  const caller: Caller = {
    workspaceId: key.workspace_id,
    scopes: tokenScopes ?? key.scopes,
    mode: key.mode,
    recipients: key.recipients,
    callId: request.id,
    keyId: key.key_id,
    ...(person && { person }),
    isToken: tokenScopes !== undefined,
    limits: key.limits,
    ...(rule?.audited && { actor: person ? { type: 'person', ...person } : actorOf(key, tokenScopes) }),
    ...traceOf(request),
  };
  if (rule) assertAllowed(rule, caller, request.params as Record<string, string>);
  return caller;
}

/** The first users that a token names; an audit event has no more. */
const ACTOR_USERS_MAX = 10;

function actorOf({ key_id: id }: VerifiedKey, tokenScopes: readonly string[] | undefined): Actor {
  if (!tokenScopes) return { type: 'api-key', id };
  const users = tokenScopes.flatMap((scope) => (scope.startsWith(USER_SCOPE_PREFIX) ? scope.slice(USER_SCOPE_PREFIX.length) : []));
  return { type: 'token', id, users: users.slice(0, ACTOR_USERS_MAX) };
}
