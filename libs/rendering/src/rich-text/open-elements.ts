/** Elements whose end tag HTML lets authors leave out, and those around them that end them. */
const TRACKED = setOf('p table caption tr td th ul ol li dl dt dd blockquote pre');
/** Deeper ones only add their text. */
const OPEN_MAX = 200;
/** An end tag ends nothing beyond these. */
const SCOPE = setOf('table caption td th');
const SCOPE_OF_TABLE_PARTS = setOf('table');
const SCOPE_OF_ITEMS = setOf('table caption td th ul ol');

/** An item that is around one of these is not ended by the next item. */
const aroundItems = (...items: string[]): ReadonlySet<string> =>
  new Set([...TRACKED].filter((name) => name !== 'p' && !items.includes(name)));
const PARAGRAPHS = { ends: setOf('p'), within: aroundItems() };
const ROWS = { ends: setOf('caption tr td th'), within: setOf('table') };
const CELLS = { ends: setOf('caption td th'), within: setOf('table') };
const TERMS = { ends: setOf('dt dd'), within: aroundItems('dt', 'dd') };
const ENDS_PARAGRAPHS =
  'address article aside blockquote center details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p ' +
  'pre section table ul';

interface Implied {
  readonly ends: ReadonlySet<string>;
  /** What is open around the nearest of these stays so. */
  readonly within: ReadonlySet<string>;
}

/** What an element ends by its beginning. */
const IMPLIED_BY_OPENING = new Map<string, Implied>([
  ...[...setOf(ENDS_PARAGRAPHS)].map((name): [string, Implied] => [name, PARAGRAPHS]),
  ['li', { ends: setOf('li'), within: aroundItems('li') }],
  ['dt', TERMS],
  ['dd', TERMS],
  ['td', CELLS],
  ['th', CELLS],
  ...[...setOf('tr thead tbody tfoot caption colgroup')].map((name): [string, Implied] => [name, ROWS]),
]);

/** The elements that are open while HTML is read, with the end tags that it leaves out, as browsers find them. */
export class OpenElements {
  private readonly names: string[] = [];

  /** Opens an element: names those that end by it, the innermost first, and those that begin, a row around its first cell among them. */
  open(name: string): { readonly ended: readonly string[]; readonly opened: readonly string[] } {
    const implied = IMPLIED_BY_OPENING.get(name);
    const ended = implied ? this.endFrom(this.firstOf(implied)) : [];
    const isFirstCell = (name === 'td' || name === 'th') && this.names.at(-1) === 'table';
    const opened = isFirstCell ? ['tr', name] : [name];
    if (!TRACKED.has(name)) return { ended, opened };
    if (this.names.length + opened.length > OPEN_MAX) return { ended, opened: [] };
    this.names.push(...opened);
    return { ended, opened };
  }

  /** Names what an end tag ends, the innermost first; nothing where it ends nothing. */
  close(name: string): readonly string[] {
    if (!TRACKED.has(name)) return [name];
    const scope = name === 'tr' || SCOPE.has(name) ? SCOPE_OF_TABLE_PARTS : name === 'li' ? SCOPE_OF_ITEMS : SCOPE;
    const index = this.names.lastIndexOf(name);
    const isBeyond = index < 0 || this.names.some((open, at) => at > index && scope.has(open));
    return isBeyond ? [] : this.endFrom(index);
  }

  /** Ends whatever is open. */
  closeAll(): readonly string[] {
    return this.endFrom(0);
  }

  private firstOf({ ends, within }: Implied): number {
    let first = this.names.length;
    for (let at = first - 1; at >= 0 && !within.has(this.names[at]!); at -= 1) if (ends.has(this.names[at]!)) first = at;
    return first;
  }

  private endFrom(index: number): readonly string[] {
    return this.names.splice(index).reverse();
  }
}

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(' '));
}
