/** A token of a `.po` text: keyword or quoted text. Comments and blanks are skipped. */
export interface PoToken {
  readonly kind: 'keyword' | 'text';
  /** The keyword, or the text between the quotes with its escapes. */
  readonly value: string;
  /** From 1. */
  readonly line: number;
  /** Marked by `#~`: retained for translators, not used. */
  readonly obsolete: boolean;
}

/** The first mistake in a text. */
export class PoMistake extends Error {
  override readonly name = 'PoMistake';

  constructor(
    /** From 1. */
    readonly line: number,
    readonly problem: string,
  ) {
    super(problem);
  }
}

/** Blanks, the end of a line, the mark of obsolete entries, a comment, a text with its escapes, a keyword. Linear: no two begin alike. */
const TOKEN = /[ \t\r\f\v]+|(\n)|(#~(?!\|))|#[^\n]*|"((?:[^"\\\n]|\\[abfnrtv\\"'?0-7x])*)"|([\w[\]-]{1,100})/y;
/** The wrong escape of a text: the first backslash that begins none, and no line end. */
const WRONG_ESCAPE = /"(?:[^"\\\n]|\\[abfnrtv\\"'?0-7x])*(\\[^abfnrtv\\"'?0-7x\n\r])/uy;

/** The tokens of a `.po` text. Throws `PoMistake` at an invalid character. */
export function* poTokens(text: string): Generator<PoToken> {
  let line = 1;
  let obsolete = false;
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length;) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (!found) throw new PoMistake(line, problemAt(text, at));
    at = TOKEN.lastIndex;
    const [, lineEnd, mark, quoted, word] = found;
    if (lineEnd) line += 1;
    if (lineEnd ?? mark) obsolete = mark !== undefined;
    if (quoted !== undefined) yield { kind: 'text', value: quoted, line, obsolete };
    else if (word) yield { kind: 'keyword', value: word, line, obsolete };
  }
}

function problemAt(text: string, at: number): string {
  if (text[at] !== '"') return `${JSON.stringify(String.fromCodePoint(text.codePointAt(at)!))} is not allowed here`;
  WRONG_ESCAPE.lastIndex = at;
  const escape = WRONG_ESCAPE.exec(text)?.[1];
  return escape ? `${escape} is not an escape` : 'the text in quotes does not end on its line';
}
