import { createHmac, timingSafeEqual } from 'node:crypto';
import { messageIdToUuid, uuidToMessageId } from '@tidings/contracts/messaging/message-id';

const MAC_BYTES = 10;
/** `b+`, the 16 bytes of the message id and the signature. */
const LOCAL_PART = /^b\+([0-9a-f]{32})([0-9a-f]{20})$/;

/** Return paths of mails, one for each message: what comes to one is about that message. Only holders of the key can make one. */
export class BounceAddresses {
  private readonly keys: readonly Buffer[];

  /** @param keys the first signs, all verify; at least one. */
  constructor(
    readonly domain: string,
    keys: readonly Buffer[],
  ) {
    this.keys = keys.map((key) => createHmac('sha256', key).update('tidings bounce addresses').digest());
  }

  /** The return path of the mails of a message. */
  of(messageId: string): string {
    const id = messageIdToUuid(messageId)!.replaceAll('-', '');
    return `b+${id}${signatureOf(id, this.keys[0]!).toString('hex')}@${this.domain}`;
  }

  /** The message of a return path; undefined for any other address. Mail servers may change the case. */
  messageIn(address: string): string | undefined {
    const at = address.lastIndexOf('@');
    if (address.slice(at + 1).toLowerCase() !== this.domain) return undefined;
    const [, id, signature] = LOCAL_PART.exec(address.slice(0, at).toLowerCase()) ?? [];
    if (id === undefined || signature === undefined) return undefined;
    const given = Buffer.from(signature, 'hex');
    if (!this.keys.some((key) => timingSafeEqual(signatureOf(id, key), given))) return undefined;
    return uuidToMessageId(`${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`);
  }
}

function signatureOf(id: string, key: Buffer) {
  return createHmac('sha256', key).update(id).digest().subarray(0, MAC_BYTES);
}
