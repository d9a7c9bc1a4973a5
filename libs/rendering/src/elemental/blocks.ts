export const ALIGNS = ['left', 'center', 'right', 'full'] as const;
/** Alignment of a block or its text. Undefined is the start of a line in the language's direction. */
export type Align = (typeof ALIGNS)[number];

/** Style of letters; every value is safe in CSS. */
export interface LetterStyle {
  readonly color?: string;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strikethrough?: boolean;
  readonly underline?: boolean;
  readonly fontSize?: string;
  readonly lineHeight?: string;
}

export const TEXT_STYLES = ['text', 'h1', 'h2', 'h3', 'subtext'] as const;
type TextStyle = (typeof TEXT_STYLES)[number];

/** A rendered element: control flow and variables are resolved, addresses are unchanged. */
export type Block = TextBlock | QuoteBlock | ActionBlock | ImageBlock | DividerBlock | HtmlBlock | ColumnsBlock | ListBlock;

/** A block that is no layout of others. */
export type FlatBlock = Exclude<Block, ColumnsBlock>;

/** The blocks, with those in columns instead of the columns. */
export function withoutColumns(blocks: readonly Block[]): FlatBlock[] {
  return blocks.flatMap((block) => (block.type === 'columns' ? withoutColumns(block.columns.flatMap((column) => column.blocks)) : block));
}

export interface TextBlock {
  readonly type: 'text';
  /** HTML, in any channel. */
  readonly html: string;
  readonly style: TextStyle;
  readonly align?: Align;
  readonly letters: LetterStyle;
}

export interface QuoteBlock extends Omit<TextBlock, 'type'> {
  readonly type: 'quote';
  readonly borderColor?: string;
}

export const ACTION_STYLES = ['button', 'secondary', 'tertiary', 'link'] as const;
type ActionStyle = (typeof ACTION_STYLES)[number];

export interface ActionBlock {
  readonly type: 'action';
  readonly label: string;
  readonly href: string;
  readonly actionId?: string;
  readonly style: ActionStyle;
  readonly align: Align;
  readonly backgroundColor?: string;
  readonly color?: string;
  readonly borderRadius?: string;
  readonly borderSize?: string;
  readonly fontSize?: string;
  readonly padding?: string;
}

export interface ImageBlock {
  readonly type: 'image';
  readonly src: string;
  readonly alt: string;
  readonly href?: string;
  readonly align: Align;
  readonly width?: string;
  readonly borderColor?: string;
  readonly borderSize?: string;
  readonly padding?: string;
}

interface DividerBlock {
  readonly type: 'divider';
  readonly color?: string;
}

/** E-mail only. */
interface HtmlBlock {
  readonly type: 'html';
  readonly html: string;
}

export interface ColumnsBlock {
  readonly type: 'columns';
  readonly columns: readonly { readonly width?: string; readonly blocks: readonly Block[] }[];
}

export interface ListBlock {
  readonly type: 'list';
  readonly ordered: boolean;
  /** A picture instead of the bullet. */
  readonly image?: { readonly src: string; readonly href?: string };
  readonly items: readonly ListEntry[];
}

/** An entry of a list: an item, or a list between items. */
export interface ListEntry {
  /** An item has a mark; a list between items has none. */
  readonly isItem: boolean;
  readonly backgroundColor?: string;
  readonly blocks: readonly Block[];
}
