import { createECDH } from 'node:crypto';
import { createSigner } from 'fast-jwt';
import { LRUCache } from 'lru-cache';
import { bytesOf, isPublicKey } from './subscription';
import { CURVE } from './encrypt';

/** The keys by which push services know a sender (RFC 8292), in base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Services accept a token for a day at most. */
const LIFE_MS = 12 * 3_600_000;
const RENEW_AFTER_MS = LIFE_MS / 2;
const KEY_BYTES = 32;
const SERVICES_MAX = 1_000;

/** What is wrong with a pair of keys; undefined if nothing is. */
export function problemOfKeys({ publicKey, privateKey }: VapidKeys): 'publicKey' | 'privateKey' | 'pair' | undefined {
  const [open, secret] = [bytesOf(publicKey), privateBytesOf(privateKey)];
  if (!open || !isPublicKey(open)) return 'publicKey';
  if (!secret) return 'privateKey';
  try {
    const ecdh = createECDH(CURVE);
    ecdh.setPrivateKey(secret);
    return ecdh.getPublicKey().equals(open) ? undefined : 'pair';
  } catch {
    return 'privateKey';
  }
}

/** The value of `Authorization` for each push service; the same for six hours. */
export class VapidTokens {
  private readonly sign = createSigner({ key: pemOf(this.keys), algorithm: 'ES256' });
  private readonly made = new LRUCache<string, { readonly value: string; readonly atMs: number }>({ max: SERVICES_MAX });

  constructor(
    private readonly keys: VapidKeys,
    /** `mailto:` or an https address: whom the service asks about the messages. */
    private readonly subject: string,
    private readonly now: () => number,
  ) {}

  /** @param origin of the service. */
  of(origin: string): string {
    const nowMs = this.now();
    const made = this.made.get(origin);
    // A negative age: the clock was set back since.
    if (made && nowMs >= made.atMs && nowMs - made.atMs < RENEW_AFTER_MS) return made.value;
    const claims = { aud: origin, exp: Math.floor((nowMs + LIFE_MS) / 1_000), sub: this.subject };
    const value = `vapid t=${this.sign(claims)}, k=${Buffer.from(this.keys.publicKey, 'base64').toString('base64url')}`;
    this.made.set(origin, { value, atMs: nowMs });
    return value;
  }
}

/** The private key in PEM (SEC 1), with its public key. */
function pemOf({ publicKey, privateKey }: VapidKeys) {
  const der = Buffer.concat([
    Buffer.from('30770201010420', 'hex'),
    privateBytesOf(privateKey)!,
    // The curve P-256, and the public key as a bit string.
    Buffer.from('a00a06082a8648ce3d030107a144034200', 'hex'),
    Buffer.from(publicKey, 'base64'),
  ]);
  return `-----BEGIN EC PRIVATE KEY-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END EC PRIVATE KEY-----\n`;
}

/** The 32 bytes of a private key; some tools omit zeros at its begin. */
function privateBytesOf(text: string) {
  const bytes = bytesOf(text);
  return bytes && bytes.length <= KEY_BYTES ? Buffer.concat([Buffer.alloc(KEY_BYTES - bytes.length), bytes]) : undefined;
}
