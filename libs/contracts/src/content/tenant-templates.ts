import { AnyObject, IsListOf, IsNested, OptionalFlag, OptionalObject, OptionalText, Text, TextOf } from '../core/fields';
import { declaredFields, FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { LimitedQuery, ListPage } from '../core/paging';
import { TenantId } from '../identity/tenants';
import { DELIVERY_FIELDS } from './delivery-fields';
import type { ElementalContent } from './elemental';
import type { MessageRouting, SettingsByChannel, SettingsByProvider } from './routing';
import { OptionalVersion, TemplateId, VERSION_LENGTH_MAX } from './template-fields';

/** Maximum stored versions of a tenant's template: the oldest are deleted first, never the one in use. */
export const TENANT_VERSIONS_RETAINED_MAX = 100;

export class TenantTemplateKey {
  @TenantId tenant_id: string;

  /** Id of the tenant's template, chosen by you: the id or the alias of the workspace's template that it replaces. @example "welcome" */
  @TemplateId template_id: string;
}

export class ListTenantTemplates extends LimitedQuery {
  @TenantId tenant_id: string;
}

/** The content and settings of a tenant that replace those of a template. */
export class TenantTemplateInput {
  /**
   * The content in Elemental, `{version, elements}`: at most 1 MB, 2,000 elements, 12 levels.
   * @example { "version": "2022-01-01", "elements": [{ "type": "text", "content": "Hello {name}" }] }
   */
  @AnyObject content: ElementalContent;

  /** Settings by channel, as in a send. Absent or `null`: none. @example { "email": { "providers": ["smtp"] } } */
  @OptionalObject channels?: SettingsByChannel | null;

  /** Settings by provider, as in a send. Absent or `null`: none. @example { "smtp": { "timeouts": 60000 } } */
  @OptionalObject providers?: SettingsByProvider | null;

  /**
   * Routing of the messages, as in a send; with a `method` alone the channels are those of the replaced template. Absent or `null`: that of
   * the replaced template.
   * @example { "method": "all" }
   */
  @OptionalObject routing?: (Pick<MessageRouting, 'method'> & Partial<MessageRouting>) | null;
}

@FieldsOfAnswer(() => TenantTemplate)
export class PutTenantTemplate extends TenantTemplateKey {
  /** Content and settings of the new version. */
  @IsNested(TenantTemplateInput) template: TenantTemplateInput;

  /** Whether the new version is published at once. Default `false`. @example true */
  @OptionalFlag published?: boolean | null;
}

class TenantTemplatePut {
  /** Id of the tenant's template. @example "welcome" */
  @Text id: string;

  /** The new version, `v1`, `v2` and so on: every PUT creates one. @example "v1" */
  @Text version: string;

  /** When the published version was published: ISO 8601 in UTC; `null` if none is. @example "2026-03-01T10:00:00.000Z" */
  @OptionalText published_at?: string;
}

export class PublishTenantTemplate extends TenantTemplateKey {
  /** The version to publish: `latest`, or one of the last 100, such as `v1`. Default `latest`. @example "v1" */
  @OptionalVersion version?: string | null;
}

class TenantTemplatePublished {
  /** Id of the tenant's template. @example "welcome" */
  @Text id: string;

  /** The published version. @example "v1" */
  @Text version: string;

  /** When it was published: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @Text published_at: string;
}

export class TenantTemplateVersion extends TenantTemplateKey {
  /** `latest`, `published`, or a version such as `v1`. @example "v1" */
  @TextOf(1, VERSION_LENGTH_MAX) version: string;
}

/** A template of a tenant in a listing: the published version, or else the latest. */
export class TenantTemplateSummary {
  /** Id of the tenant's template. @example "welcome" */
  @Text id: string;

  /** The version. @example "v1" */
  @Text version: string;

  /** When the first version was created: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @Text created_at: string;

  /** When this version was created: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @Text updated_at: string;

  /** When the published version was published: ISO 8601 in UTC; `null` if none is. @example "2026-03-01T10:00:00.000Z" */
  @OptionalText published_at: string | null;

  /** `{routing}`: the routing of this version. @example { "routing": { "method": "single", "channels": [] } } */
  @AnyObject data: { routing: MessageRouting };
}

export class TenantTemplate extends TenantTemplateSummary {
  /**
   * `{content, routing, channels, providers}` of this version; the last two are absent if there are no settings.
   * @example { "routing": { "method": "single", "channels": [] }, "content": { "version": "2022-01-01", "elements": [] } }
   */
  @AnyObject
  declare data: {
    routing: MessageRouting;
    content: ElementalContent;
    channels?: SettingsByChannel;
    providers?: SettingsByProvider;
  };
}

/** @property items The tenant's templates of this page, by id: each by its published version, or else the latest. */
class TenantTemplatePage extends ListPage {
  @IsListOf(TenantTemplateSummary) items: TenantTemplateSummary[];
}

export const tenantTemplates = defineOperations('content.tenant-templates', 'tenants', {
  /** In sends in the context of the tenant they replace the workspace's templates of the same id or alias. */
  list: {
    route: 'GET /tenants/:tenant_id/templates',
    summary: "List a tenant's templates, by id",
    request: ListTenantTemplates,
    response: TenantTemplatePage,
  },
  /** Answers 404 if the tenant has no such template. */
  retrieve: {
    route: 'GET /tenants/:tenant_id/templates/:template_id',
    summary: "Get a tenant's template: the published version, or else the latest",
    request: TenantTemplateKey,
    response: TenantTemplate,
  },
  /**
   * Answers 201 for the first version, 200 for others. The tenant need not exist.
   * @example {
   *   "template": { "content": { "version": "2022-01-01", "elements": [{ "type": "text", "content": "Hello {name}" }] } },
   *   "published": true
   * }
   */
  replace: {
    audit: 'tenant-template:replaced',
    auditTarget: ['tenant_id', 'template_id'],
    command: true,
    route: 'PUT /tenants/:tenant_id/templates/:template_id',
    quota: 'templates',
    summary: "Create a version of a tenant's template",
    request: PutTenantTemplate,
    knownFields: declaredFields(PutTenantTemplate, { template: declaredFields(TenantTemplateInput, DELIVERY_FIELDS) }),
    response: TenantTemplatePut,
    warnings: 'warnings',
    statusHaving: { field: 'version', value: 'v1', status: 201 }, // the first version
  },
  /** What cannot be rendered is refused, with its path and line. The body may be left out. @example { "version": "latest" } */
  publish: {
    audit: 'tenant-template:published',
    auditTarget: ['tenant_id', 'template_id'],
    route: 'POST /tenants/:tenant_id/templates/:template_id/publish',
    summary: "Publish a version of a tenant's template",
    request: PublishTenantTemplate,
    response: TenantTemplatePublished,
    warnings: 'warnings',
  },
  /** The last 100 versions are stored. */
  retrieveVersion: {
    route: 'GET /tenants/:tenant_id/templates/:template_id/versions/:version',
    summary: "Get a version of a tenant's template",
    request: TenantTemplateVersion,
    response: TenantTemplate,
  },
  /** The workspace's template applies again, if there is one. */
  remove: {
    audit: 'tenant-template:deleted',
    auditTarget: ['tenant_id', 'template_id'],
    command: true,
    route: 'DELETE /tenants/:tenant_id/templates/:template_id',
    generation: 'later',
    summary: "Delete a tenant's template with all its versions",
    request: TenantTemplateKey,
  },
});
