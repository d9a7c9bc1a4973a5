import type { Example } from '../example-of';
import { BASE_URL, KEY_VARIABLE } from './names';

/** The curl command of an example. */
export function curlCode({ method, target, body }: Example): string {
  const lines = [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}${quoted(`${BASE_URL}${target}`)}`,
    `-H "Authorization: Bearer $${KEY_VARIABLE}"`,
  ];
  if (body !== undefined) lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

/** Quotes text as one word of a shell. */
const quoted = (text: string) => (/^[\w:/.%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
