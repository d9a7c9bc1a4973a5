import {
  AnyObject,
  Int,
  IsListOf,
  IsNested,
  OptionalFlag,
  OptionalLimit,
  OptionalText,
  OptionalTextOf,
  OptionalTextsOf,
  Text,
  Texts,
} from '../core/fields';
import { declaredFields } from '../core/known-fields';
import { defineOperations, Warned } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';
import { DELIVERY_FIELDS } from './delivery-fields';
import { EVENT_ID_LENGTH_MAX } from './event-mappings';
import type { MessageRouting } from './routing';
import {
  IfMatch,
  NamedTemplate,
  OptionalVersion,
  Template,
  TEMPLATE_TAG_LENGTH_MAX,
  TEMPLATE_TAGS_MAX,
  TemplateChange,
  TemplateId,
  TemplatePayload,
} from './template-fields';

/** Maximum versions of one page. */
export const VERSIONS_LIMIT_MAX = 10;
/** Maximum stored published versions of a template: the oldest are deleted first, never the one in use. */
export const VERSIONS_RETAINED_MAX = 1_000;

export class ListTemplates extends CursorQuery {
  /** Whether each result has `note`. Default `false`. */
  @OptionalFlag notes?: boolean;

  /** Only the template that this event is mapped to. @example "order-shipped" */
  @OptionalTextOf(EVENT_ID_LENGTH_MAX) event_id?: string;

  /** Only templates that have all of these tags: separated by commas, or repeated. @example ["orders"] */
  @OptionalTextsOf(TEMPLATE_TAGS_MAX, TEMPLATE_TAG_LENGTH_MAX) tags?: string[];
}

class TemplateTag {
  /** The tag. @example "orders" */
  @Text id: string;

  /** The tag, again. @example "orders" */
  @Text name: string;
}

class TemplateTags {
  /** The tags of the template, in the older form. */
  @IsListOf(TemplateTag) data: TemplateTag[];
}

/** A template in the listing, in the older form: the published version, or the draft. Times are ms since the epoch. */
export class NotificationV1 {
  /** Id of the template, generated when it was created. @example "nt_3Xo0aB1dQkS9fT2uVw5z" */
  @Text id: string;

  /** Display name. @example "Order shipped" */
  @Text title: string;

  /** Id of the topic of the messages; empty without one. @example "" */
  @Text topic_id: string;

  /** Names of the events that are mapped to it. @example ["order-shipped"] */
  @Texts event_ids: string[];

  /** Tags of the template, in the older form. */
  @IsNested(TemplateTags) tags: TemplateTags;

  /** Routing of the linked strategy; without channels if there is none. @example { "method": "single", "channels": [] } */
  @AnyObject routing: MessageRouting;

  /** When the template was created, ms since the epoch. @example 1772359200000 */
  @Int created_at: number;

  /** When it was last changed, ms since the epoch. @example 1772359200000 */
  @Int updated_at: number;

  /** With `notes`: always empty, as no operation writes a note. @example "" */
  @OptionalText note?: string;
}

/** @property results The templates of this page, at most 20, the newest first. */
class NotificationPage extends pageOf(NotificationV1) {}

export class CreateTemplate extends TemplateChange {
  /** The template as its author writes it. */
  @IsNested(TemplatePayload) notification: TemplatePayload;
}

export class ReplaceTemplate extends CreateTemplate {
  @TemplateId id: string;

  @IfMatch if_match?: string | null;
}

/** A template and one of its versions. */
export class TemplateVersion extends NamedTemplate {
  /** `draft`, `published`, or a version such as `v001`. Default: the published version, or the draft if there is none. @example "v001" */
  @OptionalVersion version?: string | null;
}

export class PublishTemplate extends NamedTemplate {
  /** An earlier version, such as `v001`, to publish again. Default: the draft. @example "v001" */
  @OptionalVersion version?: string | null;

  @IfMatch if_match?: string | null;
}

export class ListVersions extends CursorQuery {
  @TemplateId id: string;

