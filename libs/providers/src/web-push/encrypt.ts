import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** The keys of a subscription, as its browser made them. */
export interface SubscriptionKeys {
  /** Public key on the curve P-256, 65 bytes. */
  readonly p256dh: Uint8Array;
  /** Secret that the browser shares with the sender, 16 bytes. */
  readonly auth: Uint8Array;
}

/** What is random in a message; given by tests. */
interface Randomness {
  /** 16 bytes. */
  readonly salt: Uint8Array;
  /** Private key of the message on the curve P-256. */
  readonly privateKey?: Uint8Array;
}

export const CURVE = 'prime256v1';
/** Bytes of a text that fits one record, which a push service accepts. */
export const PLAINTEXT_BYTES_MAX = 3_993;
const RECORD_BYTES = 4_096;
/** Marks the end of the text in the last record. */
const DELIMITER = 2;

/**
 * A message for a browser (RFC 8291), in one record of the content encoding `aes128gcm` (RFC 8188): salt, size of a record, public key of
 * the message, ciphertext.
 */
export function encrypt(text: Uint8Array, { p256dh, auth }: SubscriptionKeys, random: Randomness = { salt: randomBytes(16) }): Buffer {
  const { salt, privateKey } = random;
  const ecdh = createECDH(CURVE);
  if (privateKey) ecdh.setPrivateKey(privateKey);
  else ecdh.generateKeys();
  const publicKey = ecdh.getPublicKey();
  const secret = hkdf(ecdh.computeSecret(p256dh), auth, [Buffer.from('WebPush: info\0'), p256dh, publicKey], 32);
  const key = hkdf(secret, salt, [Buffer.from('Content-Encoding: aes128gcm\0')], 16);
  const nonce = hkdf(secret, salt, [Buffer.from('Content-Encoding: nonce\0')], 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_BYTES, 0);
  head.writeUInt8(publicKey.length, 4);
  return Buffer.concat([
    salt,
    head,
    publicKey,
    cipher.update(text),
    cipher.update(Buffer.of(DELIMITER)),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

function hkdf(key: Uint8Array, salt: Uint8Array, info: readonly Uint8Array[], bytes: number) {
  return Buffer.from(hkdfSync('sha256', key, salt, Buffer.concat(info), bytes));
}
