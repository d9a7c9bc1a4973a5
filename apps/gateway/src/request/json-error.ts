/** Where a text stops being JSON, counted in UTF-16 units from 0. */
interface JsonError {
  position: number;
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
  /** What stands there: a character, or the end of the text. */
  found: string;
}

/** What the grammar allows next. */
type State = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd' | 'done';

const WHITESPACE = /[ \t\n\r]*/y;
/** A stretch of a string without its quotes (any character from the space on, but those two): bounded, because an expression remembers every step it took. */
const STRING_PART = /(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,1000}/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/**
 * Finds the first mistake in a text that `JSON.parse` refused. Node's own message differs from version to version, and
 * names no position for most mistakes; this one always does.
 */
export function findJsonError(text: string): JsonError {
  const position = firstMistake(text);
  const before = text.slice(0, position).split('\n');
  return {
    position,
    line: before.length,
    column: before.at(-1)!.length + 1,
    found: position < text.length ? quoted(text, position) : 'the end of the text',
  };
}

/** A walk over the tokens with its own stack: deep nesting costs memory, never the call stack. */
function firstMistake(text: string): number {
  const open: string[] = [];
  let state: State = 'value';
  let at = 0;
  /** Steps over what `expression` matches here; false when it does not. */
  const take = (expression: RegExp): boolean => {
    expression.lastIndex = at;
    if (!expression.test(text)) return false;
    at = expression.lastIndex;
    return true;
  };
  const afterValue = (): State => (open.length > 0 ? 'commaOrEnd' : 'done');

  for (;;) {
    take(WHITESPACE);
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
      if (!takeString()) return at;
      state = 'colon';
    } else if (state === 'value' || state === 'valueOrEnd') {
      if (next === '{' || next === '[') {
        open.push(next);
        at += 1;
        state = next === '{' ? 'keyOrEnd' : 'valueOrEnd';
      } else if (next === '"') {
        if (!takeString()) return at;
        state = afterValue();
      } else if (take(NUMBER) || take(WORD)) {
        state = afterValue();
      } else {
        return at;
      }
    } else {
      return at;
    }
  }

  /** Steps over a string, or up to the first thing in it that is wrong. */
  function takeString(): boolean {
    at += 1;
    while (take(STRING_PART));
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
