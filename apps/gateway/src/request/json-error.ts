/** The first syntax error of a text. */
interface JsonError {
  /** In UTF-16 units, from 0. */
  position: number;
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
  /** The character at the position, or the end of the text. */
  found: string;
}

/** The tokens that the grammar allows next. */
type State = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd' | 'done';

const WHITESPACE = /[ \t\n\r]*/y;
/**
 * A part of a string without its quotes: any character from U+0020 on, except quote and backslash, or an escape. Bounded, because a
 * regular expression stores every step.
 */
const STRING_PART = /(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,1000}/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/**
 * Finds the first syntax error of a text that `JSON.parse` refused. Node's own message differs between versions and often has no
 * position.
 */
export function findJsonError(text: string): JsonError {
  const position = firstError(text);
  const before = text.slice(0, position).split('\n');
  return {
    position,
    line: before.length,
    column: before.at(-1)!.length + 1,
    found: position < text.length ? quoted(text, position) : 'the end of the text',
  };
}

/** Scans the tokens with an explicit stack: deep nesting costs memory, never the call stack. */
function firstError(text: string): number {
  const open: string[] = [];
  let state: State = 'value';
  let at = 0;
  /** Skips a match of `expression` at the current position; false without one. */
  const skip = (expression: RegExp): boolean => {
    expression.lastIndex = at;
    if (!expression.test(text)) return false;
    at = expression.lastIndex;
    return true;
  };
  const afterValue = (): State => (open.length > 0 ? 'commaOrEnd' : 'done');

  for (;;) {
    skip(WHITESPACE);
    const next = text[at];
    if (next === undefined) return at;
    if ((next === '}' || next === ']') && mayClose(state, next, open.at(-1))) {
      open.pop();
      at += 1;
      state = afterValue();
    } else if (state === 'colon' && next === ':') {
      at += 1;
      state = 'value';
    } else if (state === 'commaOrEnd' && next === ',') {
      at += 1;
      state = open.at(-1) === '{' ? 'key' : 'value';
    } else if ((state === 'key' || state === 'keyOrEnd') && next === '"') {
      if (!skipString()) return at;
      state = 'colon';
    } else if (state === 'value' || state === 'valueOrEnd') {
      if (next === '{' || next === '[') {
        open.push(next);
        at += 1;
        state = next === '{' ? 'keyOrEnd' : 'valueOrEnd';
      } else if (next === '"') {
        if (!skipString()) return at;
        state = afterValue();
      } else if (skip(NUMBER) || skip(WORD)) {
        state = afterValue();
      } else {
        return at;
      }
    } else {
      return at;
    }
  }

  /** Skips a string, or stops at its first invalid character and returns false. */
  function skipString(): boolean {
    at += 1;
    while (skip(STRING_PART));
    if (text[at] !== '"') return false;
    at += 1;
    return true;
  }
}

function mayClose(state: State, next: string, opened: string | undefined): boolean {
  if (opened === undefined || (opened === '{') !== (next === '}')) return false;
  return state === 'commaOrEnd' || state === (opened === '{' ? 'keyOrEnd' : 'valueOrEnd');
}

function quoted(text: string, position: number): string {
  return JSON.stringify(String.fromCodePoint(text.codePointAt(position)!));
}
