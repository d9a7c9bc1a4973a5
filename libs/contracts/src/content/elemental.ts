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

/** `null` equals absent, in every field of a node. */
type Text = string | null;
/** A length, a size or a number of pixels: `12px`, `12`, 12. */
type Size = string | number | null;
/** Clients send true, `true` and `'true'`. */
type Flag = boolean | string | null;

/** The content of a template or a send. */
export interface ElementalContent {
  version?: Text;
  elements: ElementalNode[];
  /** Sent by clients of the sixth generation. */
  brand?: unknown;
  [field: string]: unknown;
}

/** Nodes within a node. */
interface WithElements {
  elements?: ElementalNode[] | null;
}

/** Fields that replace a node's own fields for a recipient's language. */
export interface ElementalOverride extends WithElements {
  content?: Text;
  title?: Text;
  href?: Text;
  src?: Text;
  [field: string]: unknown;
}

/** Fields of every node. Nodes are open: unknown fields are stored and have no effect. */
interface ElementalBase {
  /** Identifies the node for changes of a single node; unique in its content. */
  id?: Text;
  /** The channels, or providers, that render it. */
  channels?: string[] | null;
  /** Name under which later nodes refer to its fields. */
  ref?: Text;
  /** Rendered only if this expression is true. */
  if?: Text;
  /** Path of a list; rendered once for each item. */
  loop?: Text;
  /** By locale, `fr_FR`. */
  locales?: Record<string, ElementalOverride> | null;
  [field: string]: unknown;
}

/** Text style, of `text` and the nodes inside it. */
interface ElementalStyle {
  color?: Text;
  bold?: Flag;
  italic?: Flag;
  strikethrough?: Flag;
  underline?: Flag;
}

/** The size of the letters, and of the lines. */
interface Lettering {
  font_size?: Size;
  line_height?: Size;
}

/** An image, with the target of its link. */
interface Picture {
  src?: Text;
  href?: Text;
  alt_text?: Text;
  altText?: Text;
  width?: Size;
}

/** Running text: `content`, or parts in `elements`. */
interface ElementalText extends ElementalBase, ElementalStyle, Lettering, WithElements {
  type: 'text';
  content?: Text;
  /** `left`, `center`, `right`. */
  align?: Text;
  /** `text`, `h1`, `h2`, `h3`, `subtext`. */
  text_style?: Text;
  /** `markdown`. */
  format?: Text;
}

/** A run of characters inside a text. */
interface ElementalString extends ElementalBase, ElementalStyle {
  type: 'string';
  content?: Text;
}

interface ElementalLink extends ElementalBase, ElementalStyle {
  type: 'link';
  content?: Text;
  href?: Text;
  disable_tracking?: Flag;
}

/** An image inside a text. */
interface ElementalInlineImage extends ElementalBase, ElementalStyle, Picture {
  type: 'img';
  disable_tracking?: Flag;
}

/** The title of the message: the subject of an e-mail, the title of a push message. */
interface ElementalMeta extends ElementalBase {
  type: 'meta';
  title?: Text;
}

/** The content of a channel, of a provider, or of all others (`default`): at top level only, and then every sibling is one. */
interface ElementalChannel extends ElementalBase, Lettering, WithElements {
  type: 'channel';
  /** A channel, a provider, or `default` (also if absent). */
  channel?: Text;
  /** Instead of elements: an object passed to the channel unchanged. */
  raw?: Record<string, unknown> | null;
  padding?: Size;
}

interface ElementalImage extends ElementalBase, Picture {
  type: 'image';
  border_color?: Text;
  borderColor?: Text;
  border_size?: Size;
  /** `left`, `center`, `right`, `full`. */
  align?: Text;
  padding?: Size;
}

interface ElementalAction extends ElementalBase {
  type: 'action';
  content?: Text;
  href?: Text;
  action_id?: Text;
  actionId?: Text;
  /** `left`, `center` (default), `right`, `full`. */
  align?: Text;
  background_color?: Text;
  backgroundColor?: Text;
  color?: Text;
  /** `button` (default), `secondary`, `tertiary`, `link`. */
  style?: Text;
  border_radius?: Size;
  border_size?: Size;
  font_size?: Size;
  padding?: Size;
  disable_tracking?: Flag;
}

interface ElementalDivider extends ElementalBase {
  type: 'divider';
  color?: Text;
}

interface ElementalQuote extends ElementalBase, Lettering, WithElements {
  type: 'quote';
  content?: Text;
  align?: Text;
  border_color?: Text;
  borderColor?: Text;
  text_style?: Text;
  textStyle?: Text;
}

/** `html` is rendered unchanged, in e-mail only; `jsonnet` is accepted, but not rendered. */
interface ElementalSource extends ElementalBase {
  type: 'html' | 'jsonnet';
  content?: Text;
  template?: Text;
}

/** The elements of `columns` are `column`s. */
interface ElementalGroup extends ElementalBase, WithElements {
  type: 'group' | 'columns';
}

interface ElementalColumn extends ElementalBase, WithElements {
  type: 'column';
  width?: Size;
}

/** Its elements are `list-item`s, and lists within. */
interface ElementalList extends ElementalBase, WithElements {
  type: 'list';
  /** `ordered`, `unordered`. */
  list_type?: Text;
  /** Image instead of bullets. */
  imgSrc?: Text;
  imgHref?: Text;
}

interface ElementalListItem extends ElementalBase, WithElements {
  type: 'list-item';
  content?: Text;
  background_color?: Text;
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
  | ElementalSource
  | ElementalGroup
  | ElementalColumn
  | ElementalList
  | ElementalListItem
  | ElementalComment
  | ElementalString
  | ElementalLink
  | ElementalInlineImage;
