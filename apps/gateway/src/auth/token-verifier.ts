import { hash } from 'node:crypto';
import type { TokenClaims } from '@tidings/contracts/identity/issued-tokens';
import type { VerifiedKey } from '@tidings/contracts/identity/keys';
import { expired, signingKeyIn, type TokenReader } from './jwt';
import type { KeyVerifier } from './key-verifier';
import type { VerificationKeys } from './verification-keys';

/** Tokens whose signature is remembered; the least recently used is forgotten first. */
const KNOWN_TOKENS_MAX = 10_000;

const SECOND_MS = 1_000;

/** A token that is good now, and the key that issued it. */
interface VerifiedToken {
  issuer: VerifiedKey;
  scopes: readonly string[];
}

interface CheckedToken {
  /** Id of the signing key. */
  signedBy: string;
  /** What the signature was checked with: another one does not vouch for it. */
  reader: TokenReader;
  claims: TokenClaims;
  scopes: readonly string[];
}

/**
 * Whether a token is good: signed by a key of this installation, not expired, issued by an API key that still opens. All of it is
 * remembered, none of it is believed longer than for an API key itself.
 */
export class TokenVerifier {
  private readonly checked = new Map<string, CheckedToken>();

  constructor(
    private readonly signers: VerificationKeys,
    private readonly issuers: KeyVerifier,
  ) {}

  /** Throws or rejects with `unauthenticated`, or `unavailable` when it cannot be verified now. */
  verify(token: string, callId: string): VerifiedToken | Promise<VerifiedToken> {
    const name = hash('sha256', token, 'base64');
    const seen = this.recall(name);
    const signedBy = seen?.signedBy ?? signingKeyIn(token);
    const judge = (current: TokenReader): VerifiedToken | Promise<VerifiedToken> => {
      const { claims, scopes } = seen?.reader === current ? seen : this.check(name, token, signedBy, current);
      if (claims.exp * SECOND_MS <= Date.now()) throw expired(); // it may have been good when it was checked
      const issuer = this.issuers.verifyIssuer(claims.workspace_id, claims.key_id, callId);
      return issuer instanceof Promise ? issuer.then((key) => ({ issuer: key, scopes })) : { issuer, scopes };
    };
    const reader = this.signers.find(signedBy, callId);
    return reader instanceof Promise ? reader.then(judge) : judge(reader);
  }

  private check(name: string, token: string, signedBy: string, reader: TokenReader): CheckedToken {
    const claims = reader(token);
    const checked = { signedBy, reader, claims, scopes: claims.scope.split(' ') };
    this.checked.set(name, checked);
    if (this.checked.size > KNOWN_TOKENS_MAX) this.checked.delete(this.checked.keys().next().value!);
    return checked;
  }

  private recall(name: string): CheckedToken | undefined {
    const checked = this.checked.get(name);
    if (checked) {
      // To the end of the map: the first one is always the least recently used.
      this.checked.delete(name);
      this.checked.set(name, checked);
    }
    return checked;
  }
}
