import { ServiceError } from '@tidings/contracts/core/errors';

/** Values by name, in the order they came; decoded once. */
type QueryValues = ReadonlyMap<string, readonly string[]>;

const NO_VALUES: QueryValues = new Map();

/**
 * The query of a request target. `status[]=` is `status`; `+` is a space; an empty value counts as absent, because the
 * SDKs send null that way. Throws `invalid_request` for what is no valid percent-encoding.
 */
export function parseQuery(url: string): QueryValues {
  const start = url.indexOf('?');
  if (start === -1) return NO_VALUES;
  const end = url.indexOf('#', start);
  const values = new Map<string, string[]>();
  for (const pair of url.slice(start + 1, end === -1 ? undefined : end).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), 'A name in the query').replace(/\[\d*\]$/, '');
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1), name);
    if (value === '') continue;
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}

function decode(text: string, name: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw new ServiceError('invalid_request', `${name} is not valid percent-encoded UTF-8`);
  }
}
