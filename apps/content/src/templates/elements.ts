import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { invalid, isGiven, notFound, shown } from '@tidings/contracts/core/refusals';
import { elementsWithin } from '@tidings/contracts/content/assert-elemental';
import type { ElementalContent, ElementalNode, ElementalOverride } from '@tidings/contracts/content/elemental';
import type { ElementWithChecksums } from '@tidings/contracts/content/notification-content';
import { newId } from '@tidings/persistence/new-id';
import type { BlockContent } from './blocks';
import { checksumOf } from './checksum';

/** The fields of a node that recipients read. */
const TRANSLATABLE = ['title', 'content', 'href', 'src', 'alt_text', 'altText', 'raw'] as const;

/** Content with the ids of its nodes in reading order: a node before its children. Nodes of translations have none. */
export interface Elements {
  content: ElementalContent;
  elementIds: string[];
}

/** Content as it is stored: Elemental, or blocks, whose parts have ids of their own. */
export type StoredContent = Elements | { content: BlockContent; elementIds: null };

/**
 * Gives every node an id: its own, else that of a node of `previous` of the same type and texts, else a new one. So references
 * to elements stay valid where the content is put again without ids.
 */
export function withIds(content: ElementalContent, previous?: StoredContent): Elements {
  const nodes = [...inDocumentOrder(content.elements)];
  const ownIds = new Set(nodes.map(({ id }) => id));
  const free = new Map<string, string[]>();
  for (const [node, id] of previous?.elementIds ? nodesWithIds(previous) : []) {
    if (!ownIds.has(id)) free.set(likenessOf(node), [...(free.get(likenessOf(node)) ?? []), id]);
  }
  const elementIds = nodes.map((node) => node.id ?? (free.size === 0 ? undefined : free.get(likenessOf(node))?.shift()) ?? newId('el'));
  return { content, elementIds };
}

/** The nodes as they were put, each with its id and checksum. */
export function answerElements(elements: Elements): ElementWithChecksums[] {
  return mapNodes(elements, (node, id, children: ElementWithChecksums[]) => {
    const locales = Object.entries(node.locales ?? {}).map(([locale, override]) => [locale, withChecksum(override)] as const);
    return {
      ...node,
      id,
      checksum: nodeChecksum(node),
      ...(children.length > 0 && { elements: children }),
      locales: node.locales && Object.fromEntries(locales),
    } as ElementWithChecksums;
  });
}

/** Id and checksum of every node, in reading order. */
export function checksumsOf(elements: Elements) {
  return nodesWithIds(elements).map(([node, id]) => ({ id, checksum: nodeChecksum(node) }));
}

/**
 * The content with the node of this id replaced. Its children and translations stay where the new node has the same type and
 * none of its own.
 * @throws ServiceError `not_found` when the element does not exist.
 */
export function replaceElement(elements: Elements, elementId: string, given: Record<string, unknown>): Elements {
  if (!elements.elementIds.includes(elementId)) throw notFound(`Element ${elementId} does not exist in the draft`);
  return changed(elements, (node, id) => {
    if (id !== elementId) return node;
    const { id: _, ...fields } = given;
    const retained = node.type === given.type ? { elements: node.elements, locales: node.locales } : {};
    // The given fields come first too: their keys stay in the client's order.
    return { id: node.id ?? undefined, ...fields, ...retained, ...fields } as ElementalNode;
  });
}

/**
 * The content with `overrides` as its whole translation into a language.
 * @throws ServiceError `invalid_request` for an element that does not exist, or is named twice.
 */
export function replaceLocale(elements: Elements, locale: string, overrides: readonly Record<string, unknown>[]): Elements {
  const ids = new Set(elements.elementIds);
  const overridesById = new Map<string, ElementalOverride>();
  overrides.forEach(({ id, ...override }, index) => {
    if (typeof id !== 'string' || !ids.has(id)) {
      throw invalid(`elements[${index}].id must be that of an element of the draft (got ${shown(id)})`);
    }
    if (overridesById.has(id)) throw invalid(`elements[${index}].id ${shown(id)} is there twice`);
    overridesById.set(id, override);
  });
  return changed(elements, (node, id) => {
    const override = overridesById.get(id);
    if (!override && !(isJsonObject(node.locales) && Object.hasOwn(node.locales, locale))) return node;
    const { locales, ...fields } = node;
    const { [locale]: _, ...others } = locales ?? {};
    const all = override ? { ...others, [locale]: override } : others;
    return { ...fields, locales: Object.keys(all).length > 0 ? all : undefined };
  });
}

function changed(elements: Elements, change: (node: ElementalNode, id: string) => ElementalNode): Elements {
  const idOf = new Map<ElementalNode, string>();
  const nodes = mapNodes<ElementalNode>(elements, (node, id, children) => {
    const before = elementsWithin(node);
    const result = change(children.some((one, index) => one !== before[index]) ? { ...node, elements: children } : node, id);
    idOf.set(result, id);
    return result;
  });
  return {
    content: { ...elements.content, elements: nodes },
    elementIds: [...inDocumentOrder(nodes)].map((node) => idOf.get(node) ?? node.id ?? newId('el')),
  };
}

/** What `map` makes of every node, the children of a node before the node. */
function mapNodes<Result>({ content, elementIds }: Elements, map: (node: ElementalNode, id: string, children: Result[]) => Result) {
  const ids = elementIds.values();
  const mapAll = (nodes: readonly ElementalNode[]): Result[] =>
    nodes.map((node) => {
      const id = ids.next().value!;
      return map(node, id, mapAll(elementsWithin(node)));
    });
  return mapAll(content.elements);
}

function nodesWithIds({ content, elementIds }: Elements) {
  return [...inDocumentOrder(content.elements)].map((node, index) => [node, elementIds[index]!] as const);
}

/** Nodes depth first. The depth limit of checked content bounds the recursion. */
function* inDocumentOrder(nodes: readonly ElementalNode[]): Generator<ElementalNode> {
  for (const node of nodes) {
    yield node;
    yield* inDocumentOrder(elementsWithin(node));
  }
}

const nodeChecksum = (node: ElementalNode) => checksumOf(translatable(node, elementsWithin(node)));

function withChecksum(override: ElementalOverride) {
  return { ...override, checksum: checksumOf(translatable(override, override.elements ?? [])) };
}

function translatable(fields: Record<string, unknown>, children: readonly ElementalNode[]): unknown[] {
  return [
    TRANSLATABLE.filter((name) => isGiven(fields[name])).map((name) => [name, fields[name]]),
    children.map((node) => translatable(node, elementsWithin(node))),
  ];
}

const likenessOf = (node: ElementalNode) => `${node.type} ${nodeChecksum(node)}`;
