import { assertPluralRule } from './plural-rule';

/** Characters of the source in a message. */
const SHOWN_LENGTH_MAX = 60;

/**
 * The first mistake in the text of a `.po` file, in a few words, with its line from 1; undefined for a valid one, also for an empty text. Refuses what GNU gettext
 * refuses, since tolerant parsers would misinterpret it: texts without a keyword, entries without `msgstr`, plural forms out of
 * order, duplicate entries, entries that begin within an obsolete one or the other way round, an invalid plural rule. One pass, linear in
 * the length of the text.
 */
export function findPoError(text: string) {
  try {
    assertEntries(text);
  } catch (error) {
    if (error instanceof PoMistake) return { line: error.line, problem: error.message };
    throw error;
  }
  return undefined;
}

/** The last keyword of the current entry. */
type EntryState = 'nothing' | 'msgctxt' | 'msgid' | 'msgid_plural' | 'msgstr' | 'msgstr[]';

const MAY_FOLLOW = new Map<string, readonly EntryState[]>([
  ['msgctxt', ['nothing', 'msgstr', 'msgstr[]']],
  ['msgid', ['nothing', 'msgctxt', 'msgstr', 'msgstr[]']],
  ['msgid_plural', ['msgid']],
  ['msgstr', ['msgid']],
  ['msgstr[]', ['msgid_plural', 'msgstr[]']],
]);

function assertEntries(text: string) {
  let state: EntryState = 'nothing';
  /** The last keyword with its texts. */
  let keyword: { value: string; line: number; texts: string[]; lines: number[] } | undefined;
  /** Whether the current entry is the header: without id and context. */
  let isHeader = false;
  let entryLine = 0;
  let context = '';
  let forms = 0;
  let isObsolete = false;
  /** Line of each entry, by context and id; without obsolete ones, which may be duplicates. */
  const seen = new Map<string, number>();

  const start = (value: string, line: number) => {
    const form = /^msgstr\[(\d{1,2})\]$/.exec(value)?.[1];
    const next = form === undefined ? value : 'msgstr[]';
    const mayFollow = value === 'msgstr[]' ? undefined : MAY_FOLLOW.get(next);
    if (!mayFollow) throw new PoMistake(line, `${shown(value)} is not a keyword`);
    if (!mayFollow.includes(state)) throw new PoMistake(line, misplaced(value, state, keyword?.value));
    if (next === 'msgctxt' || (next === 'msgid' && state !== 'msgctxt')) {
      entryLine = line;
      context = '';
      forms = 0;
    }
    if (form !== undefined && Number(form) !== forms++) throw new PoMistake(line, `msgstr[${forms - 1}] is missing before ${value}`);
    state = next as EntryState;
    keyword = { value, line, texts: [], lines: [] };
  };

  const addText = (text: string, line: number) => {
    if (!keyword) throw new PoMistake(line, `a text in quotes belongs after a keyword, such as msgid (got ${shown(text)})`);
    keyword.texts.push(text);
    keyword.lines.push(line);
  };

  /** Joins the texts of the last keyword and checks them. */
  const finish = () => {
    if (!keyword) return;
    const { value, line, texts, lines } = keyword;
    if (texts.length === 0) throw new PoMistake(line, `${value} needs a text in double quotes`);
    const text = texts.join('');
    // The parsers in use treat an empty context as absent.
    if (value === 'msgctxt' && text !== '') context = `${text}\u0004`;
    if (isObsolete) return;
    if (value === 'msgstr' && isHeader) assertPlurals(texts, lines);
    if (value !== 'msgid') return;
    const key = context + text;
    isHeader = key === '';
    const before = seen.get(key);
    if (before !== undefined) throw new PoMistake(line, `msgid ${shown(text)} is a duplicate of line ${before}`);
    seen.set(key, line);
  };

  /** Ends the current entry, which must be whole. */
  const end = (where = '') => {
    finish();
    if (state !== 'nothing' && !state.startsWith('msgstr'))
      throw new PoMistake(entryLine, `the entry that starts here has no msgstr${where}`);
    state = 'nothing';
    keyword = undefined;
  };

  for (const { isText, value, line, obsolete } of poTokens(text)) {
    if (obsolete !== isObsolete) end(` before line ${line}`);
    isObsolete = obsolete;
    if (isText) addText(value, line);
    else {
      finish();
      start(value, line);
    }
  }
  end();
}

function misplaced(keyword: string, state: EntryState, before = state as string) {
  if (state === 'nothing') return `${keyword} comes before any msgid`;
  if (keyword === 'msgctxt' || keyword === 'msgid') return `the entry before ${keyword} has no msgstr`;
  return `${keyword} cannot follow ${before}`;
}

/** The header's fields end in escaped line breaks; a field may span several texts. */
function assertPlurals(texts: readonly string[], lines: readonly number[]) {
  const rule = /(?:^|\\n)plural-forms[ \t]*:(.*?)(?:\\n|$)/is.exec(texts.join(''))?.[1];
  if (rule === undefined) return;
  try {
    assertPluralRule(rule);
  } catch (error) {
    const index = texts.findIndex((text) => /plural-forms/i.test(text));
    throw new PoMistake(lines[Math.max(index, 0)]!, error instanceof Error ? error.message : String(error));
  }
}

function shown(text: string) {
  return JSON.stringify(text.slice(0, SHOWN_LENGTH_MAX).toWellFormed());
}

/** The first mistake in a text. */
class PoMistake extends Error {
  /** @param line from 1. */
  constructor(
    readonly line: number,
    problem: string,
  ) {
    super(problem);
  }
}

/** Blanks, the end of a line, the mark of obsolete entries, a comment, a text with its escapes, a keyword. Linear: no two begin alike. */
const TOKEN = /[ \t\r\f\v]+|(\n)|(#~(?!\|))|#[^\n]*|"((?:[^"\\\n]|\\[abfnrtv\\"'?0-7x])*)"|([\w[\]-]{1,100})/y;
/** The wrong escape of a text: the first backslash that begins none, and no line end. */
const WRONG_ESCAPE = /"(?:[^"\\\n]|\\[abfnrtv\\"'?0-7x])*(\\[^abfnrtv\\"'?0-7x\n\r])/uy;

/**
 * The tokens of a `.po` text: a keyword, or the text between quotes with its escapes; comments and blanks are skipped. Those marked by
 * `#~` are obsolete: retained for translators, not used. Throws `PoMistake` at an invalid character.
 */
function* poTokens(text: string) {
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
    if (quoted !== undefined) yield { isText: true, value: quoted, line, obsolete };
    else if (word) yield { isText: false, value: word, line, obsolete };
  }
}

function problemAt(text: string, at: number) {
  if (text[at] !== '"') return `${JSON.stringify(String.fromCodePoint(text.codePointAt(at)!))} is not allowed here`;
  WRONG_ESCAPE.lastIndex = at;
  const escape = WRONG_ESCAPE.exec(text)?.[1];
  return escape ? `${escape} is not an escape` : 'the text in quotes does not end on its line';
}
