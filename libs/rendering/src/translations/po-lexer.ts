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

const BLANK = /[ \t\r\f\v]/;
const WORD = /[\w[\]-]{1,100}/y;
/** Characters allowed after a backslash. */
const ESCAPED = /[abfnrtv\\"'?0-7x]/;

/** The tokens of a `.po` text. Throws `PoMistake` at an invalid character. */
export function* poTokens(text: string): Generator<PoToken> {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  let obsolete = false;
  while (at < text.length) {
    const character = text[at]!;
    if (character === '\n') {
      line += 1;
      obsolete = false;
      at += 1;
    } else if (BLANK.test(character)) {
      at += 1;
    } else if (character === '#') {
      obsolete = text[at + 1] === '~' && text[at + 2] !== '|';
      at = obsolete ? at + 2 : endOfLine(text, at);
    } else if (character === '"') {
      const end = endOfText(text, at, line);
      yield { kind: 'text', value: text.slice(at + 1, end), line, obsolete };
      at = end + 1;
    } else {
      WORD.lastIndex = at;
      const word = WORD.exec(text)?.[0];
      if (word === undefined) throw new PoMistake(line, `${shown(text, at)} is not allowed here`);
      yield { kind: 'keyword', value: word, line, obsolete };
      at += word.length;
    }
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** Offset of the closing quote of the text that starts at `from`. */
function endOfText(text: string, from: number, line: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '"') return at;
    if (character === '\n') break;
    if (character !== '\\') continue;
    at += 1;
    const escaped = text[at];
    if (escaped === undefined || escaped === '\n' || escaped === '\r') break;
    if (!ESCAPED.test(escaped)) throw new PoMistake(line, `\\${String.fromCodePoint(text.codePointAt(at)!)} is not an escape`);
  }
  throw new PoMistake(line, 'the text in quotes does not end on its line');
}

function shown(text: string, at: number): string {
  return JSON.stringify(String.fromCodePoint(text.codePointAt(at)!));
}
