import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';
import { recordKey } from './record-signer';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A sealed text: id of its key, and nonce, tag and ciphertext in base64. JSON never begins like this. */
const PREFIX = 'sealed:';
const SEALED = /^sealed:([0-9a-f]{8}):([A-Za-z0-9+/]*=*)$/;

/**
 * Encrypts texts of records that carry credentials, for our processes alone. Each is bound to a name, so that it cannot be taken for
 * another one.
 */
export class RecordSealer {
  private readonly keys: readonly [SealingKey, ...SealingKey[]];

  /**
   * @param secrets of `TIDINGS_RPC_SECRET`: the first seals, all open.
   * @throws RangeError without a secret.
   */
  constructor(secrets: readonly string[]) {
    const [first, ...others] = secrets.map((secret) => recordKey(secret, 'sealing'));
    if (!first) throw new RangeError('Records are sealed with a secret: there is none');
    this.keys = [first, ...others];
  }

  /** The sealed text. */
  seal(text: string, name: string): string {
    const [{ id, key }] = this.keys;
    const nonce = nextNonce();
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(name));
    const box = [cipher.update(text), cipher.final()];
    return `${PREFIX}${id}:${Buffer.concat([nonce, cipher.getAuthTag(), ...box]).toString('base64')}`;
  }

  /** The text that was sealed under this name, and a text that is not sealed as it is; `undefined` where no key of ours opens it. */
  open(text: string, name: string): string | undefined {
    if (!text.startsWith(PREFIX)) return text;
    const [, keyId, box = ''] = SEALED.exec(text) ?? [];
    const used = this.keys.find(({ id }) => id === keyId);
    if (!used) return undefined;
    const bytes = Buffer.from(box, 'base64');
    const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)];
    try {
      const decipher = createDecipheriv(CIPHER, used.key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(name)).setAuthTag(tag);
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString();
    } catch {
      return undefined;
    }
  }
}

/** Nonces that are drawn together: a draw of 12 bytes costs as much as one of 3 KB. */
const nonces = { bytes: Buffer.alloc(NONCE_BYTES * 256), at: NONCE_BYTES * 256 };

function nextNonce() {
  if (nonces.at === nonces.bytes.length) {
    randomFillSync(nonces.bytes);
    nonces.at = 0;
  }
  nonces.at += NONCE_BYTES;
  return nonces.bytes.subarray(nonces.at - NONCE_BYTES, nonces.at);
}

interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
}
