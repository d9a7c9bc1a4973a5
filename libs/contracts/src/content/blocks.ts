import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsObject, IsOptional, IsString, Length, MaxLength, ValidateNested } from 'class-validator';

/** Maximum blocks, and channels, of one template. */
export const BLOCKS_MAX = 1_000;
export const BLOCK_CHANNELS_MAX = 100;
export const BLOCK_ID_LENGTH_MAX = 256;
const BLOCK_TEXT_LENGTH_MAX = 400_000;

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
  @IsString()
  @Length(1, BLOCK_ID_LENGTH_MAX)
  id!: string;

  @IsIn(BLOCK_TYPES)
  type!: BlockType;

  @IsOptional()
  @IsString()
  @MaxLength(BLOCK_ID_LENGTH_MAX)
  alias?: string | null;

  /** Checksum of the translatable text; always computed, a client's value is ignored. */
  @IsOptional()
  @IsString()
  @MaxLength(BLOCK_ID_LENGTH_MAX)
  checksum?: string | null;

  /** `BlockText`. */
  @IsOptional()
  content?: BlockText | null;

  @IsOptional()
  @IsString()
  @MaxLength(BLOCK_TEXT_LENGTH_MAX)
  context?: string | null;

  /** By locale, `BlockText`. */
  @IsOptional()
  @IsObject()
  locales?: Record<string, BlockText> | null;
}

/** A channel of a template of the first generation. */
export class BlockChannel {
  @IsString()
  @Length(1, BLOCK_ID_LENGTH_MAX)
  id!: string;

  @IsOptional()
  @IsString()
  @MaxLength(BLOCK_ID_LENGTH_MAX)
  type?: string | null;

  @IsOptional()
  @IsString()
  @MaxLength(BLOCK_ID_LENGTH_MAX)
  checksum?: string | null;

  /** `{ subject, title }`. */
  @IsOptional()
  @IsObject()
  content?: ChannelText | null;

  /** By locale, `{ subject, title }`. */
  @IsOptional()
  @IsObject()
  locales?: Record<string, ChannelText> | null;
}

/** The content of a template of the first generation. */
export class Blocks {
  @IsArray()
  @ArrayMaxSize(BLOCKS_MAX)
  @ValidateNested({ each: true })
  @Type(() => Block)
  blocks!: Block[];

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(BLOCK_CHANNELS_MAX)
  @ValidateNested({ each: true })
  @Type(() => BlockChannel)
  channels?: BlockChannel[] | null;
}
