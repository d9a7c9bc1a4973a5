/** A node of Elemental as `GET /notifications/:id/content` answers it. */
export interface Node {
  id: string;
  type: string;
  elements?: readonly Node[];
  locales?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly [field: string]: unknown;
}

/** Texts of a node that have another one in each language. */
const TEXT_FIELDS = ['title', 'content', 'href', 'src', 'alt_text'] as const;

/** A text of a node, in the original and in a language: empty where it has none. */
export interface TranslatableText {
  nodeId: string;
  type: string;
  field: string;
  original: string;
  translated: string;
}

/** All nodes in reading order. */
const nodesOf = (nodes: readonly Node[]): Node[] => nodes.flatMap((node) => [node, ...nodesOf(node.elements ?? [])]);

/** The texts of content in reading order. */
export function textsIn(elements: readonly Node[], language: string): TranslatableText[] {
  return nodesOf(elements).flatMap((node) =>
    TEXT_FIELDS.flatMap((field) => {
      const [original, translated] = [node[field], node.locales?.[language]?.[field]];
      if (typeof original !== 'string' || original === '') return [];
      return [{ nodeId: node.id, type: node.type, field, original, translated: typeof translated === 'string' ? translated : '' }];
    }),
  );
}

/** The body of `PUT …/locales/:locale` that has these texts; what else a node has in the language stays. */
export function localeBody(elements: readonly Node[], language: string, given: readonly TranslatableText[]) {
  const changed = nodesOf(elements).map((node) => {
    const { checksum: _ofText, ...fields } = { ...node.locales?.[language] };
    const own = given.filter(({ nodeId }) => nodeId === node.id);
    for (const { field, translated } of own) {
      if (translated === '') delete fields[field];
      else fields[field] = translated;
    }
    return { id: node.id, ...fields };
  });
  return { elements: changed.filter((fields) => Object.keys(fields).length > 1) };
}
