import { IsIn, IsOptional } from 'class-validator';
import { IsListOf, OptionalListOf, OptionalObject, OptionalTextOf, TextOf } from '../core/fields';

/** Maximum blocks, and channels, of one template. */
export const BLOCKS_MAX = 1_000;
export const BLOCK_CHANNELS_MAX = 100;
const BLOCK_ID_LENGTH_MAX = 256;
/** Id of the block. @example "block_1" */
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
  /** Id of the block, unique in the template. @example "block_1" */
  @BlockId id: string;

  /** What the block is. @example "text" */
  @IsIn(BLOCK_TYPES) type: BlockType;

  /** Another name of the block; stored and returned. @example "greeting" */
  @OptionalName alias?: string | null;

  /** Checksum of the translatable text. It is always computed: a given one is ignored. @example "d41d8cd98f00b204e9800998ecf8427e" */
  @OptionalName checksum?: string | null;

  /** The text, or of a list `{parent, children}`: its own text and that of each item. @example "Your order {order} has shipped." */
  @IsOptional() content?: BlockText | null;

  /** Stored and returned; it has no effect. @example "order" */
  @OptionalTextOf(400_000) context?: string | null;

  /** The text in other languages, by locale, in the form of `content`. @example { "fr_FR": "Votre commande {order} est en route." } */
  @OptionalObject locales?: Record<string, BlockText> | null;
}

/** A channel of a template of the first generation. */
export class BlockChannel {
  /** Id of the channel in the template. @example "channel_1" */
  @BlockId id: string;

  /** Kind of the channel, such as `email`. @example "email" */
  @OptionalName type?: string | null;

  /** Checksum of the translatable texts. It is always computed: a given one is ignored. @example "d41d8cd98f00b204e9800998ecf8427e" */
  @OptionalName checksum?: string | null;

  /** `{subject, title}`: the subject of an e-mail, the title of a push message. @example { "subject": "Your order" } */
  @OptionalObject content?: ChannelText | null;

  /** Subject and title in other languages, by locale. @example { "fr_FR": { "subject": "Votre commande" } } */
  @OptionalObject locales?: Record<string, ChannelText> | null;
}

/** The content of a template of the first generation. */
export class Blocks {
  /** The blocks of the template, in order. */
  @IsListOf(Block, BLOCKS_MAX) blocks: Block[];

  /** Subjects and titles by channel. Absent or `null`: none. */
  @OptionalListOf(BlockChannel, BLOCK_CHANNELS_MAX) channels?: BlockChannel[] | null;
}
