import { ServiceError } from '@tidings/contracts/core/errors';

/** Values by name, in the order they came; decoded once. */
type QueryValues = ReadonlyMap<string, readonly string[]>;

const NO_VALUES: QueryValues = new Map();

/**
 * The query of a request target. `status[]=` is `status`; `+` is a space; an empty value counts as absent, because the
 * SDKs send null that way. Throws `invalid_request` for what is no valid percent-encoding.
 */
export function parseQuery(url: string): QueryValues {
  if (!url.includes('?')) return NO_VALUES;
  const values = new Map<string, string[]>();
  for (const [encodedName, encodedValue] of pairsIn(url)) {
    const name = withoutBrackets(decode(encodedName, 'A name in the query'));
    const value = decode(encodedValue, name);
    if (value === '') continue;
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}

/** The names in the query, those without a value included; of an encoding that is not valid, the name as it stands. */
export function namesIn(url: string): string[] {
  return pairsIn(url).map(([name]) => withoutBrackets(decodedOrNot(name)));
}

/** What stands before and behind each `=`, encoded. */
function pairsIn(url: string): [name: string, value: string][] {
  const start = url.indexOf('?');
  const end = url.indexOf('#', start);
  const pairs = start === -1 ? [] : url.slice(start + 1, end === -1 ? undefined : end).split('&');
  return pairs
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    });
}

function withoutBrackets(name: string): string {
  return name.replace(/\[\d*\]$/, '');
}

function decodedOrNot(name: string): string {
  try {
    return decode(name, name);
  } catch {
    return name;
  }
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
