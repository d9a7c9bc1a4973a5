import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a secret for the database (AES-256-GCM): nonce, tag, ciphertext. `name` is bound to it, so that one secret cannot be
 * put in another's place.
 */
export function seal(secret: Buffer, name: string, key: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(name));
  const text = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** The secret that was sealed under this name with one of `keys`; `undefined` where none of them fits. */
export function unseal(sealed: Buffer, name: string, keys: readonly Buffer[]): Buffer | undefined {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const text = sealed.subarray(NONCE_BYTES + TAG_BYTES);
  for (const key of keys) {
    try {
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(name)).setAuthTag(tag);
      return Buffer.concat([decipher.update(text), decipher.final()]);
    } catch {
      // Sealed with another key: the next one may fit.
    }
  }
  return undefined;
}

/** The keys of a process by what they are called: the first seals, all open. Nothing is sealed where there are none. */
export class KeyRing {
  /** What seals. */
  readonly first: { readonly id: string; readonly key: Buffer } | undefined;
  private readonly byId: ReadonlyMap<string, Buffer>;

  constructor(keys: readonly Buffer[]) {
    this.byId = new Map(keys.map((key) => [keyIdOf(key), key]));
    const [key] = keys;
    this.first = key && { id: keyIdOf(key), key };
  }

  /** What the key of that id sealed under this name; `undefined` where the key is not there, or what was sealed is another. */
  open(sealed: Buffer, name: string, keyId: string): Buffer | undefined {
    const key = this.byId.get(keyId);
    return key && unseal(sealed, name, [key]);
  }
}

const KEY_ID_CHARS = 16;

/** What a key is called beside what it sealed: says nothing of the key, and tells it from others. */
export function keyIdOf(key: Buffer): string {
  return createHash('sha256').update('tidings secret key').update(key).digest('hex').slice(0, KEY_ID_CHARS);
}
