import { createPublicKey } from 'node:crypto';
import { TOKEN_ALGORITHM, TokenClaims } from '@tidings/contracts/identity/issued-tokens';
import { validate } from '@tidings/contracts/core/validator';
import { isUUID } from 'class-validator';
import { createDecoder, createVerifier, TOKEN_ERROR_CODES } from 'fast-jwt';
import { unauthenticated } from './credentials';

/** Longer than any issued token; all headers together have at most 16 KB. */
const TOKEN_LENGTH_MAX = 12_000;

/** Returns the claims of a token that one key signed and that has not expired. Throws `unauthenticated` for any other. */
export type TokenReader = (token: string) => TokenClaims;

const decode = createDecoder({ complete: true }) as (token: string) => { header: { kid?: unknown } };

/** Id of the signing key that a token names, unverified. Throws `unauthenticated` for a malformed token. */
export function signingKeyIn(token: string) {
  if (token.length > TOKEN_LENGTH_MAX) throw malformed();
  const { kid } = orMalformed(() => decode(token)).header;
  if (!isUUID(kid)) throw malformed();
  return kid as string;
}

/**
 * Returns the reader of the tokens of one signing key.
 * @param x the 32 bytes of its Ed25519 public key, in base64url. No other algorithm is accepted, whatever a token's header contains.
 */
export function tokenReader(x: string): TokenReader {
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }).export({ format: 'pem', type: 'spki' });
  const verify = createVerifier({ key, algorithms: [TOKEN_ALGORITHM] }) as (token: string) => object;
  return (token) => orMalformed(() => validate(TokenClaims, verify(token)));
}

/** The error of a token that is invalid here, whatever the reason. */
export function malformed() {
  return unauthenticated('The token is not one that was issued here, or it was revoked');
}

/** The error of a valid token whose time has ended. */
export function expired() {
  return unauthenticated('The token has expired');
}

/** Replaces the exact reason by a general one: details would only help to forge tokens. */
function orMalformed<Result>(read: () => Result) {
  try {
    return read();
  } catch (error) {
    throw (error as { code?: unknown }).code === TOKEN_ERROR_CODES.expired ? expired() : malformed();
  }
}
