import { createHash, randomFillSync } from 'node:crypto';
import { notFound } from '../core/refusals';

/** `1-`, the second of acceptance in 8 hex digits, `-`, 24 hex digits. */
const MESSAGE_ID = /^1-([0-9a-f]{8})-([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** Ids of one millisecond differ in a counter, so that ids of one process grow; no process makes more in a millisecond. */
const COUNTER_MAX = 0xfff;
let counter = 0;
let countedMs = 0;

/**
 * A new message id for the instant `nowMs`. Its digits after the second are the millisecond, a counter and 72 random
 * bits. Ids sort by time, so "newest first" is a scan of the primary key.
 */
export function newMessageId(nowMs: number): string {
  counter = nowMs !== countedMs || counter === COUNTER_MAX ? 0 : counter + 1;
  countedMs = nowMs;
  const second = Math.floor(nowMs / 1000);
  const tail = hex(nowMs % 1000, 3) + hex(counter, 3) + randomHex();
  return `1-${hex(second, 8)}-${tail}`;
}

/** The instant of acceptance to the second, in ms since the epoch. */
export function messageIdTime(id: string): number {
  return parseInt(id.slice(2, 10), 16) * 1000;
}

/** The 16 bytes of the id in PostgreSQL's notation of a `uuid`; `undefined` if it is no message id. */
export function messageIdToUuid(id: string): string | undefined {
  return MESSAGE_ID.exec(id)?.slice(1).join('-');
}

/** The inverse of `messageIdToUuid`. */
export function uuidToMessageId(uuid: string): string {
  return `1-${uuid.slice(0, 8)}-${uuid.slice(9).replaceAll('-', '')}`;
}

/** The `uuid` of an id of a message, or of another resource (`what`). @throws ServiceError `not_found` if it has another form. */
export function requireMessageUuid(id: string, what = 'Message'): string {
  const uuid = messageIdToUuid(id);
  if (!uuid) throw notFound(`${what} ${id.slice(0, 60)} does not exist`);
  return uuid;
}

/** The id with the second of another instant, for a record that belongs to the id and that time. */
export function messageIdAt(id: string, instantMs: number): string {
  return `1-${hex(Math.floor(instantMs / 1000), 8)}${id.slice('x-xxxxxxxx'.length)}`;
}

const RANDOM_BYTES = 9;
/** Random bytes, generated in bulk: a system call for each id would dominate its cost. */
const pool = Buffer.alloc(RANDOM_BYTES * 256);
let drawn = pool.length;

function randomHex() {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  return pool.toString('hex', drawn, (drawn += RANDOM_BYTES));
}

function hex(value: number, digits: number) {
  return value.toString(16).padStart(digits, '0');
}

/**
 * The id of a request's message to one recipient. Equal for equal request, target and recipient, so a repeated expansion makes no
 * duplicates. It has the second of the request.
 */
export function derivedMessageId(requestId: string, target: number, recipient: string): string {
  const digest = createHash('sha256').update(`${requestId}/${target}/${recipient}`).digest('hex');
  return `${requestId.slice(0, 'x-xxxxxxxx-'.length)}${digest.slice(0, DERIVED_DIGITS)}`;
}

const DERIVED_DIGITS = 24;
