import type { Example } from '../example-of';
import { type Dialect, enclosed, literal } from './literal';
import { BASE_URL, KEY_VARIABLE } from './names';
import { bodyFields, fieldsOf, NODE_METHODS } from './sdk-methods';

const INDENT = '  ';
const KEY = `process.env.${KEY_VARIABLE}`;

const JAVASCRIPT: Dialect = {
  text: (text) => (text.includes("'") ? JSON.stringify(text) : `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}'`),
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JAVASCRIPT.text(name)),
  words: {},
  indent: INDENT,
  braceSpace: ' ',
};

/** A module for Node: with Courier's SDK where that has the operation, otherwise with `fetch`. */
export function nodeCode(example: Example): string {
  const method = NODE_METHODS[example.operationId];
  return method === undefined ? withFetch(example) : withSdk(example, method);
}

/** The SDK's methods take the last parameter of the path, then the others with the fields of query and body. */
function withSdk(example: Example, method: string) {
  const names = Object.keys(example.path);
  const last = names.at(-1);
  const fields = { ...fieldsOf(names.slice(0, -1), example.path), ...example.query, ...bodyFields(example.body) };
  const parameters = [
    ...(last === undefined ? [] : [JAVASCRIPT.text(example.path[last]!)]),
    ...(Object.keys(fields).length > 0 ? [literal(fields, JAVASCRIPT)] : []),
  ];
  return `import Courier from '@trycourier/courier';

const client = new Courier({ apiKey: ${KEY}, baseURL: '${BASE_URL}' });
const answer = await client.${method}(${parameters.join(', ')});
console.log(answer);
`;
}

function withFetch({ method, target, body }: Example) {
  const headers = [`authorization: \`Bearer \${${KEY}}\``, ...(body === undefined ? [] : [`'content-type': 'application/json'`])];
  const inner = INDENT + INDENT;
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    `headers: ${enclosed(['{', '}'], headers, { indent: INDENT, inner, space: ' ' })}`,
    ...(body === undefined ? [] : [`body: JSON.stringify(${literal(body, JAVASCRIPT, INDENT)})`]),
  ];
  return `const answer = await fetch(${JAVASCRIPT.text(BASE_URL + target)}, {
${options.map((one) => `${INDENT}${one},\n`).join('')}});
console.log(answer.status, await answer.text());
`;
}
