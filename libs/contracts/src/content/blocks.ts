import { IsIn, IsOptional } from 'class-validator';
import { IsListOf, OptionalListOf, OptionalObject, OptionalTextOf, TextOf } from '../core/fields';

/** Maximum blocks, and channels, of one template. */
export const BLOCKS_MAX = 1_000;
export const BLOCK_CHANNELS_MAX = 100;
const BLOCK_ID_LENGTH_MAX = 256;
export const BlockId = TextOf(1, BLOCK_ID_LENGTH_MAX);
const OptionalName = OptionalTextOf(BLOCK_ID_LENGTH_MAX);

const BLOCK_TYPES = ['action', 'divider', 'image', 'jsonnet', 'list', 'markdown', 'quote', 'template', 'text'] as const;
export type BlockType = (typeof BLOCK_TYPES)[number];

/** The content of a block: a text, or the text of a list and of each of its items. */
export type BlockText = string | { parent?: string | null; children?: string | null };

/** The headings of a channel of blocks: the subject of an e-mail, the title of a push message. */
export interface ChannelText {
  subject?: string | null;
  title?: string | null;
}

/** A part of a template of the first generation. Unknown fields are dropped. */
export class Block {
  @BlockId id: string;

  @IsIn(BLOCK_TYPES) type: BlockType;

  @OptionalName alias?: string | null;

  /** Checksum of the translatable text; always computed, a client's value is ignored. */
  @OptionalName checksum?: string | null;

  /** `BlockText`. */
  @IsOptional() content?: BlockText | null;

  @OptionalTextOf(400_000) context?: string | null;

  /** By locale, `BlockText`. */
  @OptionalObject locales?: Record<string, BlockText> | null;
}

/** A channel of a template of the first generation. */
export class BlockChannel {
  @BlockId id: string;

  @OptionalName type?: string | null;

  @OptionalName checksum?: string | null;

  /** `{ subject, title }`. */
  @OptionalObject content?: ChannelText | null;

  /** By locale, `{ subject, title }`. */
  @OptionalObject locales?: Record<string, ChannelText> | null;
}

/** The content of a template of the first generation. */
export class Blocks {
  @IsListOf(Block, BLOCKS_MAX) blocks: Block[];

  @OptionalListOf(BlockChannel, BLOCK_CHANNELS_MAX) channels?: BlockChannel[] | null;
}
