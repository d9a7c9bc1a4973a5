import { cloudEventHeaders, readCloudEventHeaders } from '@tidings/contracts/core/cloud-events';
import { readTraceContext } from '@tidings/tracing/trace-context';
import type { IHeaders, KafkaMessage, Message } from 'kafkajs';
import type { AnyRecord } from '../event-log';
import { parseRecord, type ReadRecord } from '../consumption';
import type { EncodedEvent } from '../new-event';

/** More partitions than any topic has: a record's position is its offset times this, plus its partition. */
const PARTITIONS_MAX = 100_000n;

/** Header of a dead letter, with all its fields but the payload, which is the record's value. */
export const DEAD_LETTER_HEADER = 'dead-letter';

/** Fields of a record's headers beside the event itself. */
export interface Origin {
  /** The topic without its prefix. */
  type: string;
  source: string;
  /** When the event was passed to the log, ms since the epoch. */
  time: number;
}

/** An event as a kafkajs message: JSON value, `null` for a tombstone, CloudEvents headers, those of its trace. */
export function toMessage({ id, key, payload, sequence, headers, trace }: EncodedEvent, { type, source, time }: Origin): Message {
  return { key, value: payload, headers: Object.assign(cloudEventHeaders({ id, type, source, time, sequence }), headers, trace) };
}

/** The trace context in the headers of a record. They are not signed: nothing but spans and logs depends on them. */
function traceOf({ traceparent, tracestate }: IHeaders) {
  return Buffer.isBuffer(traceparent) ? readTraceContext(traceparent.toString('latin1'), tracestate?.toString()) : undefined;
}

/** Grows within a partition, and so within a key; unique in its topic. */
export function positionOf(partition: number, offset: string): string {
  return String(BigInt(offset) * PARTITIONS_MAX + BigInt(partition));
}

/** The partition and the offset of a position. */
export function locationOf(position: string): { partition: number; offset: string } {
  return { partition: Number(BigInt(position) % PARTITIONS_MAX), offset: String(BigInt(position) / PARTITIONS_MAX) };
}

/** A record that none of our processes wrote: nothing is read from it. @param reason what is wrong with its signature. */
export function toUnauthenticated(partition: number, { key, value, headers, offset, timestamp }: KafkaMessage, reason: string): ReadRecord {
  const position = positionOf(partition, offset);
  const record: AnyRecord = { id: position, key: '', payload: null, position, appendedAt: Number(timestamp), size: 0 };
  return { record, text: null, raw: { key, value, headers: headers ?? {} }, unauthenticated: { reason } };
}

/** Parses a message. One written by another producer without our headers gets its position as id. */
export function toRecord(partition: number, message: KafkaMessage): ReadRecord {
  const { key, value, headers, offset, timestamp } = message;
  const position = positionOf(partition, offset);
  const event = readCloudEventHeaders(headers);
  const text = value && value.toString();
  const record: AnyRecord = {
    id: event?.id ?? position,
    key: key?.toString() ?? '',
    payload: null,
    position,
    appendedAt: Number(timestamp),
    sequence: event?.sequence,
    size: text?.length ?? 0,
  };
  if (headers?.traceparent !== undefined) record.trace = traceOf(headers);
  return Object.assign(parseRecord(record, text), { raw: { key, value, headers: headers ?? {} } });
}

/** About how many bytes a message occupies in memory. */
export function bytesOf({ key, value }: Pick<KafkaMessage, 'key' | 'value'>): number {
  return (key?.length ?? 0) + (value?.length ?? 0);
}
