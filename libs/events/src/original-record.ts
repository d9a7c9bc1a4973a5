import { gunzipSync, gzipSync } from 'node:zlib';
import { invalid } from '@tidings/contracts/core/refusals';
import type { EncodedEvent, RawRecord } from './new-event';

/** Above every record that a topic accepts. */
const BYTES_MAX = 64 * 1024 * 1024;

interface TransportedRecord extends Omit<EncodedEvent, 'raw' | 'headers'> {
  raw?: TransportedBytes;
}

/** The bytes of a record in base64. */
export interface TransportedBytes {
  key: string | null;
  value: string | null;
  headers: readonly (readonly [name: string, value: string])[];
}

/** A record that is to be put back, as text that another process decodes. */
export function encodeOriginal({ id, key, payload, sequence, raw }: EncodedEvent): string {
  const record: TransportedRecord = raw ? { id, key, payload: null, raw: encodeBytes(raw) } : { id, key, payload, sequence };
  return gzipSync(JSON.stringify(record)).toString('base64');
}

/** The record of a text that `encodeOriginal` made. @throws ServiceError `invalid_request` for another text. */
export function decodeOriginal(text: string): EncodedEvent {
  try {
    const json = gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: BYTES_MAX }).toString();
    const { raw, ...record } = JSON.parse(json) as TransportedRecord;
    return { ...record, ...(raw && { raw: decodeBytes(raw) }) };
  } catch {
    throw invalid('A record that is to be put back is not readable');
  }
}

/** The bytes of a record as text. */
export function encodeBytes({ key, value, headers }: RawRecord): TransportedBytes {
  const entries = Object.entries(headers).flatMap(([name, values]) => [values ?? []].flat().map((one) => [name, base64(one)] as const));
  return { key: key && base64(key), value: value && base64(value), headers: entries };
}

/** The bytes that `encodeBytes` encoded. */
export function decodeBytes({ key, value, headers }: TransportedBytes): RawRecord {
  const decoded = new Map<string, Buffer | Buffer[]>();
  for (const [name, text] of headers) {
    const [before, bytes] = [decoded.get(name), Buffer.from(text, 'base64')];
    decoded.set(name, before === undefined ? bytes : [before, bytes].flat());
  }
  return { key: bytesOf(key), value: bytesOf(value), headers: Object.fromEntries(decoded) };
}

function bytesOf(text: string | null) {
  return text === null ? null : Buffer.from(text, 'base64');
}

function base64(bytes: Buffer | string) {
  return Buffer.from(bytes).toString('base64');
}
