import { assertStorable, NESTING_DEPTH_MAX } from './text';

const refusal = (value: unknown, path = 'message'): unknown => {
  try {
    assertStorable(value, path);
    return undefined;
  } catch (error) {
    return error;
  }
};

it('accepts values that JSON and PostgreSQL can store', () => {
  const value = { text: 'naïve 😀 \u0001', list: [1, -0.5, 2 ** 53 - 1, 1e-300, null, true, [], {}], constructor: 'x', '': 0 };
  expect(refusal(value)).toBeUndefined();
});

it.each([
  ['a NUL', { data: { items: [0, 1, 2, { name: 'a\0b' }] } }, 'message.data.items[3].name must not contain the character NUL (U+0000)'],
  ['half a surrogate pair', { to: 'a\ud83d' }, 'message.to must not contain half of a surrogate pair'],
  ['a NUL in a key', { data: { 'a\0': 1 } }, 'message.data must not have a key containing the character NUL (U+0000)'],
  ['half a surrogate pair in a key', [{ '\ude00': 1 }], 'message[0] must not have a key containing half of a surrogate pair'],
  ['a __proto__ key', JSON.parse('{"data":{"__proto__":{}}}'), 'message.data must not have a key named __proto__'],
  [
    'a number too large for JSON',
    JSON.parse('{"n":1e999}'),
    'message.n must be a number between ±(2^53 − 1) (got one that is larger than any double)',
  ],
  [
    'an integer that was rounded',
    JSON.parse('[9007199254740993]'),
    'message[0] must be a number between ±(2^53 − 1) (got about 9.007e+15)',
  ],
  ['a large integer below zero', { n: -1e300 }, 'message.n must be a number between ±(2^53 − 1) (got about -1.000e+300)'],
  ['a value below a key that is no word', { 'first name': '\0' }, 'message["first name"] must not contain the character NUL (U+0000)'],
])('refuses %s, naming the path', (_, value, message) => {
  expect(refusal(value)).toMatchObject({ code: 'invalid_request', message });
});

it('names the request itself if the path is empty', () => {
  expect(refusal('\0', '')).toMatchObject({ message: 'The request must not contain the character NUL (U+0000)' });
  expect(refusal({ id: '\0' }, '')).toMatchObject({ message: 'id must not contain the character NUL (U+0000)' });
});

it('limits the nesting of objects and arrays', () => {
  const nested = (levels: number): unknown => JSON.parse('[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2));
  expect(refusal(nested(NESTING_DEPTH_MAX))).toBeUndefined();
  expect(refusal(nested(NESTING_DEPTH_MAX + 2))).toMatchObject({
    message: expect.stringMatching(/^message.* is nested deeper than 64 levels$/) as string,
  });
  expect(refusal(nested(1_000_000))).toMatchObject({ code: 'invalid_request' });
});
