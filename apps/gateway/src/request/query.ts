import { invalid } from '@tidings/contracts/core/refusals';

/**
 * Parses the query of a request target: values by name, in their order, decoded once. `status[]=` is `status`; `+` is a space; an empty value counts as absent, because SDKs
 * send null as one. Throws `invalid_request` for invalid percent-encoding.
 */
export function parseQuery(url: string) {
  const values = new Map<string, string[]>();
  for (const [encodedName, encodedValue] of pairsIn(url)) {
    const name = withoutBrackets(decode(encodedName, 'A name in the query'));
    const value = decode(encodedValue, name);
    if (value === '') continue;
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return values;
}

/** The names in the query, also those without a value; invalidly encoded names stay encoded. */
export function namesIn(url: string) {
  return pairsIn(url).map(([name]) => withoutBrackets(decodedOrNot(name)));
}

/** The encoded texts before and after each `=`. */
function pairsIn(url: string): [name: string, value: string][] {
  const [, query = ''] = /\?([^#]*)/.exec(url) ?? [];
  const pairs = query.split('&').filter(Boolean);
  return pairs.map((pair) => {
    const [name, ...value] = pair.split('=');
    return [name!, value.join('=')];
  });
}

function withoutBrackets(name: string) {
  return name.replace(/\[\d*\]$/, '');
}

function decodedOrNot(name: string) {
  try {
    return decode(name, name);
  } catch {
    return name;
  }
}

function decode(text: string, name: string) {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw invalid(`${name} is not valid percent-encoded UTF-8`);
  }
}
