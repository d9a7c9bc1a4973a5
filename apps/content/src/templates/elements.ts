import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { ServiceError } from '@tidings/contracts/core/errors';
import { shown } from '@tidings/contracts/core/refusals';
import { elementsWithin } from '@tidings/contracts/content/assert-elemental';
import type { ElementalContent, ElementalNode, ElementalOverride } from '@tidings/contracts/content/elemental';
import type { ElementChecksum, ElementWithChecksums } from '@tidings/contracts/content/notification-content';
import { newId } from '@tidings/persistence/new-id';
import { checksumOf } from './checksum';

/** What is said to people in a node, wherever it stands. */
const TRANSLATABLE = ['title', 'content', 'href', 'src', 'alt_text', 'altText', 'raw'] as const;

/** Content with the ids of its nodes in reading order: a node before those within it. Nodes of translations have none. */
export interface Elements {
  content: ElementalContent;
  ids: string[];
}

type IdOf = Map<ElementalNode, string>;

/**
 * Gives every node an id: its own, else that of the node of `previous` that has the same type and says the same, else a new one;
 * so that translations and changes of single elements stay valid where the content is put again without ids.
 */
export function withIds(content: ElementalContent, previous?: Elements): Elements {
  const nodes = [...inReadingOrder(content.elements)];
  const taken = new Set(nodes.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
  const free = new Map<string, string[]>();
  if (previous) {
    [...inReadingOrder(previous.content.elements)].forEach((node, index) => {
      const id = previous.ids[index]!;
      if (taken.has(id)) return;
      const alike = free.get(likenessOf(node));
      if (alike) alike.push(id);
      else free.set(likenessOf(node), [id]);
    });
  }
  const ids = nodes.map((node) => node.id ?? (free.size === 0 ? undefined : free.get(likenessOf(node))?.shift()) ?? newId('el'));
  return { content, ids };
}

/** The nodes as they were put, each with its id and its checksum. */
export function answerElements({ content, ids }: Elements): ElementWithChecksums[] {
  let place = 0;
  const answer = (node: ElementalNode): ElementWithChecksums => {
    const id = ids[place++]!;
    const within = elementsWithin(node);
    return {
      ...node,
      id,
      checksum: nodeChecksum(node),
      ...(node.elements !== undefined && within.length > 0 && { elements: within.map(answer) }),
      ...(node.locales && {
        locales: Object.fromEntries(Object.entries(node.locales).map(([locale, said]) => [locale, withChecksum(said)])),
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
 * The content with another node in the place of the one of this id. What stands within the node, and its translations, stay
 * where the new node is of the same type and does not give its own.
 * @throws ServiceError `not_found` when there is no such element.
 */
export function replaceElement(elements: Elements, elementId: string, given: Record<string, unknown>): Elements {
  if (!elements.ids.includes(elementId)) throw new ServiceError('not_found', `Element ${elementId} does not exist in the draft`);
  return changed(elements, (node, id) => {
    if (id !== elementId) return node;
    const kept = node.type === given.type ? pick(node, ['elements', 'locales']) : {};
    const { id: _, ...fields } = given;
    return { ...(typeof node.id === 'string' && { id: node.id }), ...kept, ...fields } as ElementalNode;
  });
}

/**
 * The content with `overrides` as all that it says in a language.
 * @throws ServiceError `invalid_request` for an element that does not exist, or is named twice.
 */
export function replaceLocale(elements: Elements, locale: string, overrides: readonly Record<string, unknown>[]): Elements {
  const known = new Set(elements.ids);
  const saidBy = new Map<string, ElementalOverride>();
  overrides.forEach(({ id, ...said }, index) => {
    if (typeof id !== 'string' || !known.has(id)) {
      throw new ServiceError('invalid_request', `elements[${index}].id must be that of an element of the draft (got ${shown(id)})`);
    }
    if (saidBy.has(id)) throw new ServiceError('invalid_request', `elements[${index}].id ${shown(id)} is there twice`);
    saidBy.set(id, said);
  });
  return changed(elements, (node, id) => {
    const said = saidBy.get(id);
    if (!said && !(isJsonObject(node.locales) && Object.hasOwn(node.locales, locale))) return node;
    const { locales, ...fields } = node;
    const others = Object.entries(locales ?? {}).filter(([name]) => name !== locale);
    const all = said ? [...others, [locale, said] as const] : others;
    return { ...fields, ...(all.length > 0 && { locales: Object.fromEntries(all) }) };
  });
}

function changed({ content, ids }: Elements, change: (node: ElementalNode, id: string) => ElementalNode): Elements {
  const idOf: IdOf = new Map([...inReadingOrder(content.elements)].map((node, index) => [node, ids[index]!]));
  const changeAll = (nodes: readonly ElementalNode[]): ElementalNode[] =>
    nodes.map((node) => {
      const id = idOf.get(node)!;
      const within = elementsWithin(node);
      const after = changeAll(within);
      const result = change(after.some((one, index) => one !== within[index]) ? { ...node, elements: after } : node, id);
      idOf.set(result, id);
      return result;
    });
  const after = { ...content, elements: changeAll(content.elements) };
  return { content: after, ids: [...inReadingOrder(after.elements)].map((node) => idOf.get(node) ?? node.id ?? newId('el')) };
}

/** The bound on depth that content was checked for bounds the recursion. */
function* inReadingOrder(nodes: readonly ElementalNode[]): Generator<ElementalNode> {
  for (const node of nodes) {
    yield node;
    yield* inReadingOrder(elementsWithin(node));
  }
}

function nodeChecksum(node: ElementalNode): string {
  return checksumOf(translatable(node, elementsWithin(node)));
}

function withChecksum(said: ElementalOverride): ElementalOverride & { checksum: string } {
  return { ...said, checksum: checksumOf(translatable(said, said.elements ?? [])) };
}

function translatable(fields: Record<string, unknown>, within: readonly ElementalNode[]): unknown[] {
  return [
    TRANSLATABLE.flatMap((name) => (fields[name] === undefined || fields[name] === null ? [] : [[name, fields[name]]])),
    within.map((node) => translatable(node, elementsWithin(node))),
  ];
}

function likenessOf(node: ElementalNode): string {
  return `${node.type} ${nodeChecksum(node)}`;
}

function pick(fields: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));
}
