import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { TokenClaims, VerificationKey } from '@tidings/contracts/identity/issued-tokens';
import type { VerifiedKey } from '@tidings/contracts/identity/keys';

const SECOND_MS = 1_000;

/** Signs tokens like identity, with overrides for specs. */
export class TokenSigner {
  readonly id = randomUUID();
  private readonly pair = generateKeyPairSync('ed25519');

  /** The verification key of this signer, as identity returns it. */
  get verificationKey(): VerificationKey {
    return { key_id: this.id, public_key: this.pair.publicKey.export({ format: 'jwk' }).x! };
  }

  /** A token of `issuer`, valid for an hour. */
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
