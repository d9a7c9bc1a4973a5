/** The version in content; the older version has the same meaning. */
export const ELEMENTAL_VERSION = '2022-01-01';

/** Every node type of Elemental. */
export const ELEMENTAL_TYPES = [
  'text',
  'meta',
  'channel',
  'image',
  'action',
  'divider',
  'quote',
  'html',
  'group',
  'columns',
  'column',
  'list',
  'list-item',
  'jsonnet',
  'comment',
  'string',
  'link',
  'img',
] as const;
export type ElementalType = (typeof ELEMENTAL_TYPES)[number];

/** The node types that are allowed only inside running text. */
export const INLINE_TYPES = ['string', 'link', 'img'] as const satisfies readonly ElementalType[];

/** The content of a template or a send. */
export interface ElementalContent {
  version?: string | null;
  elements: ElementalNode[];
  /** Sent by clients of the sixth generation. */
  brand?: unknown;
  [field: string]: unknown;
}

/** Fields that replace a node's own fields for a recipient's language. */
export interface ElementalOverride {
  content?: string | null;
  title?: string | null;
  href?: string | null;
  src?: string | null;
  elements?: ElementalNode[] | null;
  [field: string]: unknown;
}

/** A length, a size or a number of pixels: `12px`, `12`, 12. */
type ElementalSize = string | number;
/** Clients send true, `true` and `'true'`. */
type ElementalFlag = boolean | string;

/** Fields of every node. Nodes are open: unknown fields are stored and have no effect. */
interface ElementalBase {
  /** Identifies the node for changes of a single node; unique in its content. */
  id?: string | null;
  /** The channels, or providers, that render it. */
  channels?: string[] | null;
  /** Name under which later nodes refer to its fields. */
  ref?: string | null;
  /** Rendered only if this expression is true. */
  if?: string | null;
  /** Path of a list; rendered once for each item. */
  loop?: string | null;
  /** By locale, `fr_FR`. */
  locales?: Record<string, ElementalOverride> | null;
  [field: string]: unknown;
}

/** Text style, of `text` and the nodes inside it. */
interface ElementalStyle {
  color?: string | null;
  bold?: ElementalFlag | null;
  italic?: ElementalFlag | null;
  strikethrough?: ElementalFlag | null;
  underline?: ElementalFlag | null;
}

/** Running text: `content`, or parts in `elements`. */
interface ElementalText extends ElementalBase, ElementalStyle {
  type: 'text';
  content?: string | null;
  elements?: ElementalNode[] | null;
  /** `left`, `center`, `right`. */
  align?: string | null;
  /** `text`, `h1`, `h2`, `h3`, `subtext`. */
  text_style?: string | null;
  /** `markdown`. */
  format?: string | null;
  font_size?: ElementalSize | null;
  line_height?: ElementalSize | null;
}

/** A run of characters inside a text. */
interface ElementalString extends ElementalBase, ElementalStyle {
  type: 'string';
  content?: string | null;
}

interface ElementalLink extends ElementalBase, ElementalStyle {
  type: 'link';
  content?: string | null;
  href?: string | null;
  disable_tracking?: ElementalFlag | null;
}

/** An image inside a text. */
interface ElementalInlineImage extends ElementalBase, ElementalStyle {
  type: 'img';
  src?: string | null;
  alt_text?: string | null;
  altText?: string | null;
  width?: ElementalSize | null;
  href?: string | null;
  disable_tracking?: ElementalFlag | null;
}

/** The title of the message: the subject of an e-mail, the title of a push message. */
interface ElementalMeta extends ElementalBase {
  type: 'meta';
  title?: string | null;
}

/** The content of a channel, of a provider, or of all others (`default`): at top level only, and then every sibling is one. */
interface ElementalChannel extends ElementalBase {
  type: 'channel';
  /** A channel, a provider, or `default` (also if absent). */
  channel?: string | null;
  elements?: ElementalNode[] | null;
  /** Instead of elements: an object passed to the channel unchanged. */
  raw?: Record<string, unknown> | null;
  font_size?: ElementalSize | null;
  line_height?: ElementalSize | null;
  padding?: ElementalSize | null;
}

interface ElementalImage extends ElementalBase {
  type: 'image';
  src?: string | null;
  href?: string | null;
  /** `left`, `center`, `right`, `full`. */
  align?: string | null;
  alt_text?: string | null;
  altText?: string | null;
  width?: ElementalSize | null;
  border_color?: string | null;
  borderColor?: string | null;
  border_size?: ElementalSize | null;
  padding?: ElementalSize | null;
}

interface ElementalAction extends ElementalBase {
  type: 'action';
  content?: string | null;
  href?: string | null;
  action_id?: string | null;
  actionId?: string | null;
  /** `left`, `center` (default), `right`, `full`. */
  align?: string | null;
  background_color?: string | null;
  backgroundColor?: string | null;
  color?: string | null;
  /** `button` (default), `secondary`, `tertiary`, `link`. */
  style?: string | null;
  border_radius?: ElementalSize | null;
  border_size?: ElementalSize | null;
  font_size?: ElementalSize | null;
  padding?: ElementalSize | null;
  disable_tracking?: ElementalFlag | null;
}

interface ElementalDivider extends ElementalBase {
  type: 'divider';
  color?: string | null;
}

interface ElementalQuote extends ElementalBase {
  type: 'quote';
  content?: string | null;
  elements?: ElementalNode[] | null;
  align?: string | null;
  border_color?: string | null;
  borderColor?: string | null;
  text_style?: string | null;
  textStyle?: string | null;
  font_size?: ElementalSize | null;
  line_height?: ElementalSize | null;
}

/** HTML, rendered unchanged; e-mail only. */
interface ElementalHtml extends ElementalBase {
  type: 'html';
  content?: string | null;
}

interface ElementalGroup extends ElementalBase {
  type: 'group';
  elements?: ElementalNode[] | null;
}

/** Its elements are `column`s. */
interface ElementalColumns extends ElementalBase {
  type: 'columns';
  elements?: ElementalNode[] | null;
}

interface ElementalColumn extends ElementalBase {
  type: 'column';
  width?: ElementalSize | null;
  elements?: ElementalNode[] | null;
}

/** Its elements are `list-item`s, and lists within. */
interface ElementalList extends ElementalBase {
  type: 'list';
  /** `ordered`, `unordered`. */
  list_type?: string | null;
  /** Image instead of bullets. */
  imgSrc?: string | null;
  imgHref?: string | null;
  elements?: ElementalNode[] | null;
}

interface ElementalListItem extends ElementalBase {
  type: 'list-item';
  content?: string | null;
  elements?: ElementalNode[] | null;
  background_color?: string | null;
}

/** Accepted, but not rendered. */
interface ElementalJsonnet extends ElementalBase {
  type: 'jsonnet';
  template?: string | null;
  content?: string | null;
}

/** A comment for authors; not rendered. */
interface ElementalComment extends ElementalBase {
  type: 'comment';
}

/** A node that passed `assertElemental`: its type is valid, and the declared fields have the declared types. */
export type ElementalNode =
  | ElementalText
  | ElementalMeta
  | ElementalChannel
  | ElementalImage
  | ElementalAction
  | ElementalDivider
  | ElementalQuote
  | ElementalHtml
  | ElementalGroup
  | ElementalColumns
  | ElementalColumn
  | ElementalList
  | ElementalListItem
  | ElementalJsonnet
  | ElementalComment
  | ElementalString
  | ElementalLink
  | ElementalInlineImage;
