/** Elements with an optional end tag, and the enclosing ones that end them. */
const TRACKED = setOf('p table caption tr td th ul ol li dl dt dd blockquote pre');
/** Nesting depth of tracked elements; deeper ones only add their text. */
const OPEN_MAX = 200;
/** Elements that bound the effect of an end tag. */
const SCOPE = setOf('table caption td th');
const SCOPE_OF_TABLE_PARTS = setOf('table');
const SCOPE_OF_ITEMS = setOf('table caption td th ul ol');

/** Elements within which a new item does not end an outer one. */
const aroundItems = (...items: string[]): ReadonlySet<string> =>
  new Set([...TRACKED].filter((name) => name !== 'p' && !items.includes(name)));

interface Implied {
  readonly ends: ReadonlySet<string>;
  /** Elements outside the nearest of these stay open. */
  readonly within: ReadonlySet<string>;
}

const PARAGRAPH_ENDS =
  'address article aside blockquote center details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p ' +
  'pre section table ul';

/** Elements that an opening tag ends. */
const IMPLIED_BY_OPENING = new Map(
  [
    { by: PARAGRAPH_ENDS, ends: 'p', within: aroundItems() },
    { by: 'li', ends: 'li', within: aroundItems('li') },
    { by: 'dt dd', ends: 'dt dd', within: aroundItems('dt', 'dd') },
    { by: 'td th', ends: 'caption td th', within: setOf('table') },
    { by: 'tr thead tbody tfoot caption colgroup', ends: 'caption tr td th', within: setOf('table') },
  ].flatMap(({ by, ends, within }) => by.split(' ').map((name): [string, Implied] => [name, { ends: setOf(ends), within }])),
);

/** Tracks open elements and infers omitted end tags, as browsers do. */
export class OpenElements {
  private readonly names: string[] = [];

  /** Opens an element. Returns the elements it ends, the innermost first, and those it opens, including an implied row. */
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

  /** Returns the elements that an end tag ends, the innermost first. */
  close(name: string): readonly string[] {
    if (!TRACKED.has(name)) return [name];
    const scope = name === 'tr' || SCOPE.has(name) ? SCOPE_OF_TABLE_PARTS : name === 'li' ? SCOPE_OF_ITEMS : SCOPE;
    const index = this.names.lastIndexOf(name);
    const isBeyond = index < 0 || this.names.some((open, at) => at > index && scope.has(open));
    return isBeyond ? [] : this.endFrom(index);
  }

  /** Ends all open elements. */
  closeAll(): readonly string[] {
    return this.endFrom(0);
  }

  private firstOf({ ends, within }: Implied) {
    let first = this.names.length;
    for (let at = first - 1; at >= 0 && !within.has(this.names[at]!); at -= 1) if (ends.has(this.names[at]!)) first = at;
    return first;
  }

  private endFrom(index: number) {
    return this.names.splice(index).reverse();
  }
}

function setOf(names: string) {
  return new Set(names.split(' '));
}
