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
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';
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
  /** Whether each result has `note`. */
  @OptionalFlag notes?: boolean;

  /** Only the template that this event is mapped to. */
  @OptionalTextOf(EVENT_ID_LENGTH_MAX) event_id?: string;

  /** Only templates that have all of these tags. */
  @OptionalTextsOf(TEMPLATE_TAGS_MAX, TEMPLATE_TAG_LENGTH_MAX) tags?: string[];
}

class TemplateTag {
  @Text id: string;

  @Text name: string;
}

class TemplateTags {
  @IsListOf(TemplateTag) data: TemplateTag[];
}

/** A template in the listing, in the older form: the published version, or the draft. Times are ms since the epoch. */
export class NotificationV1 {
  @Text id: string;

  @Text title: string;

  /** Empty without a topic. */
  @Text topic_id: string;

  /** The events mapped to it. */
  @Texts event_ids: string[];

  @IsNested(TemplateTags) tags: TemplateTags;

  /** The routing of the linked strategy; without channels if there is none. */
  @AnyObject routing: MessageRouting;

  @Int created_at: number;

  @Int updated_at: number;

  /** With `notes`: always empty, since no operation writes a note. */
  @OptionalText note?: string;
}

class NotificationPage extends pageOf(NotificationV1) {}

export class CreateTemplate extends TemplateChange {
  @IsNested(TemplatePayload) notification: TemplatePayload;
}

export class ReplaceTemplate extends CreateTemplate {
  @TemplateId id: string;

  /** The `etag` of the version read; the change is refused if the template changed since. */
  @IfMatch if_match?: string | null;
}

/** A template and one of its versions. */
export class TemplateVersion extends NamedTemplate {
  /** `draft`, `published`, `v001`. Default: the published version, or the draft if there is none. */
  @OptionalVersion version?: string | null;
}

export class PublishTemplate extends NamedTemplate {
  /** An earlier version, `v001`. Default: the draft. */
  @OptionalVersion version?: string | null;

  /** As in `ReplaceTemplate`. */
  @IfMatch if_match?: string | null;
}

export class ListVersions extends CursorQuery {
  @TemplateId id: string;

  @OptionalLimit(VERSIONS_LIMIT_MAX) limit?: number;
}

export class VersionNode {
  /** `draft`, `published:v002` for the version in use, `v001`. */
  @Text version: string;

  /** ms since the epoch. */
  @Int created: number;

  @Text creator: string;

  /** For the draft: whether it differs from the published version. */
  @OptionalFlag has_changes?: boolean;
}

class VersionPage extends pageOf(VersionNode, 'versions') {}

export const notifications = defineOperations('content.notifications', 'notifications', {
  list: {
    route: 'GET /notifications',
    summary: 'List templates, the newest first',
    request: ListTemplates,
    response: NotificationPage,
  },
  create: {
    route: 'POST /notifications',
    status: 201,
    summary: 'Create a template',
    request: CreateTemplate,
    response: Template,
    etag: 'etag',
    mayConflict: true,
  },
  retrieve: {
    route: 'GET /notifications/:id',
    summary: 'Get a template',
    request: TemplateVersion,
    response: Template,
    etag: 'etag',
  },
  replace: {
    route: 'PUT /notifications/:id',
    summary: 'Replace the draft of a template; what is left out is cleared',
    request: ReplaceTemplate,
    response: Template,
    etag: 'etag',
    mayConflict: true,
    ifMatch: 'if_match',
  },
  archive: {
    command: true,
    route: 'DELETE /notifications/:id',
    summary: 'Archive a template: it is no longer found and cannot be sent',
    request: NamedTemplate,
  },
  versions: {
    route: 'GET /notifications/:id/versions',
    summary: 'List the versions of a template: the draft, then the published ones, the newest first',
    request: ListVersions,
    response: VersionPage,
  },
  publish: {
    route: 'POST /notifications/:id/publish',
    summary: 'Publish the draft of a template, or an earlier version',
    request: PublishTemplate,
    mayConflict: true,
    ifMatch: 'if_match',
  },
});
