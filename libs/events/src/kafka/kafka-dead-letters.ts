import { isUtf8 } from 'node:buffer';
import { cloudEventSource, SIGNATURE_HEADER } from '@tidings/contracts/core/cloud-events';
import type { KafkaMessage } from 'kafkajs';
import type { ReadRecord } from '../consumption';
import { type NewDeadLetter, type StoredDeadLetter, deadLetterId, referenceOf } from '../dead-letters';
import type { EncodedEvent, RawRecord } from '../new-event';
import { decodeBytes, encodeBytes, type TransportedBytes } from '../original-record';
import type { Topic } from '../topic';
import { DEAD_LETTER_HEADER, locationOf, positionOf, toMessage } from './records';

const REASON_CHARACTERS_MAX = 4_096;
/** Of a larger unauthenticated record the bytes are not kept. */
const UNAUTHENTICATED_BYTES_MAX = 64 * 1024;
/** Beginning of the keys of unauthenticated records in older dead letters. */
const OLD_UNAUTHENTICATED_KEY = 'unauthenticated.';

interface HeaderFields extends Omit<NewDeadLetter, 'payload'> {
  tombstone?: true;
  /** How the value stands in the dead letter. Absent in older ones: in base64 where `raw` is there, else as text. */
  value?: 'text' | 'base64';
  /** The other bytes of the record, in base64. Absent in older dead letters, and where the bytes are not kept. */
  raw?: { key?: string | null; headers: TransportedBytes['headers'] };
  /** None of our processes wrote the record. */
  unauthenticated?: true;
  /** Bytes of the record, where they are not kept. */
  size?: number;
  /** In older dead letters without `raw`. */
  origin?: { source: string; time: number; signature?: string };
}

/**
 * A dead letter, for a dead topic. Its key is its id, so that a repeated one replaces the first one, and a tombstone removes it.
 * @param isTooLarge the dead topic does not accept it with the bytes of the record.
 */
export function encodeDeadLetter(
  id: string,
  { payload: _, ...fields }: NewDeadLetter,
  { raw, unauthenticated }: ReadRecord,
  isTooLarge = false,
): EncodedEvent {
  const { key, value, headers } = encodeBytes(raw!);
  const size = [key, value, ...headers.flat()].reduce((sum, text) => sum + (text?.length ?? 0), 0);
  const header: HeaderFields = {
    ...fields,
    reason: fields.reason.slice(0, REASON_CHARACTERS_MAX),
    ...(unauthenticated && { unauthenticated: true }),
  };
  if (isTooLarge || (unauthenticated && size > UNAUTHENTICATED_BYTES_MAX)) return deadEvent(id, '', { ...header, size });
  const isText = raw!.value !== null && isUtf8(raw!.value);
  const text = isText ? raw!.value!.toString() : (value ?? '');
  return deadEvent(id, text, {
    ...header,
    value: isText ? 'text' : 'base64',
    raw: { key, headers },
    ...(raw!.value === null && { tombstone: true }),
  });
}

function deadEvent(key: string, payload: string, header: HeaderFields): EncodedEvent {
  return { id: key, key, payload, headers: { [DEAD_LETTER_HEADER]: JSON.stringify(header) } };
}

/** What a dead letter says without the record; undefined for a tombstone, and for a record that is none of ours. */
export function readDeadLetter(topic: Topic, partition: number, message: KafkaMessage) {
  const header = headerOf(message);
  if (!header) return undefined;
  const { group, reason, attempts, position, appendedAt } = header;
  const reference = referenceOf(deadLetterId(topic, header));
  const cursor = positionOf(partition, message.offset);
  const isVerified = !isUnauthenticated(header, message);
  const deadAt = Number(message.timestamp);
  return { reference, group, reason, attempts, position, appendedAt, deadAt, cursor, isVerified, ...locationOf(position) };
}

/** A dead letter with its record; undefined as for `readDeadLetter`. */
export function readStoredDeadLetter(topic: Topic, partition: number, message: KafkaMessage): StoredDeadLetter | undefined {
  const [header, letter] = [headerOf(message), readDeadLetter(topic, partition, message)];
  if (!header || !letter) return undefined;
  const { id, key, sequence } = header;
  const raw = rawOf(topic, header, message);
  const payload = raw?.value?.toString() ?? null;
  return { ...letter, id, key, sequence, payload, ...(raw && { original: { id, key, payload: null, raw } }) };
}

function headerOf({ value, headers }: KafkaMessage): HeaderFields | undefined {
  const text = headers?.[DEAD_LETTER_HEADER];
  if (!text || value === null) return undefined;
  try {
    const header = JSON.parse(text.toString()) as HeaderFields;
    const isOurs = typeof header.group === 'string' && typeof header.reason === 'string' && /^\d+$/.test(header.position);
    return isOurs ? header : undefined;
  } catch {
    return undefined;
  }
}

function isUnauthenticated({ unauthenticated }: HeaderFields, { key }: KafkaMessage) {
  return unauthenticated ?? key?.toString().startsWith(OLD_UNAUTHENTICATED_KEY) ?? false;
}

function rawOf(topic: Topic, header: HeaderFields, message: KafkaMessage): RawRecord | undefined {
  const { id, key, sequence, tombstone, raw, origin, size, appendedAt, value = 'base64' } = header;
  const text = message.value!.toString();
  if (raw) {
    const decoded = decodeBytes({ key: raw.key ?? null, value: null, headers: raw.headers });
    return { ...decoded, value: tombstone ? null : value === 'text' ? message.value : Buffer.from(text, 'base64') };
  }
  if (size !== undefined || isUnauthenticated(header, message)) return undefined;
  // An older dead letter of ours: without a signature it was never signed.
  const { signature, ...own } = origin ?? { source: cloudEventSource('unknown'), time: appendedAt };
  const { headers } = toMessage({ id, key, payload: null, sequence }, { type: topic.topic, ...own });
  const signed = { ...headers, ...(signature && { [SIGNATURE_HEADER]: signature }) };
  return { key: Buffer.from(key), value: tombstone ? null : message.value, headers: signed };
}
