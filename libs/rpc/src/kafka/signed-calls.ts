import type { ServiceName } from '@tidings/contracts/core/operation';
import { RecordSigner, SIGNATURE_LENGTH } from '@tidings/kafka/record-signer';
import { type Refusal, RefusedRecords } from '@tidings/kafka/refused-records';
import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { BrokerClock } from './broker-clock';
import { decodeFrame, decodeReplyKey, encodeFrame, HEADER, PING, replyKey, type ReplyAddress, type RequestFrame } from './call-header';
import { CALLING_ROLES } from './rpc-topics';

/** A record that was sent longer ago is refused: far shorter than the call journal remembers, longer than every deadline. */
const WINDOW_MS = 60_000;

interface SignedCallsOptions {
  signer: RecordSigner;
  clock: BrokerClock;
  /** Whether records without a signature are accepted too, during the upgrade from a version that did not sign. */
  acceptsUnsigned: boolean;
  /** Called for every record that is refused. */
  onRefused(reason: Refusal): void;
}

/**
 * Writes and reads requests and replies, which our processes alone can sign. A refused record is counted, and must be dropped. The
 * signature is the last element of a request's header, and the end of a reply's key.
 */
export class SignedCalls {
  private readonly refused = new RefusedRecords<Refusal>(this.options.onRefused);

  constructor(private readonly options: SignedCallsOptions) {}

  /** The headers of a request. */
  requestHeaders(topic: string, frame: RequestFrame, body: string): IHeaders {
    const fields = encodeFrame(frame, this.now());
    const signature = this.options.signer.sign(topic, [fields, body]);
    return { [HEADER]: `${fields.slice(0, -1)},"${signature}"]` };
  }

  /** The frame of a request by one of these roles; `undefined` for a record that is refused. */
  readRequest(
    topic: string,
    { headers, value }: Pick<KafkaMessage, 'headers' | 'value'>,
    callers: readonly ServiceName[] = CALLING_ROLES,
  ): RequestFrame | undefined {
    const header = headers?.[HEADER];
    if (!Buffer.isBuffer(header)) return this.refuse(topic, 'malformed');
    const { text, signature } = splitHeader(header.toString());
    const fault = this.faultOf(topic, signature, [text, value]);
    if (fault) return this.refuse(topic, fault);
    const decoded = decodeFrame(text);
    if (!decoded) return this.refuse(topic, 'malformed');
    const { replyRole } = decoded.frame;
    if (replyRole && !callers.includes(replyRole)) return this.refuse(topic, 'not a caller');
    return this.isInTime(decoded, signature) ? decoded.frame : this.refuse(topic, 'outside the time window');
  }

  /** The key of a reply. */
  replyKey(topic: string, request: string, member: string, value: string): string {
    const key = replyKey(request, member, this.now());
    return `${key}.${this.options.signer.sign(topic, [key, value])}`;
  }

  /** The instance that a reply is for, unchecked: it drops the replies of others without a check. */
  instanceOf(key: Buffer | null): string {
    const text = key?.toString('latin1') ?? '';
    return text.slice(0, text.indexOf('.'));
  }

  /** The address of a reply; `undefined` for a record that is refused. */
  readReply(topic: string, { key, value }: Pick<KafkaMessage, 'key' | 'value'>): ReplyAddress | undefined {
    const { text, signature } = splitKey(key?.toString('latin1') ?? '');
    const fault = this.faultOf(topic, signature, [text, value]);
    if (fault) return this.refuse(topic, fault);
    const decoded = decodeReplyKey(text);
    if (!decoded) return this.refuse(topic, 'malformed');
    // A ping measures the broker's clock, and counts once.
    const isInTime = decoded.address.call === PING || this.isInTime(decoded, signature);
    return isInTime ? decoded.address : this.refuse(topic, 'outside the time window');
  }

  private faultOf(topic: string, signature: string | undefined, parts: readonly [string, Buffer | null]) {
    const { signer, acceptsUnsigned } = this.options;
    const fault = signer.faultOf(signature, topic, parts);
    return fault === 'unsigned' && acceptsUnsigned ? undefined : fault;
  }

  private isInTime({ sentAt }: { sentAt?: number }, signature: string | undefined) {
    if (!signature) return true;
    return Math.abs(this.now() - Number(sentAt)) <= WINDOW_MS;
  }

  /** By the broker's clock, ms since the epoch. */
  private now() {
    return Math.round(this.options.clock.now());
  }

  private refuse(topic: string, reason: Refusal) {
    this.refused.note(topic, reason);
    return undefined;
  }
}

/** `[…,"signature"]` → `[…]` and the signature. */
function splitHeader(text: string) {
  const from = text.length - SIGNATURE_LENGTH - 2;
  if (text.slice(from - 2, from) !== ',"' || !isSignature(text.slice(from, -2))) return { text };
  return { text: `${text.slice(0, from - 2)}]`, signature: text.slice(from, -2) };
}

/** `….signature` → `…` and the signature. */
function splitKey(text: string) {
  const from = text.length - SIGNATURE_LENGTH;
  if (text[from - 1] !== '.' || !isSignature(text.slice(from))) return { text };
  return { text: text.slice(0, from - 1), signature: text.slice(from) };
}

function isSignature(text: string) {
  return /^[0-9a-f]{8}\.[\w-]{43}$/.test(text);
}
