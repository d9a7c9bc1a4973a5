import { createHash } from 'node:crypto';
import { CURSOR_LENGTH_MAX } from '@tidings/contracts/core/paging';
import { invalid } from '@tidings/contracts/core/refusals';

/** A value of a cursor: of a column the listing is ordered by, in the last row of a page. */
export type CursorValue = string | number | null;

/** Type that a cursor's value must have before it is used in a statement. */
export type CursorKind = 'text' | 'integer' | 'bigint' | 'uuid' | 'instant';

const TAG_LENGTH = 8;

const FITS: Record<CursorKind, (value: unknown) => boolean> = {
  // PostgreSQL accepts neither NUL nor lone surrogates.
  text: (value) => typeof value === 'string' && !value.includes('\0') && value.isWellFormed(),
  integer: (value) => Number.isSafeInteger(value),
  bigint: (value) => typeof value === 'string' && /^-?\d{1,19}$/.test(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value),
  uuid: (value) => typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
  instant: (value) =>
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$/.test(value) && !Number.isNaN(Date.parse(value)),
};

const digest = (tag: string) => createHash('sha256').update(tag).digest('base64url').slice(0, TAG_LENGTH);

/**
 * An opaque, URL-safe cursor. `tag` names the listing with everything that changes which rows it has (workspace, filters,
 * order), so that a cursor of one listing is refused by another.
 */
export function encodeCursor(tag: string, values: readonly CursorValue[]): string {
  return Buffer.from(JSON.stringify([digest(tag), ...values])).toString('base64url');
}

/**
 * The values of a cursor that `encodeCursor` made for the same listing. `kinds`, one for each value, are checked too: clients
 * may forge cursors. Null is accepted where the kind ends in `?`.
 * @throws ServiceError `invalid_request` for anything else.
 */
export function decodeCursor(tag: string, cursor: string, kinds: readonly (CursorKind | `${CursorKind}?`)[]): CursorValue[] {
  const values = parse(tag, cursor);
  if (values?.length !== kinds.length || !kinds.every((kind, index) => fits(values[index], kind))) {
    throw invalid(`cursor "${cursor.slice(0, 100)}" is not valid`);
  }
  return values as CursorValue[];
}

function parse(tag: string, cursor: string) {
  if (cursor.length > CURSOR_LENGTH_MAX || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed) || parsed[0] !== digest(tag)) return undefined;
  return parsed.slice(1) as unknown[];
}

function fits(value: unknown, kind: CursorKind | `${CursorKind}?`): boolean {
  if (value === null && kind.endsWith('?')) return true;
  return FITS[kind.replace('?', '') as CursorKind](value);
}
