import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsObject, IsOptional, IsString, Length, MaxLength, ValidateNested } from 'class-validator';
import { defineOperation } from '../core/operation';
import { ELEMENTAL_NODES_MAX } from './assert-elemental';
import {
  Block,
  BLOCK_CHANNELS_MAX,
  BLOCK_ID_LENGTH_MAX,
  BlockChannel,
  Blocks,
  BLOCKS_MAX,
  type BlockText,
  type ChannelText,
} from './blocks';
import type { ElementalContent } from './elemental';
import { TemplateVersion } from './notifications';
import {
  IF_MATCH_LENGTH_MAX,
  NamedTemplate,
  TEMPLATE_ID_LENGTH_MAX,
  TEMPLATE_STATES,
  TemplateChange,
  type TemplateState,
} from './template-fields';

const NAME_LENGTH_MAX = 256;

/** A node of the content, with what tells whether a translation of it is still of the same text. */
export interface ElementWithChecksums {
  type: string;
  id: string;
  /** MD5 of what is to be translated: title, content and addresses, those of the elements within included. */
  checksum: string;
  elements?: ElementWithChecksums[];
  locales?: Record<string, { checksum: string; [field: string]: unknown }>;
  [field: string]: unknown;
}

/** Content of either generation: `elements`, or `blocks` and `channels` where blocks were put. */
export class TemplateContent {
  @IsOptional()
  @IsString()
  version?: string;

  /** `ElementWithChecksums`. */
  @IsOptional()
  @IsArray()
  elements?: ElementWithChecksums[];

  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Block)
  blocks?: Block[];

  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => BlockChannel)
  channels?: BlockChannel[];

  /** Of all blocks and channels. */
  @IsOptional()
  @IsString()
  checksum?: string;

  /** Changes with every change of the template; for `if_match`. */
  @IsOptional()
  @IsString()
  etag?: string;
}

export class ElementChecksum {
  @IsString()
  id!: string;

  @IsString()
  checksum!: string;
}

/** What a change of content left: every element, those within others included, in reading order. */
export class ContentMutation {
  @IsString()
  id!: string;

  /** `draft`, or `v002` when it was published. */
  @IsString()
  version!: string;

  @IsIn(TEMPLATE_STATES)
  state!: TemplateState;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ElementChecksum)
  elements!: ElementChecksum[];

  /** As of the content. */
  @IsString()
  etag!: string;
}

/** A change of a template that is there. */
export class ContentChange extends TemplateChange {
  @IsString()
  @Length(1, TEMPLATE_ID_LENGTH_MAX)
  id!: string;

  /** The `etag` of what was read: refused when the template is not what it was any more. */
  @IsOptional()
  @IsString()
  @MaxLength(IF_MATCH_LENGTH_MAX)
  if_match?: string | null;
}

export class PutContent extends ContentChange {
  @IsObject()
  content!: ElementalContent;
}

export class PutElement extends NamedTemplate {
  @IsString()
  @Length(1, NAME_LENGTH_MAX)
  elementId!: string;

  /** The node, its fields beside `type` or in `data`, and `state`. */
  @IsObject()
  element!: Record<string, unknown>;

  @IsOptional()
  @IsString()
  @MaxLength(IF_MATCH_LENGTH_MAX)
  if_match?: string | null;
}

/** A language's texts: `elements` of Elemental, or `blocks` and `channels`. */
export class PutLocale extends ContentChange {
  @IsString()
  @Length(1, NAME_LENGTH_MAX)
  localeId!: string;

  /** `{ id, …what is said in this language }`. Elements that are not named have nothing in this language any more. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(ELEMENTAL_NODES_MAX)
  @IsObject({ each: true })
  elements?: Record<string, unknown>[] | null;

  /** `{ id, content }`. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(BLOCKS_MAX)
  @IsObject({ each: true })
  blocks?: Record<string, unknown>[] | null;

  /** `{ id, content }`. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(BLOCK_CHANNELS_MAX)
  @IsObject({ each: true })
  channels?: Record<string, unknown>[] | null;
}

export class PutBlocks extends Blocks {
  @IsString()
  @Length(1, TEMPLATE_ID_LENGTH_MAX)
  id!: string;
}

/** Texts of blocks and channels by their ids; `locales` where it is about all languages. */
export class PutBlockLocales extends NamedTemplate {
  /** `{ id, locales }`, or `{ id, content }` for one language. */
  @IsArray()
  @ArrayMaxSize(BLOCKS_MAX)
  @IsObject({ each: true })
  blocks!: Record<string, unknown>[];

