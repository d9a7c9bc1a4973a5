import { IsIn, Matches } from 'class-validator';
import type { KeyMode } from '../core/context';
import {
  IsNested,
  Mode,
  Optional,
  OptionalFlag,
  OptionalNested,
  OptionalOneOf,
  OptionalText,
  OptionalTextOf,
  Text,
  TextOf,
  Texts,
  Uuid,
} from '../core/fields';
import { defineOperations, Nothing } from '../core/operation';
import { VerifiedKey } from './keys';

/** How long a session lives without being used, in seconds: of an API key, and of a role that may change everything. */
export const SESSION_IDLE_SECONDS = 12 * 3_600;
export const SESSION_IDLE_SECONDS_ADMIN = 3_600;
/** How long a session lives at most, and a code that opens one. */
export const SESSION_LIFE_DAYS = 7;
export const SESSION_CODE_LIFE_SECONDS = 3_600;

/** The role of a session that an operators' key opened. */
export const OPERATOR_ROLE = 'operator';
/** The roles of people who signed in by OpenID Connect (`scopesOfRole`). */
export const PERSON_ROLES = ['viewer', 'support', 'editor', 'admin'] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];
export const SESSION_ROLES = [...PERSON_ROLES, OPERATOR_ROLE] as const;
export type SessionRole = (typeof SESSION_ROLES)[number];

/** Where sign-ins by OpenID Connect start, and where the issuer sends the browser back to. */
export const OIDC_PATHS = { start: '/console/api/oidc/sign-in', callback: '/console/api/oidc/callback' } as const;

const CREDENTIAL_LENGTH_MAX = 200;

/** SHA-256 of an id or a code, lower-case hex: neither is ever sent. */
const Hash = Matches(/^[0-9a-f]{64}$/);

/** One of the two is required. */
export class SignIn {
  /** An API key, or a key of the operators. @example "pk_prod_0a1b2c3d4e5f6g7h8i9j" */
  @OptionalTextOf(1, CREDENTIAL_LENGTH_MAX) key?: string | null;

  /** The code of the link that `npm start` prints. It opens one session. @example "kJ8s0Qd1Zr5cXv9mB2nL4pW7yT3uE6aH0gF1iK8oRsM" */
  @OptionalTextOf(1, CREDENTIAL_LENGTH_MAX) code?: string | null;
}

class SignedIn {
  /** The value of `x-tidings-csrf` in requests with the cookie. @example "8vXoY3kq1Lr7cZt0mB5nJ2pW9yD4uE6aH1gF3iK8oRs" */
  @Text csrf: string;
}

/** The workspace of a credential. */
export class NamedWorkspace {
  /** Id of the workspace. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @Uuid id: string;

  /** Name of the workspace, unique in the installation. @example "acme" */
  @Text name: string;
}

/** How people distinguish keys. */
export class SessionKey {
  /** Display name of the API key, or the name of the operator or of the person; `null` if it has none. @example "Shop backend" */
  @OptionalText name: string | null;

  /** The key's last four characters; `null` for a short key, for operators and for people. @example "x9Qz" */
  @OptionalText end: string | null;
}

class ConsoleSession {
  /** Its workspace; `null` for operators. */
  @OptionalNested(NamedWorkspace) workspace: NamedWorkspace | null;

  /** Mode of the API key, `production` for people; `null` for operators. @example "production" */
  @Optional(Mode) mode: KeyMode | null;

  /** What the session may do in the workspace; `*` for everything. @example ["*"] */
  @Texts scopes: string[];

  /**
   * `operator`: it may call `/admin`, and nothing else. Others are those of people who signed in by OpenID Connect. `null`: an API key
   * opened it. Its scopes decide what it may do. @example "editor"
   */
  @OptionalOneOf(SESSION_ROLES) role: SessionRole | null;

  /** The key that opened it, or the person. */
  @IsNested(SessionKey) key: SessionKey;

  /** Version of the gateway. @example "0.2.0" */
  @Text version: string;

  /** The value of `x-tidings-csrf` in requests with the cookie. @example "8vXoY3kq1Lr7cZt0mB5nJ2pW9yD4uE6aH1gF3iK8oRs" */
  @Text csrf: string;
}

class CurrentSession {
  /** The session of the request's cookie; `null` if there is none, or it has ended. */
  @OptionalNested(ConsoleSession) session: ConsoleSession | null;

  /** Who else signs people in, by OpenID Connect: the label of the button; absent if no issuer is configured. @example "Acme" */
  @OptionalText sign_in_with?: string;
}

export class StartOidcSignIn {
  /** The address of the console to be shown afterwards. Default: its first page. @example "/console/messages?status=UNROUTABLE" */
  @OptionalTextOf(1, 2_000) to?: string | null;
}

export class FinishOidcSignIn {
  /** The code of the issuer. @example "Pq1vX3" */
  @OptionalText code?: string | null;

  /** As it was given to the issuer. @example "hLk2" */
  @OptionalText state?: string | null;

  /** Why the issuer refused. @example "access_denied" */
  @OptionalText error?: string | null;
}

