/** An entry of a gettext catalogue. */
export interface PoEntry {
  context: string;
  id: string;
  plural?: string;
  /** The translation, or its first form. */
  text: string;
  isFuzzy: boolean;
}

/** An entry of one catalogue that another lacks. */
export interface MissingEntry extends PoEntry {
  state: 'absent' | 'empty' | 'fuzzy';
}

const LINE = /^\s*(?:(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)\s*)?"((?:[^"\\]|\\.)*)"\s*$/;
const FUZZY = /^#,.*\bfuzzy\b/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

const keyOf = ({ context, id }: Pick<PoEntry, 'context' | 'id'>) => `${context}\u0004${id}`;

/**
 * The entries of a catalogue in their order, without its header and what is obsolete. The text may have mistakes, which the gateway finds:
 * lines that cannot be read are skipped.
 */
export function poEntries(text: string): PoEntry[] {
  const entries: PoEntry[] = [];
  let fields: Record<string, string> = {};
  let field: string | undefined;
  let isFuzzy = false;
  let isNextFuzzy = false;
  const end = () => {
    const { msgid: id, msgctxt: context = '', msgid_plural: plural } = fields;
    if (id) entries.push({ context, id, plural, text: fields.msgstr ?? fields['msgstr[0]'] ?? '', isFuzzy });
    fields = {};
  };
  for (const line of text.split('\n')) {
    if (line.trimStart().startsWith('#')) {
      isNextFuzzy ||= FUZZY.test(line);
      continue;
    }
    const found = LINE.exec(line);
    if (!found) continue;
    const [, keyword, quoted] = found;
    if (keyword !== undefined) {
      const begins = keyword === 'msgctxt' || (keyword === 'msgid' && (field !== 'msgctxt' || 'msgid' in fields));
      if (begins) {
        end();
        isFuzzy = isNextFuzzy;
        isNextFuzzy = false;
      }
      field = keyword;
      fields[field] = '';
    }
    if (field !== undefined) fields[field] += unescaped(quoted!);
  }
  end();
  return entries;
}

function unescaped(text: string) {
  return text.replace(/\\(.)/g, (_, sign: string) => ESCAPES[sign] ?? sign);
}

/** The translated entries of `other` that `text` does not translate. */
export function missingEntries(text: string, other: string): MissingEntry[] {
  const own = new Map(poEntries(text).map((entry) => [keyOf(entry), entry]));
  return poEntries(other).flatMap((entry): MissingEntry[] => {
    const state = stateOf(own.get(keyOf(entry)));
    return state === undefined ? [] : [{ ...entry, state }];
  });
}

/** Why an entry does not translate, `undefined` if it does. */
function stateOf(entry: PoEntry | undefined): MissingEntry['state'] | undefined {
  if (!entry) return 'absent';
  if (entry.isFuzzy) return 'fuzzy';
  return entry.text === '' ? 'empty' : undefined;
}

/** A catalogue with an entry without translation for each that it has none of. */
export function withEmptyEntries(text: string, missing: readonly MissingEntry[]): string {
  const added = missing.filter(({ state }) => state === 'absent').map(emptyEntry);
  if (added.length === 0) return text;
  const before = text.trimEnd();
  return `${before === '' ? '' : `${before}\n\n`}${added.join('\n\n')}\n`;
}

function emptyEntry({ context, id, plural }: PoEntry) {
  const lines = [`msgid ${quoted(id)}`];
  if (context !== '') lines.unshift(`msgctxt ${quoted(context)}`);
  if (plural === undefined) lines.push('msgstr ""');
  else lines.push(`msgid_plural ${quoted(plural)}`, 'msgstr[0] ""');
  return lines.join('\n');
}

function quoted(text: string) {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r');
  return `"${escaped}"`;
}
