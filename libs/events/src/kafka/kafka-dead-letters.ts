import { cloudEventSource } from '@tidings/contracts/core/cloud-events';
import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { RawRecord, ReadRecord, RecordOrigin } from '../consumption';
import { DEAD_LETTERS_PAGE, type DeadLetter, type StoredDeadLetter } from '../dead-letters';
import type { EncodedEvent } from '../new-event';
import { readToEnd, type TopicReader } from './read-to-end';
import { bytesOf, DEAD_LETTER_HEADER } from './records';

/** Memory limit of one pass, oldest dead letters first; later ones are read in another pass. */
const BYTES_MAX = 64 * 1024 * 1024;
const REASON_CHARACTERS_MAX = 4_096;
/** Keys of the unauthenticated records on a dead topic: compaction keeps the latest one of each. */
const UNAUTHENTICATED_MAX = 1_000;
/** Of a larger unauthenticated record the bytes are not kept. */
const UNAUTHENTICATED_BYTES_MAX = 64 * 1024;

interface HeaderFields extends Omit<DeadLetter, 'payload'> {
  tombstone?: true;
  /** Absent in older dead letters. */
  origin?: RecordOrigin;
  /** Of an unauthenticated record, in base64; the value is in base64 too. */
  raw?: { key?: string; headers: (readonly [string, string])[] };
}

/**
 * A dead letter, for a dead topic. Its key is its id, so that a repeated one replaces the first one, and a tombstone removes it. A record
 * that is none of ours is stored as its bytes, and may replace an earlier one.
 */
export function encodeDeadLetter(id: string, { payload, ...fields }: DeadLetter, { origin, unauthenticated }: ReadRecord): EncodedEvent {
  const reason = fields.reason.slice(0, REASON_CHARACTERS_MAX);
  if (unauthenticated) {
    const { raw, value } = encodeRaw(unauthenticated);
    const key = `unauthenticated.${parseInt(Buffer.from(id, 'base64url').toString('hex', 0, 6), 16) % UNAUTHENTICATED_MAX}`;
    return deadEvent(key, value, { ...fields, reason, raw });
  }
  return deadEvent(id, payload, { ...fields, reason, origin });
}

function deadEvent(key: string, value: string | null, fields: HeaderFields): EncodedEvent {
  const header: HeaderFields = { ...fields, ...(value === null && { tombstone: true }) };
  return { id: key, key, payload: value ?? '', headers: { [DEAD_LETTER_HEADER]: JSON.stringify(header) } };
}

function encodeRaw({ key, value, headers }: RawRecord) {
  const entries = Object.entries(headers).flatMap(([name, values]) => [values ?? []].flat().map((one) => [name, base64(one)] as const));
  const bytes = bytesOf({ key, value }) + entries.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  if (bytes > UNAUTHENTICATED_BYTES_MAX) return { value: '' };
  return { raw: { ...(key && { key: base64(key) }), headers: entries }, value: value && base64(value) };
}

function base64(bytes: Buffer | string) {
  return Buffer.from(bytes).toString('base64');
}

function parseDeadLetter({ value, headers }: KafkaMessage): Omit<StoredDeadLetter, 'reference'> | undefined {
  const header = headers?.[DEAD_LETTER_HEADER];
  if (!header || value === null) return undefined;
  const { tombstone, origin, raw, ...fields } = JSON.parse(header.toString()) as HeaderFields;
  const text = value.toString();
  if (raw) {
    const bytes = tombstone ? null : Buffer.from(text, 'base64');
    return { deadLetter: { ...fields, payload: bytes && bytes.toString() }, raw: decodeRaw(raw, bytes) };
  }
  // Without a signature, and so never signed: an older dead letter, or a record that was too large.
  const unsigned = { source: cloudEventSource('unknown'), time: fields.appendedAt };
  return { deadLetter: { ...fields, payload: tombstone ? null : text }, origin: origin ?? unsigned };
}

function decodeRaw({ key, headers }: NonNullable<HeaderFields['raw']>, value: Buffer | null): RawRecord {
  const decoded: IHeaders = {};
  for (const [name, text] of headers) decoded[name] = [decoded[name] ?? [], Buffer.from(text, 'base64')].flat();
  return { key: key === undefined ? null : Buffer.from(key, 'base64'), value, headers: decoded };
}

/** The dead letters of a compacted topic by their key, oldest first. @throws ServiceError `unavailable` */
export async function* deadLetterPages(reader: TopicReader, deadTopic: string): AsyncGenerator<StoredDeadLetter[]> {
  const seen = new Set<string>();
  for (let complete = false; !complete;) {
    const found = new Map<string, { stored: Omit<StoredDeadLetter, 'reference'>; at: number; bytes: number }>();
    let bytes = 0;
    complete = true;
    await readToEnd(reader, deadTopic, (message) => {
      const key = message.key?.toString() ?? '';
      const existing = found.get(key);
      const stored = parseDeadLetter(message);
      if (!stored) {
        found.delete(key);
        bytes -= existing?.bytes ?? 0;
      } else if ((!existing || stored.raw) && !seen.has(key)) {
        bytes -= existing?.bytes ?? 0;
        if (bytes >= BYTES_MAX) complete = false;
        else found.set(key, { stored, at: Number(message.timestamp), bytes: bytesOf(message) });
        bytes += found.get(key)?.bytes ?? 0;
      }
    });
    if (found.size === 0) return;
    const pages = [...found]
      .sort(([, one], [, other]) => one.at - other.at) // stable: keeps the order of a partition
      .map(([reference, { stored }]) => ({ reference, ...stored }));
    for (const { reference } of pages) seen.add(reference);
    for (let begin = 0; begin < pages.length; begin += DEAD_LETTERS_PAGE) yield pages.slice(begin, begin + DEAD_LETTERS_PAGE);
  }
}
