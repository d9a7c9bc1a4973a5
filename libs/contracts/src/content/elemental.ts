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
type Texts<Field extends string> = { [Name in Field]?: Text };
/** Lengths, sizes and numbers of pixels: `12px`, `12`, 12. */
type Sizes<Field extends string> = { [Name in Field]?: string | number | null };
/** Clients send true, `true` and `'true'`. */
type Flags<Field extends string> = { [Name in Field]?: boolean | string | null };

/** The content of a template or a send. */
export interface ElementalContent extends Texts<'version'> {
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
export interface ElementalOverride extends WithElements, Texts<'content' | 'title' | 'href' | 'src'> {
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
interface ElementalStyle extends Texts<'color'>, Flags<'bold' | 'italic' | 'strikethrough' | 'underline'> {}

/** The size of the letters, and of the lines. */
type Lettering = Sizes<'font_size' | 'line_height'>;

/** An image, with the target of its link. */
interface Picture extends Texts<'src' | 'href' | 'alt_text' | 'altText'>, Sizes<'width'> {}

/**
 * Running text: `content`, or parts in `elements`. `align`: `left`, `center`, `right`. `text_style`: `text`, `h1`, `h2`, `h3`,
 * `subtext`. `format`: `markdown`.
 */
interface ElementalText
  extends ElementalBase, ElementalStyle, Lettering, WithElements, Texts<'content' | 'align' | 'text_style' | 'format'> {
  type: 'text';
}

/** A run of characters inside a text. */
interface ElementalString extends ElementalBase, ElementalStyle, Texts<'content'> {
  type: 'string';
}

interface ElementalLink extends ElementalBase, ElementalStyle, Texts<'content' | 'href'>, Flags<'disable_tracking'> {
  type: 'link';
}

/** An image inside a text. */
interface ElementalInlineImage extends ElementalBase, ElementalStyle, Picture, Flags<'disable_tracking'> {
  type: 'img';
}

/** The title of the message: the subject of an e-mail, the title of a push message. */
interface ElementalMeta extends ElementalBase, Texts<'title'> {
  type: 'meta';
}

/** The content of a channel, of a provider, or of all others (`default`): at top level only, and then every sibling is one. */
interface ElementalChannel extends ElementalBase, Lettering, WithElements, Sizes<'padding'> {
  type: 'channel';
  /** A channel, a provider, or `default` (also if absent). */
  channel?: Text;
  /** Instead of elements: an object passed to the channel unchanged. */
  raw?: Record<string, unknown> | null;
}

/** `align`: `left`, `center`, `right`, `full`. */
interface ElementalImage extends ElementalBase, Picture, Texts<'border_color' | 'borderColor' | 'align'>, Sizes<'border_size' | 'padding'> {
  type: 'image';
}

/** `align`: `left`, `center` (default), `right`, `full`. `style`: `button` (default), `secondary`, `tertiary`, `link`. */
interface ElementalAction
  extends
    ElementalBase,
    Texts<'content' | 'href' | 'action_id' | 'actionId' | 'align' | 'background_color' | 'backgroundColor' | 'color' | 'style'>,
    Sizes<'border_radius' | 'border_size' | 'font_size' | 'padding'>,
    Flags<'disable_tracking'> {
  type: 'action';
}

interface ElementalDivider extends ElementalBase, Texts<'color'> {
  type: 'divider';
}

interface ElementalQuote
  extends ElementalBase, Lettering, WithElements, Texts<'content' | 'align' | 'border_color' | 'borderColor' | 'text_style' | 'textStyle'> {
  type: 'quote';
}

/** `html` is rendered unchanged, in e-mail only; `jsonnet` is accepted, but not rendered. */
interface ElementalSource extends ElementalBase, Texts<'content' | 'template'> {
  type: 'html' | 'jsonnet';
}

/** The elements of `columns` are `column`s. */
interface ElementalGroup extends ElementalBase, WithElements {
  type: 'group' | 'columns';
}

interface ElementalColumn extends ElementalBase, WithElements, Sizes<'width'> {
  type: 'column';
}

/** Its elements are `list-item`s, and lists within. `list_type`: `ordered`, `unordered`. `imgSrc`: an image instead of bullets. */
interface ElementalList extends ElementalBase, WithElements, Texts<'list_type' | 'imgSrc' | 'imgHref'> {
  type: 'list';
}

interface ElementalListItem extends ElementalBase, WithElements, Texts<'content' | 'background_color'> {
  type: 'list-item';
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
