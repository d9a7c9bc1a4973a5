import { IsArray, IsIn } from 'class-validator';
import type { JsonObject } from '../core/deep-merge';
import { AnyObject, IsListOf, ObjectsOf, Optional, OptionalListOf, OptionalText, Text, TextOf } from '../core/fields';
import { declaredFields, fieldNames } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { ELEMENTAL_NODES_MAX } from './assert-elemental';
import { Block, BLOCK_CHANNELS_MAX, BlockChannel, BLOCKS_MAX } from './blocks';
import { DELIVERY_FIELDS } from './delivery-fields';
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
  /** Version of the content's format; absent for blocks. @example "2022-01-01" */
  @OptionalText version?: string;

  /**
   * The nodes of Elemental content, each with `id` and `checksum`, the MD5 of its translatable text.
   * @example [{ "type": "text", "content": "Hello {name}", "id": "el_1", "checksum": "d41d8cd98f00b204e9800998ecf8427e" }]
   */
  @Optional(IsArray()) elements?: ElementWithChecksums[];

  /** The blocks of content in the older form, in order. */
  @OptionalListOf(Block) blocks?: Block[];

  /** Subjects and titles by channel, of content in the older form. */
  @OptionalListOf(BlockChannel) channels?: BlockChannel[];

  /** Checksum of all blocks and channels. @example "d41d8cd98f00b204e9800998ecf8427e" */
  @OptionalText checksum?: string;

  /** Changes with every change of the template; for `if_match`. Also in the header `ETag`. @example "r2" */
  @OptionalText etag?: string;
}

class ElementChecksum {
  /** Id of the element: its own, or a generated one, `el_…`. @example "el_1" */
  @Text id: string;

  /** MD5 of its translatable text: shows whether a translation is still of the same text. @example "d41d8cd98f00b204e9800998ecf8427e" */
  @Text checksum: string;
}

/** The content after a change: every element, nested ones included, in reading order. */
export class ContentMutation {
  /** Id of the template. @example "nt_3Xo0aB1dQkS9fT2uVw5z" */
  @Text id: string;

  /** The changed version: `draft`, or `v002` if the change was published. @example "draft" */
  @Text version: string;

  /** `PUBLISHED` if the change was published. @example "DRAFT" */
  @IsIn(TEMPLATE_STATES) state: TemplateState;

  /** Every element of the content after the change, nested ones included, in reading order. */
  @IsListOf(ElementChecksum) elements: ElementChecksum[];

  /** The `etag` of the content after the change; for `if_match`. @example "r2" */
  @Text etag: string;
}

/** A change of an existing template. */
class ContentChange extends TemplateChange {
  @TemplateId id: string;

  @IfMatch if_match?: string | null;
}

export class PutContent extends ContentChange {
  /**
   * The content in Elemental, `{version, elements}`: at most 1 MB, 2,000 elements, 12 levels.
   * @example { "version": "2022-01-01", "elements": [{ "type": "text", "content": "Hello {name}" }] }
   */
  @AnyObject content: ElementalContent;
}

export class PutElement extends NamedTemplate {
  /** Id of the element, as in the content. @example "el_1" */
  @ContentName elementId: string;

  /** The node: `type`, its other fields beside it or in `data`, and `state`. @example { "type": "text", "content": "Hello {name}" } */
  @AnyObject element: JsonObject;

  @IfMatch if_match?: string | null;
}

/** A language's texts: `elements` of Elemental, or `blocks` and `channels`. */
export class PutLocale extends ContentChange {
  /** The language: a locale. @example "fr_FR" */
  @ContentName localeId: string;

  /**
   * The texts by element: `{id}` with the fields in this language. Elements that are left out lose their texts in it.
   * @example [{ "id": "el_1", "content": "Bonjour {name}" }]
   */
  @Optional(ObjectsOf(ELEMENTAL_NODES_MAX)) elements?: JsonObject[] | null;

  /** The texts by block of content in the older form: `{id, content}`. @example [{ "id": "block_1", "content": "Bonjour {name}" }] */
  @Optional(ObjectsOf(BLOCKS_MAX)) blocks?: JsonObject[] | null;

  /**
   * Subjects and titles by channel of content in the older form: `{id, content}`.
   * @example [{ "id": "channel_1", "content": { "subject": "Bonjour" } }]
   */
  @Optional(ObjectsOf(BLOCK_CHANNELS_MAX)) channels?: JsonObject[] | null;
}

export const notificationContent = defineOperations(
  'content.notification-content',
  'notifications',
  {
    /** A template with blocks returns `blocks` and `channels`, any other one `elements`. */
    retrieve: {
      route: 'GET /notifications/:id/content',
      summary: 'Get the content of a template',
      request: TemplateVersion,
      response: TemplateContent,
    },
    /** As `GET /notifications/:id/content?version=draft`. */
    retrieveDraft: {
      route: 'GET /notifications/:id/draft/content',
      generation: 'legacy',
      summary: "Get the content of a template's draft",
      request: NamedTemplate,
      response: TemplateContent,
    },
    /**
     * The change is of the draft; with `state` `PUBLISHED` the draft is published with it.
     * @example { "content": { "version": "2022-01-01", "elements": [{ "type": "text", "content": "Hello {name}" }] } }
     */
    replace: {
      audit: 'notification:content-changed',
      route: 'PUT /notifications/:id/content',
      summary: 'Replace the content of a draft',
      request: PutContent,
      knownFields: declaredFields(PutContent, {
        content: { ...DELIVERY_FIELDS.content, withoutEffect: new Set(fieldNames(TemplateContent)) },
      }),
      mayConflict: true,
      ifMatch: 'if_match',
    },
    /**
     * The change is of the draft; with `state` `PUBLISHED` the draft is published with it.
     * @example { "type": "text", "content": "Hello {name}" }
     */
    replaceElement: {
      audit: 'notification:content-changed',
      route: 'PUT /notifications/:id/elements/:elementId',
      summary: 'Replace an element of a draft; its nested elements and translations stay unless given',
      request: PutElement,
      mayConflict: true,
      ifMatch: 'if_match',
      bodyField: 'element',
    },
    /**
     * The change is of the draft; with `state` `PUBLISHED` the draft is published with it. With `blocks` it is the older form, which
     * changes the published version.
     * @example { "elements": [{ "id": "el_1", "content": "Bonjour {name}" }] }
     */
    replaceLocale: {
      audit: 'notification:content-changed',
      route: 'PUT /notifications/:id/locales/:localeId',
      summary: 'Replace the texts of a template in a language',
      request: PutLocale,
      requiresBody: true,
      mayConflict: true,
      ifMatch: 'if_match',
    },
  },
  { etag: 'etag', warnings: 'warnings', response: ContentMutation },
);
