import { randomBytes } from 'node:crypto';

const ID_BYTES = 15;

/** A unique random id, safe in a URL: the prefix, `_`, and 20 characters of `A-Z a-z 0-9 - _`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(ID_BYTES).toString('base64url')}`;
}

/** Whether a text has the form of an id with this prefix, whether or not one was made. */
export function hasIdForm(text: string, prefix: string): boolean {
  return new RegExp(`^${prefix}_[\\w-]{20}$`).test(text);
}
