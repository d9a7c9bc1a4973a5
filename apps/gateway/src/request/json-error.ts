const WHITESPACE = /[ \t\n\r]*/y;
/**
 * A part of a string without its quotes: any character from U+0020 on, except quote and backslash, or an escape. Bounded, because a
 * regular expression stores every step.
 */
const STRING_PART = /(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,1000}/y;
const VALUE = /["{[]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** The tokens that the grammar allows next, by state; `{` and `[` are the states after a value in an object and in an array. */
const EXPECTED = {
  value: VALUE,
  valueOrEnd: new RegExp(`\\]|${VALUE.source}`, 'y'),
  key: /"/y,
  keyOrEnd: /["}]/y,
  colon: /:/y,
  '{': /[,}]/y,
  '[': /[,\]]/y,
  done: /(?!)/y,
};

/**
 * Finds the first syntax error of a text that `JSON.parse` refused. Node's own message differs between versions and often has no
 * position.
 */
export function findJsonError(text: string) {
  const position = firstError(text);
  const before = text.slice(0, position).split('\n');
  return {
    /** In UTF-16 units, from 0; line and column from 1. */
    position,
    line: before.length,
    column: before.at(-1)!.length + 1,
    /** The character at the position, or the end of the text. */
    found: position < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(position)!)) : 'the end of the text',
  };
}

/** Scans the tokens with an explicit stack: deep nesting costs memory, never the call stack. */
function firstError(text: string) {
  const open: ('{' | '[')[] = [];
  let state: keyof typeof EXPECTED = 'value';
  let at = 0;
  /** Skips a match of `expression` at the current position and returns it. */
  const skip = (expression: RegExp) => {
    expression.lastIndex = at;
    const [match] = expression.exec(text) ?? [];
    at += match?.length ?? 0;
    return match;
  };

  for (;;) {
    skip(WHITESPACE);
    const token = skip(EXPECTED[state]);
    if (token === undefined) return at;
    if (token === '"') {
      while (skip(STRING_PART));
      if (!skip(EXPECTED.key)) return at;
    }
    if (token === '}' || token === ']') open.pop();

    if (token === '{' || token === '[') {
      open.push(token);
      state = token === '{' ? 'keyOrEnd' : 'valueOrEnd';
    } else if (token === ':') state = 'value';
    else if (token === ',') state = state === '{' ? 'key' : 'value';
    else if (token === '"' && state.startsWith('key')) state = 'colon';
    else state = open.at(-1) ?? 'done';
  }
}
