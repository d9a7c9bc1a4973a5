import { createHash } from 'node:crypto';

/** MD5 of the value's JSON, in hexadecimal: the interface prescribes the algorithm; nothing secret depends on it. */
export function checksumOf(value: unknown) {
  return createHash('md5')
    .update(JSON.stringify(value) ?? '')
    .digest('hex');
}
