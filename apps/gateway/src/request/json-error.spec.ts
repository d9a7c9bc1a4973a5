import fc from 'fast-check';
import { findJsonError } from './json-error';

it.each([
  ['', 0, 1, 1, 'the end of the text'],
  ['{', 1, 1, 2, 'the end of the text'],
  ['hello', 0, 1, 1, '"h"'],
  ['{"a":1,}', 7, 1, 8, '"}"'],
  ['[1,]', 3, 1, 4, '"]"'],
  ['[1 2]', 3, 1, 4, '"2"'],
  ['{"a":01}', 6, 1, 7, '"1"'],
  ["{'a':1}", 1, 1, 2, '"\'"'],
  ['{\n  "a": tru\n}', 9, 2, 8, '"t"'],
  ['["a\nb"]', 3, 1, 4, '"\\n"'],
  ['["\\x"]', 2, 1, 3, '"\\\\"'],
  ['[1]]', 3, 1, 4, '"]"'],
  ['{]', 1, 1, 2, '"]"'],
  ['[😀]', 1, 1, 2, '"😀"'],
])('finds the error in %j', (text, position, line, column, found) => {
  expect(findJsonError(text)).toEqual({ position, line, column, found });
});

it('finds no error before the end of valid JSON, and the first one in invalid JSON', () => {
  const almostJson = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', '[', 'x', '\\', '0', '\n'), fc.nat(2))
    .map(([json, at, inserted, removed]) => {
      const position = at % (json.length + 1);
      return json.slice(0, position) + inserted + json.slice(position + removed);
    });
  fc.assert(
    fc.property(almostJson, (text) => {
      const { position } = findJsonError(text);
      if (isJson(text)) expect(position).toBe(text.length);
      else if (position < text.length) expect(isJson(text.slice(0, position + 1))).toBe(false);
      expect(position).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: 2_000 },
  );
});

it('scans deep nesting without recursion', () => {
  expect(findJsonError(`${'['.repeat(1_000_000)}x`).position).toBe(1_000_000);
});

it('scans long strings', () => {
  expect(findJsonError(`["${'x\\n'.repeat(2_000_000)}`).position).toBe(6_000_002);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
