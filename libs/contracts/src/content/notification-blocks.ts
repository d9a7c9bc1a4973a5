import { ArrayMaxSize, IsArray, IsObject } from 'class-validator';
import { IsText, Optional } from '../core/fields';
import { defineOperation } from '../core/operation';
import { BLOCK_CHANNELS_MAX, BLOCK_ID_LENGTH_MAX, Blocks, BLOCKS_MAX, type BlockText, type ChannelText } from './blocks';
import { CONTENT_NAME_LENGTH_MAX, ContentMutation } from './notification-content';
import { NamedTemplate, TEMPLATE_ID_LENGTH_MAX } from './template-fields';

export class PutBlocks extends Blocks {
  @IsText(1, TEMPLATE_ID_LENGTH_MAX) id!: string;
}

/** Texts of blocks and channels by their ids: `locales` for all languages, `content` for one. */
export class PutBlockLocales extends NamedTemplate {
  /** `{ id, locales }`, or `{ id, content }` for one language. */
  @IsArray()
  @ArrayMaxSize(BLOCKS_MAX)
  @IsObject({ each: true })
  blocks!: Record<string, unknown>[];

  /** The same for channels. */
  @Optional(IsArray(), ArrayMaxSize(BLOCK_CHANNELS_MAX), IsObject({ each: true }))
  channels?: Record<string, unknown>[] | null;
}

export class PutBlockLocale extends PutBlockLocales {
  @IsText(1, CONTENT_NAME_LENGTH_MAX) localeId!: string;
}

export class PutLocalesOfBlock extends NamedTemplate {
  @IsText(1, BLOCK_ID_LENGTH_MAX) block_id!: string;

  @IsObject() locales!: Record<string, BlockText>;
}

export class PutLocalesOfChannel extends NamedTemplate {
  @IsText(1, BLOCK_ID_LENGTH_MAX) channel_id!: string;

  @IsObject() locales!: Record<string, ChannelText>;
}

/** Changes of blocks by older clients. Routes without `draft` change the published version. */
export const notificationBlocks = {
  replace: defineOperation({
    pattern: 'content.notification-blocks.replace',
    route: 'POST /notifications/:id/variations',
    generation: 'legacy',
    scope: 'write:notifications',
    summary: 'Replace the content of a template by blocks, and publish it',
    request: PutBlocks,
    response: ContentMutation,
    etag: 'etag',
  }),
  replaceDraft: defineOperation({
    pattern: 'content.notification-blocks.replaceDraft',
    route: 'POST /notifications/:id/draft/variations',
    generation: 'legacy',
    scope: 'write:notifications',
    summary: 'Replace the content of a draft by blocks',
    request: PutBlocks,
    response: ContentMutation,
    etag: 'etag',
  }),
  replaceLocales: defineOperation({
    pattern: 'content.notification-blocks.replaceLocales',
    route: 'PUT /notifications/:id/locales',
    generation: 'legacy',
    scope: 'write:notifications',
    summary: 'Replace all translations of blocks of the published version',
    request: PutBlockLocales,
    response: ContentMutation,
    etag: 'etag',
  }),
  replaceDraftLocales: defineOperation({
    pattern: 'content.notification-blocks.replaceDraftLocales',
    route: 'PUT /notifications/:id/draft/locales',
    generation: 'legacy',
    scope: 'write:notifications',
    summary: 'Replace all translations of blocks of a draft',
    request: PutBlockLocales,
    response: ContentMutation,
    etag: 'etag',
  }),
  replaceDraftLocale: defineOperation({
    pattern: 'content.notification-blocks.replaceDraftLocale',
    route: 'PUT /notifications/:id/draft/locales/:localeId',
    generation: 'legacy',
    scope: 'write:notifications',
    summary: 'Replace the texts of blocks of a draft in a language',
    request: PutBlockLocale,
    response: ContentMutation,
    etag: 'etag',
  }),
  translateBlock: defineOperation({
    pattern: 'content.notification-blocks.translateBlock',
    route: 'POST /notifications/:id/blocks/:block_id/locales',
    generation: 'legacy',
    scope: 'write:notifications',
    summary: 'Add translations of a block to the published version',
    request: PutLocalesOfBlock,
    response: ContentMutation,
    etag: 'etag',
    bodyField: 'locales',
  }),
  translateDraftBlock: defineOperation({
    pattern: 'content.notification-blocks.translateDraftBlock',
    route: 'POST /notifications/:id/draft/blocks/:block_id/locales',
    generation: 'legacy',
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
    generation: 'legacy',
    scope: 'write:notifications',
    summary: "Add translations of a channel's subject and title to the published version",
    request: PutLocalesOfChannel,
    response: ContentMutation,
    etag: 'etag',
    bodyField: 'locales',
  }),
  translateDraftChannel: defineOperation({
    pattern: 'content.notification-blocks.translateDraftChannel',
    route: 'POST /notifications/:id/draft/channels/:channel_id/locales',
    generation: 'legacy',
    scope: 'write:notifications',
    summary: "Add translations of a channel's subject and title to a draft",
    request: PutLocalesOfChannel,
    response: ContentMutation,
    etag: 'etag',
    bodyField: 'locales',
  }),
};
