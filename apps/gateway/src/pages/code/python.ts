import type { Example } from '../example-of';
import { type Dialect, enclosed, literal } from './literal';
import { BASE_URL, KEY_VARIABLE } from './names';
import { pythonCallOf } from './sdk-methods';

const INDENT = '    ';

const PYTHON: Dialect = {
  text: (text) => JSON.stringify(text),
  key: (name) => JSON.stringify(name),
  words: { null: 'None', true: 'True', false: 'False' },
  indent: INDENT,
  braceSpace: '',
};

/** A program for Python: with Courier's SDK where that has the operation, otherwise with its standard library. */
export function pythonCode(example: Example): string {
  const call = pythonCallOf(example);
  return call === undefined ? withUrllib(example) : withSdk(call);
}

function withSdk({ method, fields }: NonNullable<ReturnType<typeof pythonCallOf>>) {
  const named = Object.entries(fields).map(([name, value]) => `${name}=${literal(value, PYTHON, INDENT)}`);
  return `import os

from courier import Courier

client = Courier(api_key=os.environ["${KEY_VARIABLE}"], base_url="${BASE_URL}")
answer = client.${method}${enclosed(['(', ')'], named, { indent: '', inner: INDENT })}
print(answer)
`;
}

function withUrllib({ method, target, body }: Example) {
  const headers = [
    `"Authorization": "Bearer " + os.environ["${KEY_VARIABLE}"]`,
    ...(body === undefined ? [] : [`"Content-Type": "application/json"`]),
  ];
  const parameters = [
    JSON.stringify(BASE_URL + target),
    `method="${method}"`,
    `headers=${enclosed(['{', '}'], headers, { indent: INDENT, inner: INDENT + INDENT })}`,
    ...(body === undefined ? [] : [`data=json.dumps(${literal(body, PYTHON, INDENT)}).encode()`]),
  ];
  return `${body === undefined ? '' : 'import json\n'}import os
from urllib.request import Request, urlopen

request = Request(
${parameters.map((one) => `${INDENT}${one},\n`).join('')})
with urlopen(request) as answer:
${INDENT}print(answer.status, answer.read().decode())
`;
}
