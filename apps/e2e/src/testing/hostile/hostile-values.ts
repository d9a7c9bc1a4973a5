import fc from 'fast-check';

/** JSON text for values that `JSON.stringify` cannot produce. */
export class RawJson {
  constructor(readonly text: string) {}
}

const NESTING = 10_000;
const raw = (text: string): RawJson => new RawJson(text);
const many = (count: number, element: string): RawJson => raw(`[${`${element},`.repeat(count - 1)}${element}]`);

/** Texts that break databases, templates, paths or comparisons. */
const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\ufffe\uffff',
  '\u202egnp.exe',
  'e\u0301\u00e9',
  '👩‍👩‍👧‍👦'.repeat(30),
  '\u0000\u0001\u001f\u007f\u0085\u2028',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0x10',
  '1e999',
  '2026-13-45T99:99:99Z',
  '+275760-09-13T00:00:00.001Z',
  "'; DROP TABLE x; --",
  '{{constructor.constructor("return process")()}}',
  '${process.exit()}',
  '%s%n%00%ED%A0%80',
  '../../../etc/passwd',
  'a,b,,c',
  '*',
  '**',
  'a\r\nX-Injected: 1',
  'a'.repeat(129),
  'b'.repeat(257),
  'c'.repeat(513),
  'd'.repeat(5_000),
  'é'.repeat(70_000),
];

const NUMBERS = [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53) - 2, 1e308, 5e-324];

const OTHERS: readonly unknown[] = [
  null,
  true,
  false,
  [],
  [[]],
  [null],
  [{}],
  ['a', 1, null, {}],
  {},
  { '': '' },
  { key: 'k', value: 'v' },
  { then: 'x', catch: 'y' },
  { length: -1 },
  { length: 1e9, 0: 'a' },
  { toString: 'x', valueOf: 'y', toJSON: 'z' },
  { hasOwnProperty: 1 },
  { $ne: null },
  { constructor: { prototype: { polluted: true } } },
  { prototype: { polluted: true } },
  { 'a\0b': 1 },
  { '\udc00': 1 },
  { ['k'.repeat(10_000)]: 1 },
  Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`k${index}`, index])),
];

const RAWS = [
  raw('{"__proto__":{"polluted":true}}'),
  raw('{"a":{"__proto__":null}}'),
  raw('{"a":1,"a":{"b":2},"a":[3]}'),
  raw('"\\ud800\\u0000"'),
  raw('1e400'),
  raw('-1e400'),
  raw('9'.repeat(400)),
  raw('123456789012345678901'),
  raw('0.1000000000000000000000000000000000001'),
  raw('['.repeat(NESTING) + ']'.repeat(NESTING)),
  raw('{"a":'.repeat(NESTING) + '1' + '}'.repeat(NESTING)),
  raw('['.repeat(63) + ']'.repeat(63)),
  many(1_001, 'null'),
  many(5_000, '{}'),
  many(20_000, '""'),
];

/** A value of unexpected type, size or content. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom<unknown>(...TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...NUMBERS) },
  { weight: 4, arbitrary: fc.constantFrom(...OTHERS) },
  { weight: 4, arbitrary: fc.constantFrom<unknown>(...RAWS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 5, noUnicodeString: false }) },
);

const MEGABYTE = 1024 * 1024;

/** Values near and above the body limit; expensive, so few requests carry one. */
export const hugeValue: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  'x'.repeat(5 * MEGABYTE),
  '\u0001'.repeat(900_000), // six times as long in JSON
  many(400_000, '{"a":[1]}'),
  many(1_000_000, '1'),
  raw(`{${Array.from({ length: 100_000 }, (_, index) => `"key-${index}":${index}`).join()}}`),
  'y'.repeat(7 * MEGABYTE),
);

/** Keys with a meaning in JavaScript or in the product. */
export const hostileKey = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'then',
  'key',
  'value',
  '',
  'a\0',
  '\ud800',
  'workspace_id',
  'workspaceId',
  'id',
);

/** A path segment as sent, encoded correctly or not. */
export const hostileSegment = fc.oneof(
  fc.constantFrom(
    '%00',
    'a%00b',
    '%ED%A0%80',
    '%ED%B0%80x',
    '%',
    '%zz',
    '%f',
    '%ff',
    '%C0%80',
    '%F4%90%80%80',
    '%2F',
    '%252F',
    '%2e%2e',
    '..',
    '.',
    '%20',
    '+',
    '%09%0a%0d',
    '%EF%BF%BE',
    '%E2%80%AE',
    '%F0%9F%92%A9',
    '\u00ff\u00fe',
    '__proto__',
    'constructor',
    'undefined',
    'null',
    '*',
    ':user_id',
    '{user_id}',
    ';a=b',
    '%3Fa%3Db',
    '%23',
    'x'.repeat(129),
    'x'.repeat(512),
    'x'.repeat(513),
    '%C3%A9'.repeat(512),
    '%F0%9F%98%80'.repeat(400),
    'x'.repeat(12_000),
    'x'.repeat(20_000),
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map((text) => encodeURIComponent(text)),
);

/** Text of a query parameter as sent. */
export const hostileQueryText = fc.oneof(
  hostileSegment,
  fc.constantFrom(
    '',
    '-1',
    '0',
    '1000000000',
    '1e9',
    'NaN',
    '1.5',
    'true',
    'TRUE',
    'maybe',
    '1,2,,3',
    ',',
    '%2C',
    '%252C',
    '[]',
    '{}',
    'null',
  ),
  // Cursors, decodable and not.
  fc.constantFrom('e30', 'e30=', 'W10', 'bnVsbA', 'MQ', 'eyJhIjoxfQ', '____', '!!!', 'A'.repeat(4_097)),
  fc.jsonValue({ maxDepth: 2 }).map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
);
