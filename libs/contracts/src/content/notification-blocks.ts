import { AnyObject, ObjectsOf, Optional } from '../core/fields';
import { defineOperations } from '../core/operation';
import { BLOCK_CHANNELS_MAX, BlockId, Blocks, BLOCKS_MAX, type BlockText, type ChannelText } from './blocks';
import { ContentMutation, ContentName } from './notification-content';
import { NamedTemplate, TemplateId } from './template-fields';

export class PutBlocks extends Blocks {
  @TemplateId id: string;
}

/** Texts of blocks and channels by their ids: `locales` for all languages, `content` for one. */
export class PutBlockLocales extends NamedTemplate {
  /** `{ id, locales }`, or `{ id, content }` for one language. */
  @ObjectsOf(BLOCKS_MAX) blocks: Record<string, unknown>[];

  /** The same for channels. */
  @Optional(ObjectsOf(BLOCK_CHANNELS_MAX)) channels?: Record<string, unknown>[] | null;
}

export class PutBlockLocale extends PutBlockLocales {
  @ContentName localeId: string;
}

export class PutLocalesOfBlock extends NamedTemplate {
  @BlockId block_id: string;

  @AnyObject locales: Record<string, BlockText>;
}

export class PutLocalesOfChannel extends NamedTemplate {
  @BlockId channel_id: string;

  @AnyObject locales: Record<string, ChannelText>;
}

/** Changes of blocks by older clients. Routes without `draft` change the published version. */
export const notificationBlocks = defineOperations(
  'content.notification-blocks',
  'notifications',
  {
    replace: {
      route: 'POST /notifications/:id/variations',
      summary: 'Replace the content of a template by blocks, and publish it',
      request: PutBlocks,
    },
    replaceDraft: {
      route: 'POST /notifications/:id/draft/variations',
      summary: 'Replace the content of a draft by blocks',
      request: PutBlocks,
    },
    replaceLocales: {
      route: 'PUT /notifications/:id/locales',
      summary: 'Replace all translations of blocks of the published version',
      request: PutBlockLocales,
    },
    replaceDraftLocales: {
      route: 'PUT /notifications/:id/draft/locales',
      summary: 'Replace all translations of blocks of a draft',
      request: PutBlockLocales,
    },
    replaceDraftLocale: {
      route: 'PUT /notifications/:id/draft/locales/:localeId',
      summary: 'Replace the texts of blocks of a draft in a language',
      request: PutBlockLocale,
    },
    translateBlock: {
      route: 'POST /notifications/:id/blocks/:block_id/locales',
      summary: 'Add translations of a block to the published version',
      request: PutLocalesOfBlock,
      bodyField: 'locales',
    },
    translateDraftBlock: {
      route: 'POST /notifications/:id/draft/blocks/:block_id/locales',
      summary: 'Add translations of a block to a draft',
      request: PutLocalesOfBlock,
      bodyField: 'locales',
    },
    translateChannel: {
      route: 'POST /notifications/:id/channels/:channel_id/locales',
      summary: "Add translations of a channel's subject and title to the published version",
      request: PutLocalesOfChannel,
      bodyField: 'locales',
    },
    translateDraftChannel: {
      route: 'POST /notifications/:id/draft/channels/:channel_id/locales',
      summary: "Add translations of a channel's subject and title to a draft",
      request: PutLocalesOfChannel,
      bodyField: 'locales',
    },
  },
  { generation: 'legacy', etag: 'etag', response: ContentMutation },
);
