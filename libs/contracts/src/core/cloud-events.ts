/**
 * Event attributes as Kafka record headers: binary content mode of the CloudEvents 1.0.2 Kafka binding. Both the log and the
 * AsyncAPI document are built from these names.
 */
export const CLOUD_EVENT_HEADERS = {
  specversion: 'ce_specversion',
  id: 'ce_id',
  type: 'ce_type',
  source: 'ce_source',
  time: 'ce_time',
  /** The extension `sequence`. */
  sequence: 'ce_sequence',
  datacontenttype: 'content-type',
} as const;

/** Header with the signature of a record, which our processes check. Readers need not: see docs/security.md. */
export const SIGNATURE_HEADER = 'tidings-signature';

export const CLOUD_EVENTS_VERSION = '1.0';
export const JSON_CONTENT_TYPE = 'application/json';
/** The extension requires text that sorts like its numbers: zero-padded to the digits of the largest 64-bit integer. */
export const SEQUENCE_DIGITS = 19;
const SEQUENCE = new RegExp(`^\\d{1,${SEQUENCE_DIGITS}}$`);

/** The attributes of an event in the headers; its payload is the record's value, its key the record's key. */
interface CloudEvent {
  /** Stable: the same event written twice has the same id. */
  id: string;
  /** The topic without its prefix, `tidings.message-history.v1`. */
  type: string;
  /** A URI reference; see `cloudEventSource`. */
  source: string;
  /** When the producer appended it, ms since the epoch, by the producer's clock. */
  time: number;
  /** Running number of the key, decimal digits without leading zeros. */
  sequence?: string;
}

/** A header value as Kafka clients return or accept it: text, or bytes that `toString` decodes as UTF-8. */
type HeaderValue = string | { toString(): string };
/** kafkajs returns several values of one name as an array. */
type RecordHeaders = Readonly<Record<string, HeaderValue | readonly HeaderValue[] | undefined>>;

/** The `source` attribute of the events of a process: `/tidings/messaging`. */
export function cloudEventSource(process: string): string {
  return `/tidings/${encodeURIComponent(process)}`;
}

/** The record headers of an event. @throws RangeError when the running number is not 1 to `SEQUENCE_DIGITS` decimal digits. */
export function cloudEventHeaders({ id, type, source, time, sequence }: CloudEvent): Record<string, string> {
  return {
    [CLOUD_EVENT_HEADERS.specversion]: CLOUD_EVENTS_VERSION,
    [CLOUD_EVENT_HEADERS.id]: id,
    [CLOUD_EVENT_HEADERS.type]: type,
    [CLOUD_EVENT_HEADERS.source]: source,
    [CLOUD_EVENT_HEADERS.time]: new Date(time).toISOString(),
    ...(sequence !== undefined && { [CLOUD_EVENT_HEADERS.sequence]: sortable(sequence) }),
    [CLOUD_EVENT_HEADERS.datacontenttype]: JSON_CONTENT_TYPE,
  };
}

/** The event attributes in a record's headers; undefined if a required attribute is missing or the version differs. */
export function readCloudEventHeaders(headers: RecordHeaders = {}): CloudEvent | undefined {
  const read = (name: keyof typeof CLOUD_EVENT_HEADERS) => textOf(headers[CLOUD_EVENT_HEADERS[name]]);
  const [id, type, source, time, sequence] = [read('id'), read('type'), read('source'), Date.parse(read('time') ?? ''), read('sequence')];
  if (read('specversion') !== CLOUD_EVENTS_VERSION || !id || !type || !source || Number.isNaN(time)) return undefined;
  return { id, type, source, time, ...(sequence !== undefined && { sequence: sequence.replace(/^0+(?=\d)/, '') }) };
}

function sortable(sequence: string) {
  if (!SEQUENCE.test(sequence)) throw new RangeError(`A running number has 1 to ${SEQUENCE_DIGITS} digits, this one is "${sequence}"`);
  return sequence.padStart(SEQUENCE_DIGITS, '0');
}

function textOf(value: RecordHeaders[string]) {
  const last = Array.isArray(value) ? (value as readonly HeaderValue[]).at(-1) : value;
  return last?.toString();
}
