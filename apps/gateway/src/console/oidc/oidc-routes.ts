import { Logger } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { consoleSessions, OIDC_PATHS, sessions, type StartOidcSignIn } from '@tidings/contracts/identity/sessions';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { OidcSettings } from '@tidings/runtime/oidc-configuration';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KeyVerifier } from '../../auth/key-verifier';
import { hashOfSession, isSecure, newSessionId, sessionCookie, sessionIdIn } from '../../auth/session-cookie';
import { answerEmpty } from '../../http/answers';
import { assembler, type HttpParts } from '../../request/assemble';
import { routeConsoleOperation } from '../console-route';
import { groupsIn, personIn, roleOf } from './claims';
import { type Identified, Issuer } from './issuer';
import { ownAddress } from './own-address';
import { type RefusalCode, SignInRefusal } from './refusals';
import { type StartedSignIn, StartedSignIns } from './started-sign-ins';

const logger = new Logger('ConsoleSignIn');

/** Sign-ins whose codes are exchanged at once: anyone may begin one, and each is requests to the issuer. */
const FINISHING_MAX = 20;

export interface OidcRoutesOptions {
  /** Absent: no one signs in so. */
  settings?: OidcSettings;
  /** Address of the gateway for browsers, without a slash at its end. Default: what the request names. */
  consoleUrl?: string;
  secretKeys?: readonly Buffer[];
  client: OperationClient;
  keys: KeyVerifier;
}

/** Routes the sign-in of people by OpenID Connect: authorization code with PKCE. Call after `routeOperations`. */
export function routeOidc(instance: FastifyInstance, options: OidcRoutesOptions) {
  const signIns = new OidcSignIns(options);
  routeConsoleOperation(instance, consoleSessions.startOidc, (request, reply) => signIns.start(request, reply));
  routeConsoleOperation(instance, consoleSessions.finishOidc, (request, reply) => signIns.finish(request, reply));
}

class OidcSignIns {
  private readonly issuer: Issuer | undefined;
  private readonly started: StartedSignIns;
  private readonly assembleStart = assembler(consoleSessions.startOidc);
  private finishing = 0;

  constructor(private readonly options: OidcRoutesOptions) {
    const { settings, secretKeys = [] } = options;
    this.issuer = settings && new Issuer(settings);
    this.started = new StartedSignIns(secretKeys);
  }

  /** Leads to the issuer. A page of another origin cannot begin a sign-in: it would end the session of the browser. */
  async start(request: FastifyRequest, reply: FastifyReply) {
    const { headers } = request;
    const to = ownAddress((this.assembleStart(request as unknown as HttpParts).request as StartOidcSignIn).to);
    const site = headers['sec-fetch-site'];
    if (site === 'cross-site' || site === 'same-site') return leadTo(reply, to);
    if (!this.issuer) return refuse(reply, to, 'off');
    const earlier = sessionIdIn(headers);
    const challenge = this.issuer.newChallenge();
    const signIn = {
      challenge,
      redirectUri: this.redirectUriFor(request),
      to,
      ...(earlier !== undefined && { earlier: hashOfSession(earlier) }),
    };
    try {
      if (!URL.canParse(signIn.redirectUri)) throw new SignInRefusal('invalid', 'The header Host names no host');
      const address = await this.issuer.addressFor(challenge, signIn.redirectUri);
      leadTo(reply, address, this.started.cookieOf(signIn, Date.now()));
    } catch (error) {
      this.answerFailure(request, reply, to, error);
    }
  }

  /** What the issuer sends the browser to: opens a session for the person. */
  async finish(request: FastifyRequest, reply: FastifyReply) {
    const { headers, originalUrl } = request;
    const [, query = ''] = /\?(.*)/s.exec(originalUrl) ?? []; // a code may have another question mark
    const signIn = this.started.find(headers, Date.now());
    // Another sign-in of the browser continues.
    if (!this.issuer || signIn?.challenge.state !== new URLSearchParams(query).get('state')) {
      return refuse(reply, signIn?.to ?? ownAddress(undefined), this.issuer ? 'expired' : 'off');
    }
    const removal = this.started.removalOf(signIn);
    try {
      const identified = await this.identify(this.issuer, new URL(`${signIn.redirectUri}?${query}`), signIn);
      const id = await this.open(request.id, identified, signIn);
      const isTls = signIn.redirectUri.startsWith('https:') || isSecure(headers);
      leadTo(reply, signIn.to, removal, sessionCookie(headers, id, isTls));
    } catch (error) {
      reply.raw.setHeader('set-cookie', removal);
      this.answerFailure(request, reply, signIn.to, error);
    }
  }

  private async identify(issuer: Issuer, address: URL, { challenge }: StartedSignIn) {
    if (this.finishing >= FINISHING_MAX) throw new SignInRefusal('busy', `${FINISHING_MAX} sign-ins are being finished`);
    this.finishing += 1;
    try {
      return await issuer.identify(address, challenge);
    } finally {
      this.finishing -= 1;
    }
  }

  /** Opens a session with the role of the person's groups; resolves with its id, which is new. */
  private async open(callId: string, { subject, claims }: Identified, { earlier }: StartedSignIn) {
    const { settings, client, keys } = this.options;
    const { groupsClaim, roles } = settings!;
    const groups = groupsIn(claims, groupsClaim);
    const found = roleOf(groups ?? [], roles);
    if (!found) {
      const had = groups ? `has ${groups.length} groups, and none of the configured ones` : 'is missing';
      throw new SignInRefusal('group', `The claim ${groupsClaim} of person ${JSON.stringify(subject)} ${had}`);
    }
    const id = newSessionId();
    const { role, workspace } = found;
    const person = { ...personIn(claims, subject), role, workspace };
    const session = { hash: hashOfSession(id), ...(earlier !== undefined && { previous_hash: earlier }), person };
    try {
      await client.call(sessions.start, systemContext(callId), session);
    } catch (error) {
      const isMissing = error instanceof ServiceError && error.code === 'not_found';
      throw new SignInRefusal(isMissing ? 'workspace' : 'busy', (error as Error).message, { cause: error });
    }
    if (earlier !== undefined) keys.forgetSession(earlier);
    return id;
  }

  private redirectUriFor({ headers }: FastifyRequest) {
    const { consoleUrl = `${isSecure(headers) ? 'https' : 'http'}://${headers.host ?? ''}` } = this.options;
    return consoleUrl + OIDC_PATHS.callback;
  }

  private answerFailure({ id: requestId }: FastifyRequest, reply: FastifyReply, to: string, error: unknown) {
    if (!(error instanceof SignInRefusal)) throw error;
    logger.warn({ requestId, message: `A sign-in by OpenID Connect was refused (${error.code}). ${error.message}` });
    refuse(reply, to, error.code);
  }
}

/** Leads to the console, which says why. The code is in the fragment, which is sent to no server. */
function refuse(reply: FastifyReply, to: string, code: RefusalCode) {
  leadTo(reply, `${to}#refused=${code}`);
}

function leadTo(reply: FastifyReply, location: string, ...cookies: string[]) {
  const { raw } = reply;
  raw.setHeader('location', location);
  raw.setHeader('referrer-policy', 'no-referrer');
  if (cookies.length > 0) raw.setHeader('set-cookie', cookies);
  answerEmpty(reply, 303);
}
