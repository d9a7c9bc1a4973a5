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

type Source = Texts<'content' | 'template'>;

/** The fields of each node type, beside those of every node. */
export interface FieldsByType {
  /**
   * Running text: `content`, or parts in `elements`. `align`: `left`, `center`, `right`. `text_style`: `text`, `h1`, `h2`, `h3`,
   * `subtext`. `format`: `markdown`.
   */
  text: ElementalStyle & Lettering & WithElements & Texts<'content' | 'align' | 'text_style' | 'textStyle' | 'format'>;
  /** A run of characters inside a text. */
  string: ElementalStyle & Lettering & Texts<'content'>;
  link: ElementalStyle & Lettering & Texts<'content' | 'href'> & Flags<'disable_tracking'>;
  /** An image inside a text. */
  img: ElementalStyle & Lettering & Picture & Flags<'disable_tracking'>;
  /** The title of the message: the subject of an e-mail, the title of a push message. */
  meta: Texts<'title' | 'preheader'>;
  /** The content of a channel, of a provider, or of all others (`default`): at top level only, and then every sibling is one. */
  channel: Lettering &
    WithElements &
    Sizes<'padding'> & {
      /** A channel, a provider, or `default` (also if absent). */
      channel?: Text;
      /** Instead of elements: an object passed to the channel unchanged. */
      raw?: Record<string, unknown> | null;
    };
  /** `align`: `left`, `center`, `right`, `full`. */
  image: Picture & Texts<'border_color' | 'borderColor' | 'align'> & Sizes<'border_size' | 'padding'>;
  /** `align`: `left`, `center` (default), `right`, `full`. `style`: `button` (default), `secondary`, `tertiary`, `link`. */
  action: Texts<'content' | 'href' | 'action_id' | 'actionId' | 'align' | 'background_color' | 'backgroundColor' | 'color' | 'style'> &
    Sizes<'border_radius' | 'border_size' | 'font_size' | 'padding'> &
    Flags<'disable_tracking'>;
  divider: Texts<'color'>;
  quote: ElementalStyle &
    Lettering &
    WithElements &
    Texts<'content' | 'align' | 'border_color' | 'borderColor' | 'text_style' | 'textStyle'>;
  /** Rendered unchanged, in e-mail only. */
  html: Source;
  /** Accepted, but not rendered. */
  jsonnet: Source;
  group: WithElements;
  /** Its elements are `column`s. */
  columns: WithElements;
  column: WithElements & Sizes<'width'>;
  /** Its elements are `list-item`s, and lists within. `list_type`: `ordered`, `unordered`. `imgSrc`: an image instead of bullets. */
  list: WithElements & Texts<'list_type' | 'imgSrc' | 'imgHref'>;
  'list-item': WithElements & Texts<'content' | 'background_color'>;
  /** A comment for authors; not rendered. */
  comment: object;
}

/** A node that passed `assertElemental`: its type is valid, and the declared fields have the declared types. */
export type ElementalNode = { [Type in ElementalType]: ElementalBase & FieldsByType[Type] & { type: Type } }[ElementalType];
