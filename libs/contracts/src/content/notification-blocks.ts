import { AnyObject, ObjectsOf, Optional } from '../core/fields';
import { FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { BLOCK_CHANNELS_MAX, BlockId, Blocks, BLOCKS_MAX, type BlockText, type ChannelText } from './blocks';
import { ContentMutation, ContentName, TemplateContent } from './notification-content';
import { NamedTemplate, TemplateId } from './template-fields';

@FieldsOfAnswer(() => TemplateContent)
export class PutBlocks extends Blocks {
  @TemplateId id: string;
}

/** Texts of blocks and channels by their ids: `locales` for all languages, `content` for one. */
export class PutBlockLocales extends NamedTemplate {
  /**
   * The texts by block: `{id, locales}`, or for one language `{id, content}`.
   * @example [{ "id": "block_1", "locales": { "fr_FR": { "content": "Votre commande est en route." } } }]
   */
  @ObjectsOf(BLOCKS_MAX) blocks: Record<string, unknown>[];

  /**
   * Subjects and titles by channel, in the same form. Absent or `null`: none.
   * @example [{ "id": "channel_1", "locales": { "fr_FR": { "subject": "Votre commande" } } }]
   */
  @Optional(ObjectsOf(BLOCK_CHANNELS_MAX)) channels?: Record<string, unknown>[] | null;
}

export class PutBlockLocale extends PutBlockLocales {
  /** The language: a locale. @example "fr_FR" */
  @ContentName localeId: string;
}

export class PutLocalesOfBlock extends NamedTemplate {
  @BlockId block_id: string;

  /** The text of the block by locale: a text, or of a list `{parent, children}`. @example { "fr_FR": "Votre commande est en route." } */
  @AnyObject locales: Record<string, BlockText>;
}

export class PutLocalesOfChannel extends NamedTemplate {
  /** Id of the channel in the template. @example "channel_1" */
  @BlockId channel_id: string;

  /** `{subject, title}` by locale. @example { "fr_FR": { "subject": "Votre commande" } } */
  @AnyObject locales: Record<string, ChannelText>;
}

/** Changes of blocks by older clients. Routes without `draft` change the published version. */
export const notificationBlocks = defineOperations(
  'content.notification-blocks',
  'notifications',
  {
    /**
     * The older form of content, for older clients. No other change of the draft is published.
     * @example { "blocks": [{ "id": "block_1", "type": "text", "content": "Your order has shipped." }] }
     */
    replace: {
      audit: 'notification:content-changed',
      route: 'POST /notifications/:id/variations',
      summary: 'Replace the content of a template by blocks, and publish it',
      request: PutBlocks,
    },
    /**
     * The older form of content, for older clients.
     * @example { "blocks": [{ "id": "block_1", "type": "text", "content": "Your order has shipped." }] }
     */
    replaceDraft: {
      audit: 'notification:content-changed',
      route: 'POST /notifications/:id/draft/variations',
      summary: 'Replace the content of a draft by blocks',
      request: PutBlocks,
    },
    /**
     * No other change of the draft is published.
     * @example { "blocks": [{ "id": "block_1", "locales": { "fr_FR": { "content": "Votre commande est en route." } } }] }
     */
    replaceLocales: {
      audit: 'notification:content-changed',
      route: 'PUT /notifications/:id/locales',
      summary: 'Replace all translations of blocks of the published version',
      request: PutBlockLocales,
    },
    /**
     * Nothing is published.
     * @example { "blocks": [{ "id": "block_1", "locales": { "fr_FR": { "content": "Votre commande est en route." } } }] }
     */
    replaceDraftLocales: {
      audit: 'notification:content-changed',
      route: 'PUT /notifications/:id/draft/locales',
      summary: 'Replace all translations of blocks of a draft',
      request: PutBlockLocales,
    },
    /** Nothing is published. @example { "blocks": [{ "id": "block_1", "content": "Votre commande est en route." }] } */
    replaceDraftLocale: {
      audit: 'notification:content-changed',
      route: 'PUT /notifications/:id/draft/locales/:localeId',
      summary: 'Replace the texts of blocks of a draft in a language',
      request: PutBlockLocale,
    },
    /**
     * Other languages of the block stay. No other change of the draft is published.
     * @example { "fr_FR": "Votre commande est en route." }
     */
    translateBlock: {
      audit: 'notification:content-changed',
      route: 'POST /notifications/:id/blocks/:block_id/locales',
      summary: 'Add translations of a block to the published version',
      request: PutLocalesOfBlock,
      bodyField: 'locales',
    },
    /** Other languages of the block stay. Nothing is published. @example { "fr_FR": "Votre commande est en route." } */
    translateDraftBlock: {
      audit: 'notification:content-changed',
      route: 'POST /notifications/:id/draft/blocks/:block_id/locales',
      summary: 'Add translations of a block to a draft',
      request: PutLocalesOfBlock,
      bodyField: 'locales',
    },
    /**
     * Other languages of the channel stay. No other change of the draft is published.
     * @example { "fr_FR": { "subject": "Votre commande" } }
     */
    translateChannel: {
      audit: 'notification:content-changed',
      route: 'POST /notifications/:id/channels/:channel_id/locales',
      summary: "Add translations of a channel's subject and title to the published version",
      request: PutLocalesOfChannel,
      bodyField: 'locales',
    },
    /** Other languages of the channel stay. Nothing is published. @example { "fr_FR": { "subject": "Votre commande" } } */
    translateDraftChannel: {
      audit: 'notification:content-changed',
      route: 'POST /notifications/:id/draft/channels/:channel_id/locales',
      summary: "Add translations of a channel's subject and title to a draft",
      request: PutLocalesOfChannel,
      bodyField: 'locales',
    },
  },
  { generation: 'legacy', etag: 'etag', response: ContentMutation },
);