  /** The most items of a page, 1 to 10. Default 10. @example 5 */
  @OptionalLimit(VERSIONS_LIMIT_MAX) limit?: number;
}

export class VersionNode {
  /** `draft`, `published:v002` for the version in use, `v001` for an earlier one. @example "published:v002" */
  @Text version: string;

  /** When this version was created, ms since the epoch. @example 1772359200000 */
  @Int created: number;

  /** Who created it: `api`, as API keys are the only authors. @example "api" */
  @Text creator: string;

  /** Of the draft: whether it differs from the published version. Absent for other versions. @example false */
  @OptionalFlag has_changes?: boolean;
}

/** @property versions The versions of this page: the draft, then the published ones, the newest first. */
class VersionPage extends pageOf(VersionNode, 'versions') {}

const TEMPLATE_FIELDS = { notification: declaredFields(TemplatePayload, { content: DELIVERY_FIELDS.content }) };

export const notifications = defineOperations('content.notifications', 'notifications', {
  /** Each template in the older form, by its published version, or else its draft. */
  list: {
    route: 'GET /notifications',
    summary: 'List templates, the newest first',
    request: ListTemplates,
    response: NotificationPage,
  },
  /**
   * Creates a draft; with `state` `PUBLISHED` it is published at once, and what cannot be rendered is refused. Answers 409 for an alias in
   * use.
   * @example {
   *   "notification": {
   *     "name": "Order shipped",
   *     "content": { "version": "2022-01-01", "elements": [{ "type": "text", "content": "Hello {name}" }] }
   *   },
   *   "state": "PUBLISHED"
   * }
   */
  create: {
    audit: 'notification:created',
    auditTarget: ['id'],
    route: 'POST /notifications',
    quota: 'templates',
    status: 201,
    summary: 'Create a template',
    request: CreateTemplate,
    knownFields: declaredFields(CreateTemplate, TEMPLATE_FIELDS),
    response: Template,
    etag: 'etag',
    warnings: 'warnings',
    mayConflict: true,
  },
  /** One version of the template: by default the published one, or the draft if there is none. */
  retrieve: {
    route: 'GET /notifications/:id',
    summary: 'Get a template',
    request: TemplateVersion,
    response: Template,
    etag: 'etag',
  },
  /**
   * The alias is the exception: left out, it stays. With `state` `PUBLISHED` the draft is published with the change.
   * @example {
   *   "notification": {
   *     "name": "Order shipped",
   *     "content": { "version": "2022-01-01", "elements": [{ "type": "text", "content": "Hello {name}" }] }
   *   }
   * }
   */
  replace: {
    audit: 'notification:replaced',
    route: 'PUT /notifications/:id',
    summary: 'Replace the draft of a template; what is left out is cleared',
    request: ReplaceTemplate,
    knownFields: declaredFields(ReplaceTemplate, TEMPLATE_FIELDS),
    response: Template,
    etag: 'etag',
    warnings: 'warnings',
    mayConflict: true,
    ifMatch: 'if_match',
  },
  /** Its alias is free then. */
  archive: {
    audit: 'notification:archived',
    command: true,
    route: 'DELETE /notifications/:id',
    summary: 'Archive a template: it is no longer found and cannot be sent',
    request: NamedTemplate,
  },
  /** The last 1,000 published versions are stored. */
  versions: {
    route: 'GET /notifications/:id/versions',
    summary: 'List the versions of a template: the draft, then the published ones, the newest first',
    request: ListVersions,
    response: VersionPage,
  },
  /**
   * An unchanged draft creates no new version. What cannot be rendered is refused, but a version that was published before can always be
   * published again.
   * @example { "version": "v001" }
   */
  publish: {
    audit: 'notification:published',
    route: 'POST /notifications/:id/publish',
    summary: 'Publish the draft of a template, or an earlier version',
    request: PublishTemplate,
    response: Warned,
    warnings: 'warnings',
    mayConflict: true,
    ifMatch: 'if_match',
  },
});
