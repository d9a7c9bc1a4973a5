import { assertAtMost, assertText, invalid, invalidValue, isGiven, requireArray, requireObject, shown } from '../core/refusals';
import { assertStorable, keyPath } from '../core/text';
import { ELEMENTAL_TYPES, type ElementalContent, type ElementalNode, type ElementalType, INLINE_TYPES } from './elemental';
import { assertLocale } from './locale';

/** Maximum JSON bytes of one content, translations included. */
export const ELEMENTAL_BYTES_MAX = 1024 * 1024;
/** Maximum nodes of one content, translations included. */
export const ELEMENTAL_NODES_MAX = 2_000;
/** Maximum nesting of nodes. */
export const ELEMENTAL_DEPTH_MAX = 12;
/** Maximum nesting of lists. */
export const ELEMENTAL_LISTS_MAX = 5;
/** Characters of one text: content, HTML, an address. */
const ELEMENTAL_TEXT_LENGTH_MAX = 400_000;
/** Characters of an `if` or a `loop`. */
const EXPRESSION_LENGTH_MAX = 2_000;
/** Characters of an `id`, a `ref`, a channel, a locale. */
const ELEMENTAL_NAME_LENGTH_MAX = 256;
/** Entries of one node's `channels`. */
const NODE_CHANNELS_MAX = 100;
/** Languages of one node. */
export const NODE_LOCALES_MAX = 200;

/** Fields that are a text in any node, a size or a flag also a number or true or false. `null` equals absent. */
const TEXTS = new Map([
  ...textsOf(
    'content title href src align text_style textStyle format color alt_text altText border_color borderColor ' +
      'background_color backgroundColor style action_id actionId list_type imgSrc imgHref',
    ELEMENTAL_TEXT_LENGTH_MAX,
  ),
  ...textsOf('font_size line_height padding width border_size border_radius', ELEMENTAL_NAME_LENGTH_MAX, 'number'),
  ...textsOf('bold italic strikethrough underline disable_tracking', ELEMENTAL_NAME_LENGTH_MAX, 'boolean'),
  ...textsOf('id ref', ELEMENTAL_NAME_LENGTH_MAX),
  ...textsOf('if loop', EXPRESSION_LENGTH_MAX),
]);

function textsOf(names: string, lengthMax: number, otherType?: 'number' | 'boolean') {
  return names.split(' ').map((name) => [name, { lengthMax, otherType }] as const);
}

const CONTAINERS = new Set<ElementalType>(['text', 'channel', 'quote', 'group', 'columns', 'column', 'list', 'list-item']);
/** Nodes that may contain inline nodes. */
const INLINE_PARENTS = new Set<ElementalType>(['text', 'quote', 'list-item']);
const INLINE = new Set<string>(INLINE_TYPES);
const TYPES = new Set<string>(ELEMENTAL_TYPES);

/** The position of nodes in the content. */
interface NodeContext {
  /** Undefined at top level. */
  parent?: ElementalType;
  depth: number;
  lists: number;
}

interface Tally {
  nodes: number;
  ids: Set<string>;
}

/**
 * Refuses invalid Elemental content: nodes of an unknown type or with a wrong parent (`channel` only at top level, and then every
 * sibling is one; `column` in `columns`, `list-item` in `list`, inline nodes in running text), known fields of a wrong type, two nodes
 * with one `id`, and content above the limits. Unknown fields are accepted.
 * @param content parsed JSON.
 * @param name the content's name in errors: `content` leads to `content.elements[2].type`.
 * @throws ServiceError `invalid_request` naming the path and the problem.
 */
export function assertElemental(content: unknown, name: string): asserts content is ElementalContent {
  requireObject(content, name, 'an object with elements');
  assertStorable(content, name);
  assertAtMost(ELEMENTAL_BYTES_MAX, Buffer.byteLength(JSON.stringify(content)), name, 'bytes of JSON');
  const { version } = content;
  if (isGiven(version) && !(typeof version === 'string' && version.length <= ELEMENTAL_NAME_LENGTH_MAX)) {
    throw invalid(`${name}.version must be a text of at most ${ELEMENTAL_NAME_LENGTH_MAX} characters`);
  }
  assertNodes(content.elements, `${name}.elements`, { depth: 0, lists: 0 }, { nodes: 0, ids: new Set() });
}

/** The nodes within a node. `elements` of a node type without elements is ignored. */
export function elementsWithin(node: ElementalNode): readonly ElementalNode[] {
  return CONTAINERS.has(node.type) && Array.isArray(node.elements) ? (node.elements as ElementalNode[]) : [];
}

