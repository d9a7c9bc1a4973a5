import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { invalid, notFound, shown } from '@tidings/contracts/core/refusals';
import { elementsWithin } from '@tidings/contracts/content/assert-elemental';
import type { ElementalContent, ElementalNode, ElementalOverride } from '@tidings/contracts/content/elemental';
import type { ElementChecksum, ElementWithChecksums } from '@tidings/contracts/content/notification-content';
import { newId } from '@tidings/persistence/new-id';
import { checksumOf } from './checksum';

/** The fields of a node that recipients read. */
const TRANSLATABLE = ['title', 'content', 'href', 'src', 'alt_text', 'altText', 'raw'] as const;

/** Content with the ids of its nodes in reading order: a node before its children. Nodes of translations have none. */
export interface Elements {
  content: ElementalContent;
  ids: string[];
}

type IdOf = Map<ElementalNode, string>;

/**
 * Gives every node an id: its own, else that of a node of `previous` of the same type and texts, else a new one. So references
 * to elements stay valid where the content is put again without ids.
 */
export function withIds(content: ElementalContent, previous?: Elements): Elements {
  const nodes = [...inReadingOrder(content.elements)];
  const ownIds = new Set(nodes.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
  const free = new Map<string, string[]>();
  if (previous) {
    [...inReadingOrder(previous.content.elements)].forEach((node, index) => {
      const id = previous.ids[index]!;
      if (ownIds.has(id)) return;
      const alike = free.get(likenessOf(node));
      if (alike) alike.push(id);
      else free.set(likenessOf(node), [id]);
    });
  }
  const ids = nodes.map((node) => node.id ?? (free.size === 0 ? undefined : free.get(likenessOf(node))?.shift()) ?? newId('el'));
  return { content, ids };
}

/** The nodes as they were put, each with its id and checksum. */
export function answerElements({ content, ids }: Elements): ElementWithChecksums[] {
  let index = 0;
  const answer = (node: ElementalNode): ElementWithChecksums => {
    const id = ids[index++]!;
    const children = elementsWithin(node);
    return {
      ...node,
      id,
      checksum: nodeChecksum(node),
      ...(node.elements !== undefined && children.length > 0 && { elements: children.map(answer) }),
      ...(node.locales && {
        locales: Object.fromEntries(Object.entries(node.locales).map(([locale, override]) => [locale, withChecksum(override)])),
      }),
    } as ElementWithChecksums;
  };
  return content.elements.map(answer);
}

/** Id and checksum of every node, in reading order. */
export function checksumsOf({ content, ids }: Elements): ElementChecksum[] {
  return [...inReadingOrder(content.elements)].map((node, index) => ({ id: ids[index]!, checksum: nodeChecksum(node) }));
}

/**
 * The content with the node of this id replaced. Its children and translations stay where the new node has the same type and
 * none of its own.
 * @throws ServiceError `not_found` when the element does not exist.
 */
export function replaceElement(elements: Elements, elementId: string, given: Record<string, unknown>): Elements {
  if (!elements.ids.includes(elementId)) throw notFound(`Element ${elementId} does not exist in the draft`);
  return changed(elements, (node, id) => {
    if (id !== elementId) return node;
    const retained = node.type === given.type ? pick(node, ['elements', 'locales']) : {};
    const { id: _, ...fields } = given;
    return { ...(typeof node.id === 'string' && { id: node.id }), ...retained, ...fields } as ElementalNode;
  });
}

/**
 * The content with `overrides` as its whole translation into a language.
 * @throws ServiceError `invalid_request` for an element that does not exist, or is named twice.
 */
export function replaceLocale(elements: Elements, locale: string, overrides: readonly Record<string, unknown>[]): Elements {
  const ids = new Set(elements.ids);
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
    const others = Object.entries(locales ?? {}).filter(([name]) => name !== locale);
    const all = override ? [...others, [locale, override] as const] : others;
    return { ...fields, ...(all.length > 0 && { locales: Object.fromEntries(all) }) };
  });
}

function changed({ content, ids }: Elements, change: (node: ElementalNode, id: string) => ElementalNode): Elements {
  const idOf: IdOf = new Map([...inReadingOrder(content.elements)].map((node, index) => [node, ids[index]!]));
  const changeAll = (nodes: readonly ElementalNode[]) =>
    nodes.map((node) => {
      const id = idOf.get(node)!;
      const children = elementsWithin(node);
      const after = changeAll(children);
      const result = change(after.some((one, index) => one !== children[index]) ? { ...node, elements: after } : node, id);
      idOf.set(result, id);
      return result;
    });
  const after = { ...content, elements: changeAll(content.elements) };
  return { content: after, ids: [...inReadingOrder(after.elements)].map((node) => idOf.get(node) ?? node.id ?? newId('el')) };
}

/** Nodes depth first. The depth limit of checked content bounds the recursion. */
function* inReadingOrder(nodes: readonly ElementalNode[]): Generator<ElementalNode> {
  for (const node of nodes) {
    yield node;
    yield* inReadingOrder(elementsWithin(node));
  }
}

const nodeChecksum = (node: ElementalNode) => checksumOf(translatable(node, elementsWithin(node)));

function withChecksum(override: ElementalOverride): ElementalOverride & { checksum: string } {
  return { ...override, checksum: checksumOf(translatable(override, override.elements ?? [])) };
}

function translatable(fields: Record<string, unknown>, children: readonly ElementalNode[]): unknown[] {
  return [
    TRANSLATABLE.flatMap((name) => (fields[name] === undefined || fields[name] === null ? [] : [[name, fields[name]]])),
    children.map((node) => translatable(node, elementsWithin(node))),
  ];
}

const likenessOf = (node: ElementalNode) => `${node.type} ${nodeChecksum(node)}`;

function pick(fields: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));
}
