import { randomBytes } from 'node:crypto';

const ID_BYTES = 12;

/** A short id that no other row has or ever had, safe in a URL: `sct_` and 16 characters of `A-Z a-z 0-9 - _`. */
export function newId(prefix: 'sct' | 'tpc' | 'pge'): string {
  return `${prefix}_${randomBytes(ID_BYTES).toString('base64url')}`;
}
