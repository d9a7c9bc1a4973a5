import { invalid } from '@tidings/contracts/core/refusals';

/** Values by name, in their order; decoded once. */
type QueryValues = ReadonlyMap<string, readonly string[]>;

const NO_VALUES: QueryValues = new Map();

/**
 * Parses the query of a request target. `status[]=` is `status`; `+` is a space; an empty value counts as absent, because SDKs
 * send null as one. Throws `invalid_request` for invalid percent-encoding.
 */
export function parseQuery(url: string): QueryValues {
  if (!url.includes('?')) return NO_VALUES;
  const values = new Map<string, string[]>();
  for (const [encodedName, encodedValue] of pairsIn(url)) {
    const name = withoutBrackets(decode(encodedName, 'A name in the query'));
    const value = decode(encodedValue, name);
    if (value === '') continue;
    const existing = values.get(name);
    if (existing) existing.push(value);
    else values.set(name, [value]);
  }
  return values;
}

/** The names in the query, also those without a value; invalidly encoded names stay encoded. */
export function namesIn(url: string): string[] {
  return pairsIn(url).map(([name]) => withoutBrackets(decodedOrNot(name)));
}

/** The encoded texts before and after each `=`. */
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
    throw invalid(`${name} is not valid percent-encoded UTF-8`);
  }
}
