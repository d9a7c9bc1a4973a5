import fc from 'fast-check';
import { editedAt, jsonText, withField, withoutField } from './json-edit';
import { hugeValue, hostileKey, hostileQueryText, hostileSegment, hostileValue } from './hostile-values';

/** Parts of a request before serialization. */
export interface RequestParts {
  /** Encoded path segments, by parameter. */
  readonly path: Readonly<Record<string, string>>;
  /** Encoded query parameters, in order. */
  readonly query: readonly (readonly [name: string, text: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The body's JSON value, when it has one. */
  readonly value?: unknown;
  /** The path may match another route than the intended one. */
  readonly foreign: boolean;
}

export type Attack = (parts: RequestParts) => RequestParts;

export interface AttackSurface {
  readonly pathParameters: readonly string[];
  readonly queryParameters: readonly string[];
  readonly hasBody: boolean;
  /** Credentials that do not authorize this request. */
  readonly otherCredentials: readonly string[];
  /** Ids of resources of another workspace. */
  readonly othersIds: readonly string[];
  /** Cursors of other lists. */
  readonly cursors: readonly string[];
}

const withValue =
  (value: unknown): Attack =>
  (parts) => ({ ...parts, value, body: Buffer.from(jsonText(value)) });
const withText =
  (body: string | Buffer): Attack =>
  (parts) => ({ ...parts, body: Buffer.from(body), value: undefined });

/** One corruption of a valid request, or none. Few are larger than a few kilobytes. */
export function attacks({ pathParameters, queryParameters, hasBody, ...others }: AttackSurface): fc.Arbitrary<Attack> {
  const none = fc.constant<Attack>((parts) => parts);
  return fc.oneof(
    { weight: 3, arbitrary: none },
    ...(hasBody
      ? [
          { weight: 9, arbitrary: onValue },
          { weight: 4, arbitrary: onText },
        ]
      : [{ weight: 1, arbitrary: onText }]),
    ...(pathParameters.length > 0 ? [{ weight: 4, arbitrary: onPath(pathParameters, others.othersIds) }] : []),
    { weight: queryParameters.length > 0 ? 8 : 1, arbitrary: onQuery(queryParameters, others.cursors) },
    { weight: 2, arbitrary: onHeaders },
    { weight: 1, arbitrary: onCredential(others.otherCredentials) },
  );
}

/** Replaces one part of the body by a value near or above the size limit. */
export const hugeAttack: fc.Arbitrary<Attack> = fc.tuple(fc.nat(), hugeValue).map(
  ([index, huge]) =>
    (parts) =>
      withValue(editedAt(parts.value ?? {}, index, () => huge))(parts),
);

/** Replaces, removes or extends one or two parts of the value. */
const onValue: fc.Arbitrary<Attack> = fc
  .array(
    fc.tuple(
      fc.nat(),
      fc.oneof(
        { weight: 4, arbitrary: hostileValue.map((value) => () => value) },
        { weight: 1, arbitrary: fc.constant(() => null) },
        {
          weight: 2,
          arbitrary: fc.tuple(hostileKey, fc.oneof(hostileValue, fc.constantFrom({}, 1))).map(([key, value]) => withField(key, value)),
        },
        { weight: 2, arbitrary: fc.nat().map(withoutField) },
      ),
    ),
    { minLength: 1, maxLength: 2 },
  )
  .map((edits) => (parts) => withValue(edits.reduce((value, [index, edit]) => editedAt(value, index, edit), parts.value))(parts));

const BODIES: readonly (string | Buffer)[] = [
  '',
  ' \n',
  'null',
  '[]',
  '""',
  '5',
  'true',
  'NaN',
  '{',
  '[',
  '{"a"',
  '{}{}',
  '{"a":1,}',
  "{'a':1}",
  '// {}\n{}',
  '\ufeff{}',
  '\ufeff',
  '\0',
  '"\ud800"',
  '<message/>',
  'a=1&b=2',
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  Buffer.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0]),
  Buffer.from('{}', 'utf16le'),
];

const TYPES = [
  '',
  ';',
  'text/plain',
  'application/xml',
  'application/json; charset=utf-16',
  'application/json; charset="UTF-8"',
  'application/json;boundary=x',
  'application/merge-patch+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=----x',
  'application/octet-stream',
  'APPLICATION/JSON',
  `application/${'x'.repeat(2_000)}`,
];

/** Makes the body invalid JSON, or sends it under another type. */
const onText: fc.Arbitrary<Attack> = fc.oneof(
  fc.constantFrom(...BODIES).map(withText),
  fc.nat().map(
    (cut): Attack =>
      (parts) =>
        withText(parts.body?.subarray(0, cut % (parts.body.length + 1)) ?? '{')(parts),
  ),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => withText(Buffer.from(bytes))),
  // Every key twice, which is JSON: the last one counts.
  fc.constant<Attack>((parts) => withText(`{${inner(parts)},${inner(parts)}}`)(parts)),
  fc.constantFrom(...TYPES).map(
    (type): Attack =>
      (parts) =>
        withHeader('content-type', type)({ ...parts, body: parts.body ?? Buffer.from('{}') }),
  ),
  fc.constantFrom('gzip', 'br', 'identity', 'nonsense').map((encoding) => withHeader('content-encoding', encoding)),
  fc.constant(withHeader('transfer-encoding', 'chunked')),
);

