import { type CallContext, systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import { hashApiKey } from '@tidings/contracts/identity/api-key';
import { consoleSessions, sessions, type SignIn, type StartSession, type VerifiedSession } from '@tidings/contracts/identity/sessions';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AdminAuthenticator } from '../admin/admin-authenticator';
import { DelayedRefusals, REFUSALS_WAITING_MAX } from '../auth/delayed-refusals';
import type { KeyVerifier } from '../auth/key-verifier';
import {
  assertOwnPage,
  assertOwnRequest,
  csrfTokenOf,
  hashOfSession,
  isBackground,
  newSessionId,
  sessionCookie,
  sessionIdIn,
} from '../auth/session-cookie';
import { answerEmpty, answerJson } from '../http/answers';
import type { KeyOrigins } from '../http/cors';
import { assembler, type HttpParts } from '../request/assemble';
import { routeConsoleOperation } from './console-route';

/** Codes that are tried at once, each with a command. Only one code is right, once: keys need not wait for wrong ones. */
const CODES_TRIED_MAX = REFUSALS_WAITING_MAX;

interface SessionRoutesOptions {
  operators: AdminAuthenticator;
  keys: KeyVerifier;
  client: OperationClient;
  keyOrigins: KeyOrigins;
  version: string;
  /** Who else signs people in; the label of the button. */
  signInWith?: string;
}

/** Routes sign-in, session and sign-out of the console. Call after `routeOperations`, which makes bodies arrive as bytes. */
export function routeSessions(instance: FastifyInstance, options: SessionRoutesOptions) {
  const own = new Sessions(options);
  routeConsoleOperation(instance, consoleSessions.start, (request, reply) => own.start(request, reply));
  routeConsoleOperation(instance, consoleSessions.retrieve, (request, reply) => own.retrieve(request, reply));
  routeConsoleOperation(instance, consoleSessions.end, (request, reply) => own.end(request, reply));
}

class Sessions {
  private readonly refusals = new DelayedRefusals();
  private codesTried = 0;
  private readonly assembleSignIn = assembler(consoleSessions.start);

  constructor(private readonly options: SessionRoutesOptions) {}

  async start(request: FastifyRequest, reply: FastifyReply) {
    const { headers } = request;
    // A page cannot choose the session of a visitor: neither with its own key nor with that of the visitor.
    if (!assertOwnPage(headers)) this.options.keyOrigins.assertAllowed(headers);
    const signIn = this.assembleSignIn(request as HttpParts).request as SignIn;
    const id = newSessionId();
    const earlier = sessionIdIn(headers);
    await this.begin(request.id, signIn, id, earlier).catch((error: unknown) => {
      if (isUnauthenticated(error)) return this.refusals.refuse(error);
      throw error;
    });
    if (earlier !== undefined) this.options.keys.forgetSession(hashOfSession(earlier));
    reply.raw.setHeader('set-cookie', sessionCookie(headers, id));
    answerJson(reply, 200, JSON.stringify({ csrf: csrfTokenOf(id) }));
  }

  async retrieve(request: FastifyRequest, reply: FastifyReply) {
    const id = sessionIdIn(request.headers);
    const found = id === undefined ? undefined : await this.find(id, request);
    const { version } = this.options;
    const session = id !== undefined && found ? { ...toSession(found), version, csrf: csrfTokenOf(id) } : null;
    answerJson(reply, 200, JSON.stringify({ session, sign_in_with: this.options.signInWith }));
  }

  async end(request: FastifyRequest, reply: FastifyReply) {
    const { headers, method } = request;
    const { client, keys } = this.options;
    const id = sessionIdIn(headers);
    if (id !== undefined) {
      assertOwnRequest(method, headers, id);
      const hash = hashOfSession(id);
      if (await this.verify(id, request)) await client.call(sessions.end, systemContext(request.id), { hash });
      keys.forgetSession(hash);
      reply.raw.setHeader('set-cookie', sessionCookie(headers));
    }
    answerEmpty(reply, 204);
  }

  /** Rejects with `unauthenticated` for a wrong key or code. */
  private async begin(callId: string, { key, code }: SignIn, id: string, earlier: string | undefined) {
    const { operators, keys, client } = this.options;
    const context = systemContext(callId);
    const session: StartSession = { hash: hashOfSession(id), ...(earlier !== undefined && { previous_hash: hashOfSession(earlier) }) };
    if ((typeof key === 'string') === (typeof code === 'string')) throw invalid('key or code is required, one of them');
    if (typeof code === 'string') return this.redeem(context, { ...session, code_hash: hashApiKey(code) });
    const operator = operators.signingIn(key!, id);
    if (operator) return client.call(sessions.start, context, { ...session, operator });
    const { workspace_id: workspaceId, key_id } = await keys.verify(hashApiKey(key!), callId);
    return client.call(sessions.start, { ...context, workspaceId }, { ...session, key_id });
  }

  /** @throws ServiceError `rate_limited` while too many codes are tried. */
  private async redeem(context: CallContext, session: StartSession) {
    if (this.codesTried >= CODES_TRIED_MAX) throw new ServiceError('rate_limited', 'Too many codes are tried; try again in a moment');
    this.codesTried += 1;
    try {
      await this.options.client.call(sessions.start, context, session);
    } finally {
      this.codesTried -= 1;
    }
  }

  /** The session that pages are shown; undefined for one that has ended. */
  private async find(id: string, request: FastifyRequest) {
    const session = await this.verify(id, request);
    return session?.operator && !this.options.operators.isCurrent(session.operator, id) ? undefined : session;
  }

  /** The session that identity has; undefined for one that has ended. */
  private async verify(id: string, { id: callId, headers }: FastifyRequest) {
    try {
      return await this.options.keys.verifySession(hashOfSession(id), callId, isBackground(headers));
    } catch (error) {
      if (isUnauthenticated(error)) return undefined;
      throw error;
    }
  }
}

function isUnauthenticated(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'unauthenticated';
}

function toSession(session: VerifiedSession) {
  const { workspace_id: id, workspace_name: name, mode, scopes, role: named, operator, person, key_name, key_hint } = session;
  const role = named ?? null;
  if (operator) return { workspace: null, mode: null, scopes: [], role, key: { name: operator.name, end: null } };
  return { workspace: { id, name }, mode, scopes, role, key: { name: person?.name ?? key_name ?? null, end: key_hint ?? null } };
}
