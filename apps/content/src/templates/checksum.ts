import { hash } from 'node:crypto';

/** MD5 of the value's JSON, in hexadecimal: the interface prescribes the algorithm; nothing secret depends on it. */
export function checksumOf(value: unknown) {
  return hash('md5', JSON.stringify(value) ?? '');
}
