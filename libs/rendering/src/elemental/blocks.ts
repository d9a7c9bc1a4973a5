import type { Fields } from './fields';
import { paddingOf } from './style-values';

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

export type ActionBlock = Readonly<ReturnType<typeof actionBlock>>;

/** The block of an `action` element. */
export function actionBlock(fields: Fields) {
  return {
    type: 'action' as const,
    label: fields.text('content') ?? '',
    href: fields.text('href') ?? '',
    actionId: fields.text('action_id', 'actionId'),
    style: fields.oneOf(ACTION_STYLES, 'style') ?? 'button',
    align: fields.align() ?? 'center',
    backgroundColor: fields.color('background_color', 'backgroundColor'),
    color: fields.color('color'),
    borderRadius: fields.size('border_radius'),
    borderSize: fields.size('border_size'),
    fontSize: fields.size('font_size'),
    padding: paddingOf(fields.text('padding')),
  };
}

export type ImageBlock = Readonly<ReturnType<typeof imageBlock>>;

/** The block of an `image` element. */
export function imageBlock(fields: Fields) {
  return {
    type: 'image' as const,
    src: fields.text('src') ?? '',
    alt: fields.text('alt_text', 'altText') ?? '',
    href: fields.text('href'),
    align: fields.align() ?? 'center',
    width: fields.size('width'),
    borderColor: fields.color('border_color', 'borderColor'),
    borderSize: fields.size('border_size'),
    padding: paddingOf(fields.text('padding')),
  };
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
