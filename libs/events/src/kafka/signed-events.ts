import { CLOUD_EVENT_HEADERS, SIGNATURE_HEADER } from '@tidings/contracts/core/cloud-events';
import { keyIdOf, type RecordSigner, type SignatureFault } from '@tidings/kafka/record-signer';
import { RefusedRecords } from '@tidings/kafka/refused-records';
import type { IHeaders, KafkaMessage, Message } from 'kafkajs';
import { DEAD_LETTER_HEADER } from './records';

/** The headers that a signature covers. Others, such as those that a mirror of the cluster adds, mean nothing to us. */
const SIGNED_HEADERS = [...Object.values(CLOUD_EVENT_HEADERS), DEAD_LETTER_HEADER];

/** Why a record does not count as one of ours. */
export interface EventFault {
  reason: SignatureFault;
  /** Of an unknown key. */
  keyId?: string;
}

interface SignedEventsOptions {
  signer: RecordSigner;
  /** Whether records without a signature are accepted too, during the upgrade from a version that did not sign. */
  acceptsUnsigned: boolean;
  /** Called for every record that is refused, for metrics. */
  onRefused(reason: SignatureFault, topic: string): void;
}

/** Signs the records of events, and checks signatures. A signature has no time limit: events are kept for weeks. */
export class SignedEvents {
  private readonly refused = new RefusedRecords<SignatureFault>(this.options.onRefused);

  constructor(private readonly options: SignedEventsOptions) {}

  /** Adds its signature to the headers of a record. @param topic with its prefix. */
  sign(topic: string, message: Message): Message {
    const signature = this.options.signer.sign(topic, partsOf(message));
    message.headers = Object.assign(message.headers ?? {}, { [SIGNATURE_HEADER]: signature });
    return message;
  }

  /** What is wrong with a record; `undefined` for one of ours. */
  faultOf(topic: string, message: KafkaMessage): EventFault | undefined {
    const header = message.headers?.[SIGNATURE_HEADER];
    if (isRepeated(message.headers)) return { reason: 'wrong mac' };
    const signature = header?.toString('latin1');
    const fault = this.options.signer.faultOf(signature, topic, partsOf(message));
    if (!fault || (fault === 'unsigned' && this.options.acceptsUnsigned)) return undefined;
    return { reason: fault, ...(fault === 'unknown key' && { keyId: keyIdOf(signature!) }) };
  }

  /** Counts a record that is refused, and warns. @param where its partition and offset. */
  noteRefused(topic: string, { reason }: EventFault, where: string): void {
    this.refused.note(topic, reason, where);
  }
}

/** Of a header that appears twice, readers would take one value or the other. */
function isRepeated(headers: IHeaders | undefined) {
  return Array.isArray(headers?.[SIGNATURE_HEADER]) || SIGNED_HEADERS.some((name) => Array.isArray(headers?.[name]));
}

function partsOf({ key, value, headers = {} }: Pick<Message, 'key' | 'value' | 'headers'>) {
  const parts = [key ?? null, value];
  for (const name of SIGNED_HEADERS) parts.push((headers[name] ?? null) as string | Buffer | null);
  return parts;
}
