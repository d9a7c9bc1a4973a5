/** A token of the expression; `at` is its position in characters, from 1. */
export interface Token {
  kind: 'always' | 'time' | 'number' | 'word' | 'mark' | 'end';
  text: string;
  at: number;
}

const TOKEN = /24\/7|\d{1,2}:\d{2}(?!\d)|\d+|[A-Za-z]+|\S/gu;

/** The tokens of an expression, and an `end`. Unknown characters are tokens of kind `mark`. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: found, index } of text.matchAll(TOKEN)) tokens.push({ kind: kindOf(found), text: found, at: index + 1 });
  tokens.push({ kind: 'end', text: '', at: text.length + 1 });
  return tokens;
}

function kindOf(text: string): Token['kind'] {
  if (text === '24/7') return 'always';
  if (/^[A-Za-z]/.test(text)) return 'word';
  if (/^\d/.test(text)) return text.includes(':') ? 'time' : 'number';
  return 'mark';
}
