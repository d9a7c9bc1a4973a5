import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import type { EventDefinition } from '@tidings/contracts/core/event';
import type { TraceContext } from '@tidings/tracing/trace-context';
import type { IHeaders } from 'kafkajs';
import type { NewEvent } from './event-log';

const ID_LENGTH_MAX = 64;
const KEY_LENGTH_MAX = 8_192;
/** Above the largest body the gateway accepts; a larger payload must be sent as a reference. */
const PAYLOAD_CHARACTERS_MAX = 8 * 1024 * 1024;
/** Half a character: UTF-8 cannot encode it. */
const LONE_SURROGATE = /\p{Surrogate}/u;

const SEQUENCE = /^\d{1,19}$/;
const LEADING_ZEROS = /^0+(?=\d)/;

/** An event as every log stores it. */
export interface EncodedEvent {
  id: string;
  key: string;
  /** JSON text; `null` is a tombstone. */
  payload: string | null;
  /** Running number, 1 to 19 decimal digits without leading zeros, so that equal numbers are equal texts. */
  sequence?: string;
  /** Which trace its record carries on. */
  trace?: TraceContext;
  /** Further headers of its record, in a log that has headers. */
  headers?: Record<string, string>;
  /** Instead of all that, in a log that signs its records: one that is put back byte by byte, with the signature that it had or none. */
  raw?: RawRecord;
}

/** A record as its bytes. */
export interface RawRecord {
  key: Buffer | null;
  value: Buffer | null;
  headers: IHeaders;
}

/**
 * Encodes an event, and refuses one that would make its whole batch fail.
 * @throws ServiceError `invalid_request`, `payload_too_large`.
 */
export function encodeEvent<Payload extends object>(definition: EventDefinition<Payload>, event: NewEvent<Payload>): EncodedEvent {
  const { topic } = definition;
  const { id, payload, sequence } = event;
  const key = event.key ?? (payload === null ? undefined : definition.keyOf(payload));
  if (key === undefined) throw invalid(`A tombstone of ${topic} needs its key`);
  assertEventField(`The id of an event of ${topic}`, id, ID_LENGTH_MAX);
  assertEventField(`The key of an event of ${topic}`, key, KEY_LENGTH_MAX);
  if (sequence !== undefined && !SEQUENCE.test(sequence)) {
    throw invalid(`The running number of an event of ${topic} has 1 to 19 decimal digits (got "${sequence.slice(0, 30)}")`);
  }
  const text = payload === null ? null : JSON.stringify(payload);
  if (text !== null && text.length > PAYLOAD_CHARACTERS_MAX) {
    throw new ServiceError(
      'payload_too_large',
      `An event of ${topic} has at most ${PAYLOAD_CHARACTERS_MAX} characters, this one has ${text.length}`,
    );
  }
  return { id, key, payload: text, sequence: sequence?.replace(LEADING_ZEROS, '') };
}

function assertEventField(what: string, text: string, lengthMax: number) {
  if (text.length === 0 || text.length > lengthMax) {
    throw invalid(`${what} has 1 to ${lengthMax} characters, this one has ${text.length}`);
  }
  if (text.includes('\0') || LONE_SURROGATE.test(text)) throw invalid(`${what} contains a character that cannot be stored`);
}
