import { IsArray, IsIn } from 'class-validator';
import type { JsonObject } from '../core/deep-merge';
import { AnyObject, IsListOf, ObjectsOf, Optional, OptionalListOf, OptionalText, Text, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { ELEMENTAL_NODES_MAX } from './assert-elemental';
import { Block, BLOCK_CHANNELS_MAX, BlockChannel, BLOCKS_MAX } from './blocks';
import type { ElementalContent } from './elemental';
import { TemplateVersion } from './notifications';
import { IfMatch, NamedTemplate, TEMPLATE_STATES, TemplateChange, TemplateId, type TemplateState } from './template-fields';

/** The name of an element or a language. */
export const ContentName = TextOf(1, 256);

/** A node with checksums, by which clients detect translations of an outdated text. */
export interface ElementWithChecksums {
  type: string;
  id: string;
  /** MD5 of the translatable fields: title, content and addresses, those of nested elements included. */
  checksum: string;
  elements?: ElementWithChecksums[];
  locales?: Record<string, { checksum: string; [field: string]: unknown }>;
  [field: string]: unknown;
}

/** Content of either generation: `elements`, or `blocks` and `channels`. */
export class TemplateContent {
  @OptionalText version?: string;

  /** `ElementWithChecksums`. */
  @Optional(IsArray()) elements?: ElementWithChecksums[];

  @OptionalListOf(Block) blocks?: Block[];

  @OptionalListOf(BlockChannel) channels?: BlockChannel[];

  /** Checksum of all blocks and channels. */
  @OptionalText checksum?: string;

  /** Changes with every change of the template; for `if_match`. */
  @OptionalText etag?: string;
}

class ElementChecksum {
  @Text id: string;

  @Text checksum: string;
}

/** The content after a change: every element, nested ones included, in reading order. */
export class ContentMutation {
  @Text id: string;

  /** `draft`, or `v002` if it was published. */
  @Text version: string;

  @IsIn(TEMPLATE_STATES) state: TemplateState;

  @IsListOf(ElementChecksum) elements: ElementChecksum[];

  /** The `etag` of the content. */
  @Text etag: string;
}

/** A change of an existing template. */
class ContentChange extends TemplateChange {
  @TemplateId id: string;

  /** The `etag` of the version read; the change is refused if the template changed since. */
  @IfMatch if_match?: string | null;
}

export class PutContent extends ContentChange {
  @AnyObject content: ElementalContent;
}

export class PutElement extends NamedTemplate {
  @ContentName elementId: string;

  /** The node, its fields beside `type` or in `data`, and `state`. */
  @AnyObject element: JsonObject;

  @IfMatch if_match?: string | null;
}

/** A language's texts: `elements` of Elemental, or `blocks` and `channels`. */
export class PutLocale extends ContentChange {
  @ContentName localeId: string;

  /** `{ id, …fields in this language }`. Elements that are not named lose their texts in this language. */
  @Optional(ObjectsOf(ELEMENTAL_NODES_MAX)) elements?: JsonObject[] | null;

  /** `{ id, content }`. */
  @Optional(ObjectsOf(BLOCKS_MAX)) blocks?: JsonObject[] | null;

  /** `{ id, content }`. */
  @Optional(ObjectsOf(BLOCK_CHANNELS_MAX)) channels?: JsonObject[] | null;
}

export const notificationContent = defineOperations(
  'content.notification-content',
  'notifications',
  {
    retrieve: {
      route: 'GET /notifications/:id/content',
      summary: 'Get the content of a template',
      request: TemplateVersion,
      response: TemplateContent,
    },
    retrieveDraft: {
      route: 'GET /notifications/:id/draft/content',
      generation: 'legacy',
      summary: "Get the content of a template's draft",
      request: NamedTemplate,
      response: TemplateContent,
    },
    replace: {
      route: 'PUT /notifications/:id/content',
      summary: 'Replace the content of a draft',
      request: PutContent,
      mayConflict: true,
      ifMatch: 'if_match',
    },
    replaceElement: {
      route: 'PUT /notifications/:id/elements/:elementId',
      summary: 'Replace an element of a draft; its nested elements and translations stay unless given',
      request: PutElement,
      mayConflict: true,
      ifMatch: 'if_match',
      bodyField: 'element',
    },
    replaceLocale: {
      route: 'PUT /notifications/:id/locales/:localeId',
      summary: 'Replace the texts of a template in a language',
      request: PutLocale,
      mayConflict: true,
      ifMatch: 'if_match',
    },
  },
  { etag: 'etag', response: ContentMutation },
);
