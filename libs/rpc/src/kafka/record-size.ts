import { ServiceError } from '@tidings/contracts/core/errors';

/** Headers, signature and framing of a record, in bytes. */
const OVERHEAD_BYTES = 4_096;
/** Of a UTF-16 unit. */
const UTF8_BYTES_MAX = 3;
/** Characters of a batch, where brokers accept so much. */
export const BATCH_LENGTH_MAX = 4 * 1024 * 1024;
/** Of a batch: its headers, and characters of several bytes. */
const BATCH_PART = 4;

/** Whether brokers that accept records of so many bytes refuse one with this value. */
export function isTooLarge(value: string, recordBytesMax: number): boolean {
  const bytesMax = recordBytesMax - OVERHEAD_BYTES;
  return value.length * UTF8_BYTES_MAX > bytesMax && Buffer.byteLength(value) > bytesMax;
}

/** Characters of a batch that such brokers accept: their limit counts for a batch as well. */
export function batchLengthMax(recordBytesMax: number): number {
  return Math.min(BATCH_LENGTH_MAX, Math.floor(recordBytesMax / BATCH_PART));
}

/** The error of a request or reply that the brokers refuse. @param what begins the sentence */
export function tooLargeForKafka(what: string): ServiceError {
  return new ServiceError('payload_too_large', `${what} is larger than Kafka accepts here (TIDINGS_KAFKA_MAX_MESSAGE_BYTES)`);
}
