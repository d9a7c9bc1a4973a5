import { AnyObject, IsListOf, IsNested, OptionalFlag, OptionalObject, OptionalText, Text, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { LimitedQuery, ListPage } from '../core/paging';
import { TenantId } from '../identity/tenants';
import type { ElementalContent } from './elemental';
import type { MessageRouting, SettingsByChannel, SettingsByProvider } from './routing';
import { OptionalVersion, TemplateId, VERSION_LENGTH_MAX } from './template-fields';

/** Maximum stored versions of a tenant's template: the oldest are deleted first, never the one in use. */
export const TENANT_VERSIONS_RETAINED_MAX = 100;

export class TenantTemplateKey {
  @TenantId tenant_id: string;

  @TemplateId template_id: string;
}

export class ListTenantTemplates extends LimitedQuery {
  @TenantId tenant_id: string;
}

/** The content and settings of a tenant that replace those of a template. */
export class TenantTemplateInput {
  @AnyObject content: ElementalContent;

  @OptionalObject channels?: SettingsByChannel | null;

  @OptionalObject providers?: SettingsByProvider | null;

  /** With a method alone, the channels of the replaced template are used. */
  @OptionalObject routing?: (Pick<MessageRouting, 'method'> & Partial<MessageRouting>) | null;
}

export class PutTenantTemplate extends TenantTemplateKey {
  @IsNested(TenantTemplateInput) template: TenantTemplateInput;

  @OptionalFlag published?: boolean | null;
}

class TenantTemplatePut {
  @Text id: string;

  /** `v2`: every PUT creates a version. */
  @Text version: string;

  @OptionalText published_at?: string;
}

export class PublishTenantTemplate extends TenantTemplateKey {
  /** `latest` (default) or `v1`. */
  @OptionalVersion version?: string | null;
}

class TenantTemplatePublished {
  @Text id: string;

  @Text version: string;

  @Text published_at: string;
}

export class TenantTemplateVersion extends TenantTemplateKey {
  /** `latest`, `published` or `v1`. */
  @TextOf(1, VERSION_LENGTH_MAX) version: string;
}

/** A template of a tenant in a listing: the published version, or else the latest. */
export class TenantTemplateSummary {
  @Text id: string;

  @Text version: string;

  @Text created_at: string;

  /** When this version was created. */
  @Text updated_at: string;

  /** When the published version was published; `null` if there is none. */
  @OptionalText published_at: string | null;

  @AnyObject data: { routing: MessageRouting };
}

export class TenantTemplate extends TenantTemplateSummary {
  @AnyObject
  declare data: {
    routing: MessageRouting;
    content: ElementalContent;
    channels?: SettingsByChannel;
    providers?: SettingsByProvider;
  };
}

class TenantTemplatePage extends ListPage {
  @IsListOf(TenantTemplateSummary) items: TenantTemplateSummary[];
}

export const tenantTemplates = defineOperations('content.tenant-templates', 'tenants', {
  list: {
    route: 'GET /tenants/:tenant_id/templates',
    summary: "List a tenant's templates, by id",
    request: ListTenantTemplates,
    response: TenantTemplatePage,
  },
  retrieve: {
    route: 'GET /tenants/:tenant_id/templates/:template_id',
    summary: "Get a tenant's template: the published version, or else the latest",
    request: TenantTemplateKey,
    response: TenantTemplate,
  },
  replace: {
    command: true,
    route: 'PUT /tenants/:tenant_id/templates/:template_id',
    summary: "Create a version of a tenant's template",
    request: PutTenantTemplate,
    response: TenantTemplatePut,
    statusHaving: { field: 'version', value: 'v1', status: 201 }, // the first version
  },
  publish: {
    route: 'POST /tenants/:tenant_id/templates/:template_id/publish',
    summary: "Publish a version of a tenant's template",
    request: PublishTenantTemplate,
    response: TenantTemplatePublished,
  },
  retrieveVersion: {
    route: 'GET /tenants/:tenant_id/templates/:template_id/versions/:version',
    summary: "Get a version of a tenant's template",
    request: TenantTemplateVersion,
    response: TenantTemplate,
  },
  remove: {
    command: true,
    route: 'DELETE /tenants/:tenant_id/templates/:template_id',
    generation: 'later',
    summary: "Delete a tenant's template with all its versions",
    request: TenantTemplateKey,
  },
});