function inner({ body }: RequestParts): string {
  const text = body?.toString('utf8') ?? '';
  return text.startsWith('{') && text.length > 2 ? text.slice(1, -1) : '"a":1';
}

function onPath(parameters: readonly string[], othersIds: readonly string[]): fc.Arbitrary<Attack> {
  const of = (segment: fc.Arbitrary<string>, foreign: boolean): fc.Arbitrary<Attack> =>
    fc
      .tuple(fc.constantFrom(...parameters), segment)
      .map(([name, text]): Attack => (parts) => ({ ...parts, path: { ...parts.path, [name]: text }, foreign: parts.foreign || foreign }));
  const theirs = othersIds.length > 0 ? [{ weight: 1, arbitrary: of(fc.constantFrom(...othersIds), false) }] : [];
  return fc.oneof({ weight: 6, arbitrary: of(hostileSegment, true) }, { weight: 1, arbitrary: of(fc.constant(''), true) }, ...theirs);
}

const ODD_QUERIES = [
  'a',
  '=',
  '&&&',
  '%',
  '%ED%A0%80=1',
  '__proto__[a]=1',
  'constructor=1',
  '?x=1?y=2',
  'a[]=1&a[0]=2&a[b]=3',
  'a=1&'.repeat(3_000),
];

function onQuery(parameters: readonly string[], cursors: readonly string[]): fc.Arbitrary<Attack> {
  const names = fc.constantFrom(...parameters, 'limit', 'cursor', 'unknown');
  const name = fc.tuple(names, fc.constantFrom('', '', '', '[]', '[0]', '[a]')).map((both) => both.join(''));
  const text = cursors.length > 0 ? fc.oneof({ weight: 3, arbitrary: hostileQueryText }, fc.constantFrom(...cursors)) : hostileQueryText;
  const add =
    (more: readonly (readonly [string, string])[]): Attack =>
    (parts) => ({ ...parts, query: [...parts.query, ...more] });
  return fc.oneof(
    { weight: 5, arbitrary: fc.array(fc.tuple(name, text), { minLength: 1, maxLength: 3 }).map(add) },
    { weight: 1, arbitrary: fc.tuple(name, text).map((pair) => add([pair, pair])) },
    { weight: 1, arbitrary: fc.constantFrom(...ODD_QUERIES).map((odd) => add([[odd, '']])) },
  );
}

const HEADERS: readonly (readonly [string, string])[] = [
  ['accept', 'text/html'],
  ['accept', '\u00ff'],
  ['accept-encoding', 'gzip;q=0'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-for', '127.0.0.1, ::1'],
  ['x-forwarded-host', 'evil.example'],
  ['host', 'evil.example:99999'],
  ['x-request-id', 'r'.repeat(5_000)],
  ['x-request-id', '"\u00e9{}'],
  ['traceparent', '00-zz-zz-01'],
  ['traceparent', '00-00000000000000000000000000000000-0000000000000000-ff'],
  ['tracestate', 'a=b,'.repeat(200)],
  ['baggage', 'x=%00'],
  ['idempotency-key', 'k'],
  ['idempotency-key', '\u00ff'.repeat(600)],
  ['x-idempotency-expiration', 'tomorrow'],
  ['if-match', '*'],
  ['range', 'bytes=0-0'],
  ['expect', '200-ok'],
  ['origin', 'null'],
  ['cookie', 'c='.repeat(3_000)],
  ['x-large', 'x'.repeat(20_000)],
  ['content-type', 'text/\u00ff'],
  ['__proto__', 'x'],
];

const onHeaders: fc.Arbitrary<Attack> = fc.constantFrom(...HEADERS).map(([name, value]) => withHeader(name, value));

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const jwt = (head: object, claims: object, signature: string): string =>
  `Bearer ${[head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.${signature}`;
const CREDENTIALS = [
  '',
  'Bearer',
  'Bearer  ',
  'Bearer null',
  'Bearer a.b.c',
  'Bearer ..',
  `Bearer ${'k'.repeat(8_000)}`,
  'Bearer \u00ff\u00fe',
  'Basic',
  'Basic !!!',
  basic('no colon'),
  basic('\0:\0'),
  basic(':'),
  'Digest username="x"',
];
/** Tokens without a valid signature. */
const FORGED = [
  jwt({ alg: 'none' }, { workspace_id: 'x', exp: 4e9 }, ''),
  jwt({ alg: 'EdDSA', kid: '../../x' }, { iss: 'tidings', exp: 1e300 }, 'AAAA'),
  jwt({ alg: 'HS256', kid: '\0' }, {}, 'x'.repeat(86)),
  jwt({ alg: 'EdDSA', kid: '00000000-0000-4000-8000-000000000000' }, { iss: 'tidings', iat: 0, exp: 4e9, scope: '*' }, 'x'.repeat(86)),
];

function onCredential(others: readonly string[]): fc.Arbitrary<Attack> {
  const credential = (text: string): Attack => withHeader('authorization', text);
  return fc.constantFrom(...CREDENTIALS, ...FORGED, ...others).map(credential);
}

function withHeader(name: string, value: string): Attack {
  return (parts) => ({ ...parts, headers: Object.fromEntries([...Object.entries(parts.headers), [name, value]]) });
}
