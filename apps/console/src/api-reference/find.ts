/** What can be found: its own text, and the names of its fields. */
interface Findable {
  readonly text: string;
  readonly fields: ReadonlySet<string>;
}

/** Something found, with the fields that have a word of the search that its own text lacks. */
export interface Found<Item> {
  readonly item: Item;
  readonly fields: readonly string[];
}

/** The items that have every word of a search in their text or in the name of a field; those by their text alone first. */
export function find<Item>(items: readonly Item[], query: string, findableOf: (item: Item) => Findable): Found<Item>[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = items.flatMap((item) => {
    const { text, fields } = findableOf(item);
    const own = text.toLowerCase();
    const others = words.filter((word) => !own.includes(word));
    const matches = others.map((word) => [...fields].filter((field) => field.toLowerCase().includes(word)));
    return matches.every(({ length }) => length > 0) ? [{ item, fields: [...new Set(matches.flat())] }] : [];
  });
  return [...found.filter(({ fields }) => fields.length === 0), ...found.filter(({ fields }) => fields.length > 0)];
}