/** Sessions of the console. The gateway keeps the id of a session in a cookie; a cookie stands for `Authorization` on every operation. */
export const consoleSessions = defineOperations('gateway.console-sessions', 'sessions', {
  /**
   * Opens a session and sets the cookie `tidings_session`; the earlier session of the request's cookie ends. Refused keys and codes are
   * answered after a second.
   * @example { "key": "pk_prod_0a1b2c3d4e5f6g7h8i9j" }
   */
  start: {
    route: 'POST /console/api/session',
    generation: 'own',
    scope: 'none',
    audit: 'own',
    requiresBody: true,
    summary: 'Sign in to the console',
    request: SignIn,
    response: SignedIn,
  },
  /** Answers 200 also without a session. */
  retrieve: {
    route: 'GET /console/api/session',
    generation: 'own',
    scope: 'none',
    summary: 'Get the session of the console',
    request: Nothing,
    response: CurrentSession,
  },
  /**
   * For browsers: leads to the issuer, with a cookie of ten minutes for the callback. Without an issuer, or while it is unreachable, it
   * leads back to the sign-in of the console, which says so.
   */
  startOidc: {
    pattern: 'gateway.console-sessions.start-oidc',
    route: `GET ${OIDC_PATHS.start}`,
    status: 303,
    generation: 'own',
    scope: 'none',
    summary: 'Sign in to the console by OpenID Connect',
    request: StartOidcSignIn,
    response: Nothing,
  },
  /** For browsers, from the issuer: sets the cookie `tidings_session` and leads to the console, whose sign-in says why it was refused. */
  finishOidc: {
    pattern: 'gateway.console-sessions.finish-oidc',
    route: `GET ${OIDC_PATHS.callback}`,
    status: 303,
    generation: 'own',
    scope: 'none',
    audit: 'own',
    summary: 'Finish a sign-in by OpenID Connect',
    request: FinishOidcSignIn,
    response: Nothing,
  },
  /** Ends the session of the request's cookie everywhere, and removes the cookie. Needs `x-tidings-csrf` where there is a session. */
  end: {
    route: 'DELETE /console/api/session',
    generation: 'own',
    scope: 'none',
    audit: 'own',
    summary: 'Sign out of the console',
    request: Nothing,
  },
});

class WhoAmI {
  /** The workspace of the credential. */
  @IsNested(NamedWorkspace) workspace: NamedWorkspace;

  /** Messages of a `test` key are simulated, those of a `production` key are sent. @example "production" */
  @Mode mode: KeyMode;

  /** Scopes of the credential; `*` for everything. @example ["*"] */
  @Texts scopes: string[];

  /** Version of the product. @example "0.2.0" */
  @Text version: string;
}

/** An operator who signs in. */
export class SigningOperator {
  @TextOf(1, 100) name: string;

  /** HMAC-SHA-256 of the operator's key under the id of the session, hex: it ends the session when the key changes. */
  @Hash proof: string;
}

/** A person whom an issuer of OpenID Connect knows. */
export class SessionPerson {
  /** Subject of the issuer: it stays when the name changes. */
  @TextOf(1, 255) id: string;

  @TextOf(1, 200) name: string;
}

/** A person who signs in to a workspace, by its name. */
export class SigningPerson extends SessionPerson {
  @IsIn(PERSON_ROLES) role: PersonRole;

  @Text workspace: string;
}

/** One of `key_id` (of the caller's workspace), `code_hash`, `operator` and `person`. */
export class StartSession {
  @Hash hash: string;

  /** The session that ends with it. */
  @Optional(Hash) previous_hash?: string;

  @Optional(Uuid) key_id?: string;

  @Optional(Hash) code_hash?: string;

  @OptionalNested(SigningOperator) operator?: SigningOperator;

  @OptionalNested(SigningPerson) person?: SigningPerson;
}

export class NamedSession {
  /** SHA-256 of the session's id, lower-case hex. A text that is none belongs to no session. */
  @TextOf(64) hash: string;
}

export class VerifySession extends NamedSession {
  /** Whether a page made the request by itself: then it is no use of the session. */
  @OptionalFlag background?: boolean;
}

export class AddSessionCode {
  @Hash hash: string;

  /** The API key that a session of the code has. */
  @Uuid key_id: string;
}

/**
 * A session that lives: its key; for a person the scopes of the role; for an operator the system's workspace and no scopes. Without a key
 * `key_id` is the id of the session. `valid_until` is its end unless it is used until then.
 */
export class VerifiedSession extends VerifiedKey {
  /** Absent for operators. */
  workspace_name?: string;

  key_name?: string;

  /** The key's last four characters. */
  key_hint?: string;

  role?: SessionRole;

  operator?: SigningOperator;

  person?: SessionPerson;
}

export const sessions = defineOperations('identity.sessions', 'internal', {
  /** For any valid credential. */
  whoami: {
    route: 'GET /console/api/whoami',
    generation: 'own',
    scope: 'any',
    summary: 'Get the workspace and the scopes of the credential',
    request: Nothing,
    response: WhoAmI,
  },
  /**
   * `unauthenticated` if the key is not valid, or if the code is unknown, was used or has expired; `not_found` if the workspace of a person
   * does not exist.
   */
  start: {
    audit: 'own',
    command: true,
    summary: 'Store a session of the console',
    request: StartSession,
  },
  /** `unauthenticated` if the session is unknown, has ended, or its key has. A call counts as a use of the session, unless `background`. */
  verify: {
    summary: 'Get the workspace and scopes of a session, by the hash of its id',
    request: VerifySession,
    response: VerifiedSession,
    repeatable: true,
    deadlineMs: 5_000,
  },
  /** Ends a session: every process refuses it within a second. Idempotent. */
  end: {
    audit: 'own',
    command: true,
    summary: 'End a session of the console',
    request: NamedSession,
  },
  /** Stores a code of the caller's workspace that opens one session, within an hour. */
  addCode: {
    pattern: 'identity.sessions.add-code',
    command: true,
    summary: 'Store a code that opens a session of the console',
    request: AddSessionCode,
  },
});
