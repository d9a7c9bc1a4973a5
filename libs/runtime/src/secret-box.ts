import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a secret for the database (AES-256-GCM): nonce, tag, ciphertext. It is bound to `name`, so that it cannot be used
 * instead of another secret.
 */
export function seal(secret: Buffer, name: string, key: Buffer) {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(name));
  const text = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** The secret sealed under this name with one of `keys`; `undefined` when none of them fits. */
export function unseal(sealed: Buffer, name: string, keys: readonly Buffer[]) {
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

/** The keys of a process by id: the first seals, all open. Without keys nothing is sealed. */
export class KeyRing {
  /** The sealing key. */
  readonly first: { readonly id: string; readonly key: Buffer } | undefined;
  private readonly byId: ReadonlyMap<string, Buffer>;

  constructor(keys: readonly Buffer[]) {
    this.byId = new Map(keys.map((key) => [keyIdOf(key), key]));
    const [key] = keys;
    this.first = key && { id: keyIdOf(key), key };
  }

  has(keyId: string): boolean {
    return this.byId.has(keyId);
  }

  /** The secret sealed under this name with the key `keyId`; `undefined` when the key is missing or does not fit. */
  open(sealed: Buffer, name: string, keyId: string) {
    const key = this.byId.get(keyId);
    return key && unseal(sealed, name, [key]);
  }
}

/** Id of a key, stored beside what it sealed; identifies the key without revealing it. */
export function keyIdOf(key: Buffer) {
  return createHash('sha256').update('tidings secret key').update(key).digest('hex').slice(0, 16);
}