  /** The same of channels. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(BLOCK_CHANNELS_MAX)
  @IsObject({ each: true })
  channels?: Record<string, unknown>[] | null;
}

export class PutBlockLocale extends PutBlockLocales {
  @IsString()
  @Length(1, NAME_LENGTH_MAX)
  localeId!: string;
}

export class PutLocalesOfBlock extends NamedTemplate {
  @IsString()
  @Length(1, BLOCK_ID_LENGTH_MAX)
  block_id!: string;

  @IsObject()
  locales!: Record<string, BlockText>;
}

export class PutLocalesOfChannel extends NamedTemplate {
  @IsString()
  @Length(1, BLOCK_ID_LENGTH_MAX)
  channel_id!: string;

  @IsObject()
  locales!: Record<string, ChannelText>;
}

export const notificationContent = {
  retrieve: defineOperation({
    pattern: 'content.notification-content.retrieve',
    route: 'GET /notifications/:id/content',
    scope: 'read:notifications',
    summary: 'Get the content of a template',
    request: TemplateVersion,
    response: TemplateContent,
    etag: 'etag',
  }),
  retrieveDraft: defineOperation({
    pattern: 'content.notification-content.retrieveDraft',
    route: 'GET /notifications/:id/draft/content',
    scope: 'read:notifications',
    summary: "Get the content of a template's draft",
    request: NamedTemplate,
    response: TemplateContent,
    etag: 'etag',
  }),
  replace: defineOperation({
    pattern: 'content.notification-content.replace',
    route: 'PUT /notifications/:id/content',
    scope: 'write:notifications',
    summary: 'Replace the content of a draft',
    request: PutContent,
    response: ContentMutation,
    etag: 'etag',
    mayConflict: true,
    query: ['if_match'],
    ifMatch: 'if_match',
  }),
  replaceElement: defineOperation({
    pattern: 'content.notification-content.replaceElement',
    route: 'PUT /notifications/:id/elements/:elementId',
    scope: 'write:notifications',
    summary: 'Replace an element of a draft; elements within it and its translations stay unless they are given',
    request: PutElement,
    response: ContentMutation,
    etag: 'etag',
    mayConflict: true,
    query: ['if_match'],
    ifMatch: 'if_match',
    bodyField: 'element',
  }),
  replaceLocale: defineOperation({
    pattern: 'content.notification-content.replaceLocale',
    route: 'PUT /notifications/:id/locales/:localeId',
    scope: 'write:notifications',
    summary: 'Replace what a template says in a language',
    request: PutLocale,
    response: ContentMutation,
    etag: 'etag',
    mayConflict: true,
    query: ['if_match'],
    ifMatch: 'if_match',
  }),
};

/** Changes of blocks, of older clients. Where the path does not say `draft` they change what is published. */
export const notificationBlocks = {
  replace: defineOperation({
    pattern: 'content.notification-blocks.replace',
    route: 'POST /notifications/:id/variations',
    scope: 'write:notifications',
    summary: 'Replace the content of a template by blocks, and publish it',
    request: PutBlocks,
    response: ContentMutation,
    etag: 'etag',
  }),
  replaceDraft: defineOperation({
    pattern: 'content.notification-blocks.replaceDraft',
    route: 'POST /notifications/:id/draft/variations',
    scope: 'write:notifications',
    summary: 'Replace the content of a draft by blocks',
    request: PutBlocks,
    response: ContentMutation,
    etag: 'etag',
  }),
  replaceLocales: defineOperation({
    pattern: 'content.notification-blocks.replaceLocales',
    route: 'PUT /notifications/:id/locales',
    scope: 'write:notifications',
    summary: 'Replace all translations of blocks of what is published',
    request: PutBlockLocales,
    response: ContentMutation,
    etag: 'etag',
  }),
  replaceDraftLocales: defineOperation({
    pattern: 'content.notification-blocks.replaceDraftLocales',
    route: 'PUT /notifications/:id/draft/locales',
    scope: 'write:notifications',
    summary: 'Replace all translations of blocks of a draft',
    request: PutBlockLocales,
    response: ContentMutation,
    etag: 'etag',
  }),
  replaceDraftLocale: defineOperation({
    pattern: 'content.notification-blocks.replaceDraftLocale',
    route: 'PUT /notifications/:id/draft/locales/:localeId',
    scope: 'write:notifications',
    summary: 'Replace what blocks of a draft say in a language',
    request: PutBlockLocale,
    response: ContentMutation,
    etag: 'etag',
  }),
  translateBlock: defineOperation({
    pattern: 'content.notification-blocks.translateBlock',
    route: 'POST /notifications/:id/blocks/:block_id/locales',
    scope: 'write:notifications',
    summary: 'Add translations of a block to what is published',
    request: PutLocalesOfBlock,
    response: ContentMutation,
    etag: 'etag',
    bodyField: 'locales',
  }),
  translateDraftBlock: defineOperation({
    pattern: 'content.notification-blocks.translateDraftBlock',
    route: 'POST /notifications/:id/draft/blocks/:block_id/locales',
    scope: 'write:notifications',
    summary: 'Add translations of a block to a draft',
    request: PutLocalesOfBlock,
    response: ContentMutation,
    etag: 'etag',
    bodyField: 'locales',
  }),
  translateChannel: defineOperation({
    pattern: 'content.notification-blocks.translateChannel',
    route: 'POST /notifications/:id/channels/:channel_id/locales',
    scope: 'write:notifications',
    summary: "Add translations of a channel's subject and title to what is published",
    request: PutLocalesOfChannel,
    response: ContentMutation,
    etag: 'etag',
    bodyField: 'locales',
  }),
  translateDraftChannel: defineOperation({
    pattern: 'content.notification-blocks.translateDraftChannel',
    route: 'POST /notifications/:id/draft/channels/:channel_id/locales',
    scope: 'write:notifications',
    summary: "Add translations of a channel's subject and title to a draft",
    request: PutLocalesOfChannel,
    response: ContentMutation,
    etag: 'etag',
    bodyField: 'locales',
  }),
};
