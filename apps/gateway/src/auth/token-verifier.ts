import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { TokenClaims } from '@tidings/contracts/identity/issued-tokens';
import { after } from './after';
import { expired, signingKeyIn, type TokenReader } from './jwt';
import { KeyVerifier } from './key-verifier';
import { VerificationKeys } from './verification-keys';

const SECOND_MS = 1_000;

interface CheckedToken {
  /** Id of the signing key. */
  signedBy: string;
  /** The reader that checked the signature; the check counts for this one only. */
  reader: TokenReader;
  claims: TokenClaims;
  scopes: readonly string[];
}

/**
 * Verifies tokens: signed by a key of this installation, not expired, issued by a valid API key. All parts are cached, none for
 * longer than an API key itself.
 */
@Injectable()
export class TokenVerifier {
  /** Tokens with a checked signature. */
  private readonly checked = new LRUCache<string, CheckedToken>({ max: 10_000 });

  constructor(
    private readonly signers: VerificationKeys,
    private readonly keys: KeyVerifier,
  ) {}

  /**
   * The scopes of a token that is valid now, and the key that issued it. Throws or rejects with `unauthenticated`, or `unavailable` when
   * it cannot be verified now.
   */
  verify(token: string, callId: string) {
    const name = hash('sha256', token, 'base64');
    const seen = this.checked.get(name);
    const signedBy = seen?.signedBy ?? signingKeyIn(token);
    return after(this.signers.find(signedBy, callId), (reader) => {
      const { claims, scopes } = seen?.reader === reader ? seen : this.check(name, token, signedBy, reader);
      if (claims.exp * SECOND_MS <= Date.now()) throw expired(); // it may have been valid when its signature was checked
      return after(this.keys.verifyIssuer(claims.workspace_id, claims.key_id, callId), (issuer) => ({ issuer, scopes }));
    });
  }

  private check(name: string, token: string, signedBy: string, reader: TokenReader) {
    const claims = reader(token);
    const checked = { signedBy, reader, claims, scopes: claims.scope.split(' ') };
    this.checked.set(name, checked);
    return checked;
  }
}