function assertNodes(nodes: unknown, path: string, context: NodeContext, tally: Tally) {
  requireArray(nodes, path, 'an array of nodes');
  if (context.depth >= ELEMENTAL_DEPTH_MAX && nodes.length > 0) throw invalid(`${path} is nested deeper than ${ELEMENTAL_DEPTH_MAX} nodes`);
  let channels = 0;
  nodes.forEach((node, index) => {
    const at = `${path}[${index}]`;
    tally.nodes += 1;
    if (tally.nodes > ELEMENTAL_NODES_MAX) throw invalid(`${at} is more than the ${ELEMENTAL_NODES_MAX} nodes that content may have`);
    if (assertNode(node, at, context, tally) === 'channel') channels += 1;
    if (channels > 0 && channels <= index) {
      throw invalid(`${at} stands beside nodes of the type channel: where one is a channel, all of its siblings must be`);
    }
  });
}

/** @returns the node's type. */
function assertNode(node: unknown, path: string, context: NodeContext, tally: Tally): ElementalType {
  requireObject(node, path, 'a node, an object with a type');
  const { type } = node;
  if (typeof type !== 'string' || !TYPES.has(type)) {
    throw invalidValue(`${path}.type`, `one of ${ELEMENTAL_TYPES.join(', ')}`, type);
  }
  const kind = type as ElementalType;
  assertParent(kind, path, context.parent);
  assertFields(node, path, tally);
  if (kind === 'channel') {
    if (isGiven(node.channel)) assertText(node.channel, `${path}.channel`, ELEMENTAL_NAME_LENGTH_MAX);
    if (isGiven(node.raw)) requireObject(node.raw, `${path}.raw`);
  }

  const lists = context.lists + (kind === 'list' ? 1 : 0);
  if (lists > ELEMENTAL_LISTS_MAX) throw invalid(`${path} is a list nested deeper than ${ELEMENTAL_LISTS_MAX} levels`);
  const inside: NodeContext = { parent: kind, depth: context.depth + 1, lists };
  if (CONTAINERS.has(kind) && isGiven(node.elements)) assertNodes(node.elements, `${path}.elements`, inside, tally);
  if (isGiven(node.locales)) assertLocales(node.locales, `${path}.locales`, CONTAINERS.has(kind) ? inside : undefined, tally);
  return kind;
}

function assertParent(kind: ElementalType, path: string, parent: ElementalType | undefined) {
  const stands = parent === undefined ? 'at top level' : `inside ${parent}`;
  if (kind === 'channel' && parent !== undefined)
    throw invalid(`${path} is a channel, which stands at top level only (it stands ${stands})`);
  const only = kind === 'column' ? 'columns' : kind === 'list-item' ? 'list' : parent;
  if (parent !== only) throw invalid(`${path} is a ${kind}, which stands inside ${only} only (it stands ${stands})`);
  if (INLINE.has(kind) && (parent === undefined || !INLINE_PARENTS.has(parent))) {
    throw invalid(`${path} is of the type ${kind}, which stands inside ${[...INLINE_PARENTS].join(', ')} only (it stands ${stands})`);
  }
  const allowed = parent === 'columns' ? ['column', 'comment'] : parent === 'list' ? ['list-item', 'list', 'comment'] : undefined;
  if (allowed && !allowed.includes(kind)) throw invalid(`${path} is of the type ${kind}; inside ${parent} stand ${allowed.join(', ')}`);
}

function assertFields(fields: Record<string, unknown>, path: string, tally: Tally) {
  for (const [field, value] of Object.entries(fields)) {
    const text = TEXTS.get(field);
    if (text && isGiven(value) && typeof value !== text.otherType) assertText(value, `${path}.${field}`, text.lengthMax);
  }
  if (isGiven(fields.channels)) assertChannels(fields.channels, `${path}.channels`);
  if (typeof fields.id !== 'string') return;
  if (fields.id === '') throw invalid(`${path}.id must not be empty`);
  if (tally.ids.has(fields.id)) throw invalid(`${path}.id ${shown(fields.id)} is another node's already`);
  tally.ids.add(fields.id);
}

function assertChannels(channels: unknown, path: string) {
  requireArray(channels, path, 'an array of channels');
  assertAtMost(NODE_CHANNELS_MAX, channels.length, path);
  channels.forEach((channel, index) => assertText(channel, `${path}[${index}]`, ELEMENTAL_NAME_LENGTH_MAX));
}

/** @param inside the context of `elements` in a translation; undefined for node types without elements. */
function assertLocales(locales: unknown, path: string, inside: NodeContext | undefined, tally: Tally) {
  requireObject(locales, path, 'an object with a language for each key');
  const names = Object.keys(locales);
  assertAtMost(NODE_LOCALES_MAX, names.length, path, 'languages');
  for (const name of names) {
    assertLocale(name, `A key of ${path}`);
    assertOverride(locales[name], keyPath(path, name), inside, tally);
  }
}

function assertOverride(override: unknown, path: string, inside: NodeContext | undefined, tally: Tally) {
  requireObject(override, path, 'an object with the fields of the node in this language');
  const { id: _, ...fields } = override; // repeats the id of its node
  assertFields(fields, path, tally);
  if (inside && isGiven(override.elements)) assertNodes(override.elements, `${path}.elements`, inside, tally);
}
