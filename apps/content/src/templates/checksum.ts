import { createHash } from 'node:crypto';

/** MD5 of JSON, as hexadecimal text: the interface names the algorithm, and nothing secret depends on it. */
export function checksumOf(value: unknown): string {
  return createHash('md5')
    .update(JSON.stringify(value) ?? '')
    .digest('hex');
}
