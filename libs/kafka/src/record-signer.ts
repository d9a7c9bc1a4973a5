import { hkdfSync, timingSafeEqual } from 'node:crypto';
import { Hmac } from './hmac';

const KEY_BYTES = 32;
const ID_BYTES = 4;
/** Length of no part, which differs from an empty one. */
const ABSENT = -1;
/** Characters of a key id and of a MAC, which a dot separates. */
const ID_LENGTH = 2 * ID_BYTES;
const MAC_LENGTH = 43;
/** Characters of a signature. */
export const SIGNATURE_LENGTH = ID_LENGTH + 1 + MAC_LENGTH;

/** What a key signs; a MAC of one is none of the other. */
export type SignedRecords = 'calls' | 'events';
/** What a key is for. */
type KeyPurpose = SignedRecords | 'sealing';
/** Part of a record: text, its UTF-8 bytes, or nothing. */
type Part = string | Buffer | null;
/** Why a record does not count as written by one of our processes. */
export type SignatureFault = 'unsigned' | 'wrong mac' | 'unknown key';

/** A key, and its id. */
interface RecordKey {
  readonly id: string;
  readonly key: Buffer;
}

interface SigningKey {
  readonly id: string;
  readonly hmac: Hmac;
}

/**
 * Signs records by HMAC-SHA-256, and checks signatures. A signature is `keyId.mac`; the MAC is over the topic without its prefix and
 * the parts of the record with their lengths, so that no part can be moved to another one or to another topic.
 */
export class RecordSigner {
  private readonly keys: readonly [SigningKey, ...SigningKey[]];

  /**
   * @param secrets of `TIDINGS_RPC_SECRET`: the first signs, all verify.
   * @throws RangeError without a secret.
   */
  constructor(
    secrets: readonly string[],
    records: SignedRecords,
    private readonly topicPrefix: string,
  ) {
    const [first, ...others] = secrets.map((secret) => signingKey(secret, records));
    if (!first) throw new RangeError('Records are signed with a secret: there is none');
    this.keys = [first, ...others];
  }

  /** The signature of a record of `topic`, named with its prefix; `SIGNATURE_LENGTH` characters of base64url, digits and a dot. */
  sign(topic: string, parts: readonly Part[]): string {
    const [key] = this.keys;
    return `${key.id}.${this.macOf(key, topic, parts)}`;
  }

  /** What is wrong with a signature; `undefined` for one of ours. */
  faultOf(signature: string | undefined, topic: string, parts: readonly Part[]): SignatureFault | undefined {
    if (!signature) return 'unsigned';
    if (signature.length !== SIGNATURE_LENGTH) return 'wrong mac';
    const id = keyIdOf(signature);
    const used = this.keys.find((key) => key.id === id);
    if (!used) return 'unknown key';
    const given = Buffer.from(signature.slice(ID_LENGTH + 1), 'latin1');
    const mac = Buffer.from(this.macOf(used, topic, parts), 'latin1');
    return timingSafeEqual(given, mac) ? undefined : 'wrong mac';
  }

  private macOf({ hmac }: SigningKey, topic: string, parts: readonly Part[]) {
    let size = 0;
    let head = `${topic.slice(this.topicPrefix.length)}\n`;
    for (const part of parts) {
      const length = lengthOf(part);
      head += `${length},`;
      if (part !== null) size += length;
    }
    head += '\n';
    return hmac.of([head, ...parts], Buffer.byteLength(head) + size);
  }
}

function lengthOf(part: Part) {
  if (part === null) return ABSENT;
  return typeof part === 'string' ? Buffer.byteLength(part) : part.length;
}

/** The id of the key that made a signature. */
export function keyIdOf(signature: string): string {
  return signature.slice(0, ID_LENGTH);
}

/** The key of a secret of `TIDINGS_RPC_SECRET` for one purpose; its id is the same for all purposes. */
export function recordKey(secret: string, purpose: KeyPurpose): RecordKey {
  const derived = (what: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, '', `tidings ${what}`, bytes));
  return { id: derived('key id', ID_BYTES).toString('hex'), key: derived(purpose, KEY_BYTES) };
}

function signingKey(secret: string, records: SignedRecords): SigningKey {
  const { id, key } = recordKey(secret, records);
  return { id, hmac: new Hmac(key) };
}
