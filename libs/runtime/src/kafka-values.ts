import { isAbsolute } from 'node:path';
import { fail, readableFile, urlOf, wholeNumber } from './environment-values';

/** More than a cluster would ever use. */
const REPLICAS_MAX = 9;
const RECORD_BYTES = { min: 64 * 1024, max: 999_999_999 };

/** A number of replicas. */
export const replicas = wholeNumber(1, REPLICAS_MAX);

/** A number of replicas, or the word that leaves it to the brokers. */
export function replication(value: string) {
  return value === 'broker' ? value : replicas(value);
}

/** The size of a record, in bytes. */
export const recordBytes = wholeNumber(RECORD_BYTES.min, RECORD_BYTES.max);

/** The URL of an endpoint for tokens. */
export function tokenUrl(value: string) {
  return urlOf(value, ['https:', 'http:'], 'https://host/path').href;
}

/** SASL extensions by name. */
export function saslExtensions(value: string) {
  const entries = value.split(',').map((entry) => {
    // RFC 7628: names are letters, and values have no control characters.
    const [, name, text] = /^([A-Za-z]{1,100})=([\x20-\x7e]{1,1000})$/.exec(entry.trim()) ?? [];
    return name === undefined || name === 'auth' ? fail('is not name=value, separated by commas') : [name, text!];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The absolute path of a JavaScript module. */
export function modulePath(value: string) {
  if (!isAbsolute(value) || !/\.[cm]?js$/.test(value)) return fail('is not the absolute path of a .js, .mjs or .cjs file');
  return readableFile(value);
}
