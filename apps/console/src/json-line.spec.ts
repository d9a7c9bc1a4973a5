import { lineOfError } from './json-line';

const TEXT = `{
  "name": "a \\"}\\"",
  "routing": {
    "method": "single",
    "channels": [
      "email",
      { "method": "all", "channels": ["sms"] },
      -1
    ]
  },
  "channels": { "a b": {
    "if": "x"
  } }
}`;

it.each([
  ['the value at the path', 'routing.channels[2] must be a name', 8],
  ['a key in quotes', 'channels["a b"].if is no expression, line 1', 12],
  ['a key with a wrong escape', 'channels["\\x"].if is none', 11],
  ['what there is of the path', 'routing.channels[1].providers.none is missing', 7],
  ['a member after texts with quotes and braces', 'routing must be an object', 3],
  ['the line that a syntax error names', 'This is no JSON object: unexpected token (line 4 column 2)', 4],
  ['none without either', 'The request is too large', undefined],
])('finds %s', (_, message, line) => {
  expect(lineOfError(TEXT, message)).toBe(line);
});

it.each(['', '{', '{"a', '[1,', 'null', '{"a" "b"}', '{"\\x": 1}', '{"routing": ]'])('finds no line in the broken text %j', (text) => {
  expect(lineOfError(text, 'other.path must be right')).toBeUndefined();
});
