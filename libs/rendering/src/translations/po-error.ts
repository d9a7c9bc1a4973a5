import { assertPluralRule } from './plural-rule';
import { PoMistake, type PoToken, poTokens } from './po-lexer';

export interface PoError {
  /** From 1. */
  line: number;
  /** What is wrong there, in a few words. */
  problem: string;
}

/** How much of what was given is repeated. */
const SHOWN_LENGTH_MAX = 60;

/**
 * The first mistake in the text of a `.po` file, undefined where there is none; an empty text is one. Refused is what
 * GNU gettext refuses, and what parsers that forgive it would read as something else: texts without a keyword, entries
 * without `msgstr`, plural forms out of order, an entry that is there twice, a rule of plurals that cannot be read. One pass,
 * linear in the length of the text.
 */
export function findPoError(text: string): PoError | undefined {
  const entries = new PoEntries(new Map());
  const obsolete = new PoEntries(undefined);
  try {
    for (const token of poTokens(text)) (token.obsolete ? obsolete : entries).take(token);
    entries.end();
    obsolete.end();
  } catch (error) {
    if (error instanceof PoMistake) return { line: error.line, problem: error.problem };
    throw error;
  }
  return undefined;
}

/** What came last of an entry. */
type EntryState = 'nothing' | 'msgctxt' | 'msgid' | 'msgid_plural' | 'msgstr' | 'msgstr[]';

const MAY_FOLLOW: Readonly<Record<string, readonly EntryState[]>> = {
  msgctxt: ['nothing', 'msgstr', 'msgstr[]'],
  msgid: ['nothing', 'msgctxt', 'msgstr', 'msgstr[]'],
  msgid_plural: ['msgid'],
  msgstr: ['msgid'],
  'msgstr[]': ['msgid_plural', 'msgstr[]'],
};

/** The entries of a text, as far as they were read. */
class PoEntries {
  private state: EntryState = 'nothing';
  /** The keyword that came last. */
  private keyword: { value: string; line: number; texts: string[]; lines: number[] } | undefined;
  /** The entry without id and context says what holds for the others. */
  private isHeader = false;
  private entryLine = 0;
  private context = '';
  private forms = 0;

  /** @param seen where each entry stands, by context and id; absent where an entry may be there twice. */
  constructor(private readonly seen: Map<string, number> | undefined) {}

  take({ kind, value, line }: PoToken): void {
    if (kind === 'keyword') {
      this.finishKeyword();
      this.startKeyword(value, line);
    } else if (this.keyword) {
      this.keyword.texts.push(value);
      this.keyword.lines.push(line);
    } else {
      throw new PoMistake(line, `a text in quotes belongs behind a keyword, such as msgid (got ${shown(value)})`);
    }
  }

  end(): void {
    this.finishKeyword();
    if (this.state === 'nothing' || this.state.startsWith('msgstr')) return;
    throw new PoMistake(this.entryLine, 'the entry that begins there has no msgstr');
  }

  private startKeyword(keyword: string, line: number): void {
    const form = /^msgstr\[(\d{1,2})\]$/.exec(keyword)?.[1];
    const state = form === undefined ? keyword : 'msgstr[]';
    if (!Object.hasOwn(MAY_FOLLOW, state) || keyword === 'msgstr[]') throw new PoMistake(line, `${shown(keyword)} is not a keyword`);
    if (!MAY_FOLLOW[state]!.includes(this.state)) throw new PoMistake(line, this.misplaced(keyword));
    if (state === 'msgctxt' || (state === 'msgid' && this.state !== 'msgctxt')) {
      this.entryLine = line;
      this.context = '';
      this.forms = 0;
    }
    if (form !== undefined && Number(form) !== this.forms++)
      throw new PoMistake(line, `msgstr[${this.forms - 1}] is missing before ${keyword}`);
    this.state = state as EntryState;
    this.keyword = { value: keyword, line, texts: [], lines: [] };
  }

  private misplaced(keyword: string): string {
    if (this.state === 'nothing') return `${keyword} comes before any msgid`;
    if (keyword === 'msgctxt' || keyword === 'msgid') return `the entry before ${keyword} has no msgstr`;
    return `${keyword} cannot follow ${this.keyword?.value ?? this.state}`;
  }

  /** The texts behind a keyword are one. */
  private finishKeyword(): void {
    if (!this.keyword) return;
    const { value, line, texts, lines } = this.keyword;
    if (texts.length === 0) throw new PoMistake(line, `${value} needs a text in double quotes`);
    // An empty context is none to the parsers in use.
    if (value === 'msgctxt' && texts.some((text) => text !== '')) this.context = `${texts.join('')}\u0004`;
    if (value === 'msgstr' && this.isHeader && this.seen) assertPlurals(texts, lines);
    if (value !== 'msgid' || !this.seen) return;
    const key = this.context + texts.join('');
    this.isHeader = key === '';
    const before = this.seen.get(key);
    if (before !== undefined) throw new PoMistake(line, `msgid ${shown(texts.join(''))} is there twice, first on line ${before}`);
    this.seen.set(key, line);
  }
}

/** The header's fields end in line breaks, which are escaped; a field may stand in several texts. */
function assertPlurals(texts: readonly string[], lines: readonly number[]): void {
  const rule = /(?:^|\\n)plural-forms[ \t]*:(.*?)(?:\\n|$)/is.exec(texts.join(''))?.[1];
  if (rule === undefined) return;
  try {
    assertPluralRule(rule);
  } catch (error) {
    const index = texts.findIndex((text) => /plural-forms/i.test(text));
    throw new PoMistake(lines[Math.max(index, 0)]!, error instanceof Error ? error.message : String(error));
  }
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, SHOWN_LENGTH_MAX).toWellFormed());
}
