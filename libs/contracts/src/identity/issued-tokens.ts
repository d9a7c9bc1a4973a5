import { IsIn } from 'class-validator';
import type { KeyMode } from '../core/context';
import { Int, Mode, OptionalFlag, Text, TextOf, Uuid } from '../core/fields';
import { defineOperations, Nothing } from '../core/operation';

export const TOKEN_SCOPE_LENGTH_MAX = 4_096;
export const TOKEN_LIFE_MIN = '1 second';
export const TOKEN_LIFE_MAX = '1 year';
export const TOKEN_ISSUER = 'tidings';

/** Prefix of the scopes `user_id:<id>` that name the users to whom the other scopes of a token apply. */
export const USER_SCOPE_PREFIX = 'user_id:';

/**
 * The scopes of issued tokens, beside `user_id:<id>`; any other scope needs an API key. Scopes of `NARROWED_SCOPES` may name one
 * resource: `read:brands:<brand_id>`.
 */
export const TOKEN_SCOPES = [
  'read:messages',
  'read:user-tokens',
  'write:user-tokens',
  'read:brands',
  'write:brands',
  'read:preferences',
  'write:preferences',
  'inbox:read:messages',
  'inbox:write:events',
] as const;
export const NARROWED_SCOPES: readonly string[] = ['read:brands', 'write:brands'];

/** Scopes that give a token access only to the data of the users it names. */
export const USER_BOUND_SCOPES: ReadonlySet<string> = new Set(TOKEN_SCOPES.filter((scope) => !NARROWED_SCOPES.includes(scope)));

export class IssueToken {
  /**
   * The scopes of the token, separated by blanks. `user_id:<id>`, as often as needed, names the users whose data it may use.
   * @example "user_id:ada read:messages"
   */
  @TextOf(1, TOKEN_SCOPE_LENGTH_MAX) scope: string;

  /**
   * How long the token is valid: a number and a unit, such as `2 hours`, `1d`, `2.5 hrs`, `1m` (a minute); 1 second to 1 year.
   * @example "2 days"
   */
  @TextOf(1, 100) expires_in: string;
}

class IssuedToken {
  /** A JWT. It is a bearer credential until it expires, or until the API key that issued it is revoked. @example "eyJhbGciOiJFZERTQSJ9.e30.c2ln" */
  @Text token: string;
}

export class SignToken extends IssueToken {
  /** The API key that issues it. */
  @Uuid key_id: string;
}

/** The signed claims of a token: its workspace and key, its scopes, its lifetime. */
export class TokenClaims {
  @IsIn([TOKEN_ISSUER]) iss: typeof TOKEN_ISSUER;

  /** Unique id of this token. */
  @Uuid jti: string;

  @Uuid workspace_id: string;

  /** The API key that issued it: revoking the key revokes the token. */
  @Uuid key_id: string;

  @Mode mode: KeyMode;

  /** Separated by blanks. */
  @TextOf(1, TOKEN_SCOPE_LENGTH_MAX) scope: string;

  /** Seconds since the epoch. */
  @Int iat: number;

  /** Seconds since the epoch. */
  @Int exp: number;
}

/** Only Ed25519 signatures are accepted. */
export const TOKEN_ALGORITHM = 'EdDSA';

/** Maximum usable signing keys: the current one, and retired ones whose tokens are still valid. */
export const SIGNING_KEYS_MAX = 1_000;

/** The public half of a signing key. */
export interface VerificationKey {
  /** `kid` in the header of a token. */
  key_id: string;

  /** The Ed25519 public key, 32 bytes in base64url: `x` of its JWK. */
  public_key: string;
}

export class VerificationKeys {
  keys: VerificationKey[];
}

export class RotateSigningKey {
  /** Whether all tokens issued so far are refused, within a second. Otherwise each is valid until it expires. */
  @OptionalFlag revoke_issued?: boolean | null;
}

export class RotatedSigningKey {
  /** Id of the new signing key: `kid` in the header of tokens. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @Uuid key_id: string;
}

export const auth = defineOperations('gateway.auth', 'issued-tokens', {
  /**
   * Issues a token for a browser or an app, with fewer rights than the API key. Only an API key issues tokens; a scope that the key lacks
   * is refused with 403.
   * @example { "scope": "user_id:ada read:messages", "expires_in": "2 days" }
   */
  issueToken: {
    pattern: 'gateway.auth.issue-token',
    route: 'POST /auth/issue-token',
    summary: 'Issue a token with scopes',
    secretAnswer: true,
    request: IssueToken,
    response: IssuedToken,
  },
});

export const issuedTokens = defineOperations('identity.issued-tokens', 'internal', {
  /** `invalid_request` for an unknown scope or lifetime, `forbidden` for a scope that the key itself lacks. */
  sign: {
    summary: 'Sign a token of an API key',
    secretAnswer: true,
    request: SignToken,
    response: IssuedToken,
  },
  /** The keys whose tokens are accepted. After a change, `accessChanged` is published for the system's workspace. */
  verificationKeys: {
    pattern: 'identity.issued-tokens.verification-keys',
    summary: 'List the keys that verify signatures of tokens',
    request: Nothing,
    response: VerificationKeys,
    repeatable: true,
    deadlineMs: 5_000,
  },
  rotateKey: {
    audit: 'own',
    pattern: 'identity.issued-tokens.rotate-key',
    command: true,
    summary: 'Rotate the signing key',
    request: RotateSigningKey,
    response: RotatedSigningKey,
  },
});
