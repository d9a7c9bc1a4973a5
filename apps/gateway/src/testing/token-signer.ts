import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { TokenClaims, VerificationKey } from '@tidings/contracts/identity/issued-tokens';
import type { VerifiedKey } from '@tidings/contracts/identity/keys';

const SECOND_MS = 1_000;

/** Signs tokens as identity does, and otherwise where a spec asks for it. */
export class TokenSigner {
  readonly id = randomUUID();
  private readonly pair = generateKeyPairSync('ed25519');

  /** What identity says of this signer. */
  get verificationKey(): VerificationKey {
    return { key_id: this.id, public_key: this.pair.publicKey.export({ format: 'jwk' }).x! };
  }

  /** A token of `issuer` for an hour. */
  issue(issuer: VerifiedKey, scope: string, { claims, head }: { claims?: Partial<TokenClaims>; head?: object } = {}): string {
    const now = Math.floor(Date.now() / SECOND_MS);
    return this.sign(
      { alg: 'EdDSA', typ: 'JWT', kid: this.id, ...head },
      {
        iss: 'tidings',
        jti: randomUUID(),
        workspace_id: issuer.workspace_id,
        key_id: issuer.key_id,
        mode: issuer.mode,
        scope,
        iat: now,
        exp: now + 3_600,
        ...claims,
      },
    );
  }

  sign(head: object, payload: unknown): string {
    const signed = [head, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${signed}.${sign(null, Buffer.from(signed), this.pair.privateKey).toString('base64url')}`;
  }
}
