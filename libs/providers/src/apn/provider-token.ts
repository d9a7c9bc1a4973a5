import { createPrivateKey } from 'node:crypto';
import { createSigner } from 'fast-jwt';

/** An authentication key of an Apple developer account. */
export interface ApnsKey {
  /** The private key in PEM. */
  readonly key: string;
  readonly keyId: string;
  readonly teamId: string;
}

/** Apple accepts a token for an hour, and a new one at most every 20 minutes. */
const RENEW_AFTER_MS = 40 * 60_000;
const RENEW_AFTER_MS_MIN = 20 * 60_000;

/** What a text must be that `isApnsKey` accepts, in words. */
export const APNS_KEY = 'the private key of an APNs authentication key (the text of the .p8 file), in PEM';

export function isApnsKey(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
    return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

/** The token (JWT, ES256) of an authentication key that every request carries; the same one for 40 minutes. */
export class ProviderToken {
  private readonly sign: (claims: { iss: string; iat: number }) => string;
  private current?: { readonly text: string; readonly madeAtMs: number };

  constructor(
    private readonly key: ApnsKey,
    private readonly now: () => number,
  ) {
    this.sign = createSigner({ key: key.key, algorithm: 'ES256', kid: key.keyId });
  }

  get text(): string {
    const ageMs = this.ageMs;
    // A negative age: the clock was set back since.
    if (!this.current || ageMs >= RENEW_AFTER_MS || ageMs < 0) this.current = this.make();
    return this.current.text;
  }

  /**
   * Apple has refused a token as expired. Whether there is another one now: a token is replaced unless it is so new that Apple would refuse
   * the renewal, as where this machine's clock is wrong.
   */
  renew(refused: string): boolean {
    if (this.current?.text !== refused) return true;
    if (this.ageMs >= 0 && this.ageMs < RENEW_AFTER_MS_MIN) return false;
    this.current = undefined;
    return true;
  }

  private get ageMs() {
    return this.current ? this.now() - this.current.madeAtMs : 0;
  }

  private make() {
    const madeAtMs = this.now();
    return { text: this.sign({ iss: this.key.teamId, iat: Math.floor(madeAtMs / 1_000) }), madeAtMs };
  }
}
