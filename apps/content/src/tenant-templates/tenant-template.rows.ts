import type { ElementalContent } from '@tidings/contracts/content/elemental';
import { type ChannelSettings, type MessageRouting, NO_ROUTING, type ProviderSettings } from '@tidings/contracts/content/routing';
import type { TenantTemplate, TenantTemplateSummary } from '@tidings/contracts/content/tenant-templates';
import { ServiceError } from '@tidings/contracts/core/errors';
import { statement } from '@tidings/persistence/database';

/** The version put last. */
export const LATEST = 0;
/** The published version. */
const PUBLISHED = -1;
/** The published version, or the latest where none is published. */
export const SHOWN = -2;

export interface TenantTemplateSummaryRow {
  template_id: string;
  version: number;
  created_at: Date;
  version_at: Date;
  published_at: Date | null;
  routing: MessageRouting | null;
}

export interface TenantTemplateRow extends Omit<TenantTemplateSummaryRow, 'version'> {
  /** `null` where the requested version does not exist. */
  version: number | null;
  content: ElementalContent;
  channels: Record<string, ChannelSettings> | null;
  providers: Record<string, ProviderSettings> | null;
}

export const RETRIEVE = statement(
  'tenant-templates-retrieve',
  `select template.template_id, template.created_at, template.published_at, version.version, version.created_at as version_at,
          content, routing, channels, providers
     from tenant_templates template
     left join tenant_template_versions version
       on version.workspace_id = template.workspace_id and version.tenant_id = template.tenant_id
      and version.template_id = template.template_id
      and version.version = case $4::int when 0 then latest_version when -1 then published_version
                                         when -2 then coalesce(published_version, latest_version) else $4::int end
    where template.workspace_id = $1 and template.tenant_id = $2 and template.template_id = $3`,
);
export const PAGE = statement(
  'tenant-templates-page',
  `select template.template_id, template.created_at, template.published_at, version.version, version.created_at as version_at, routing
     from (select * from tenant_templates
            where workspace_id = $1 and tenant_id = $2 and template_id > $3 order by template_id limit $4) template
     join tenant_template_versions version
       on version.workspace_id = $1 and version.tenant_id = $2 and version.template_id = template.template_id
      and version.version = coalesce(published_version, latest_version)
    order by template.template_id`,
);

/** `v2`. */
export function tenantVersionName(version: number): string {
  return `v${version}`;
}

/** Parses `latest`, `published`, or a version such as `v1`. @throws ServiceError `invalid_request` for other texts. */
export function parseTenantVersion(text: string): number {
  if (text === 'latest') return LATEST;
  if (text === 'published') return PUBLISHED;
  const digits = /^v0*([1-9]\d{0,8})$/.exec(text)?.[1];
  if (digits === undefined) {
    throw new ServiceError(
      'invalid_request',
      `version must be latest, published, or a version as v1 (got ${JSON.stringify(text.slice(0, 60))})`,
    );
  }
  return Number(digits);
}

export function toTenantTemplateSummary(row: TenantTemplateSummaryRow): TenantTemplateSummary {
  const { template_id, version, created_at, version_at, published_at, routing } = row;
  return {
    id: template_id,
    version: tenantVersionName(version),
    created_at: created_at.toISOString(),
    updated_at: version_at.toISOString(),
    published_at: published_at?.toISOString() ?? null,
    data: { routing: routing ?? NO_ROUTING },
  };
}

/** @param row of an existing version. */
export function toTenantTemplate(row: TenantTemplateRow): TenantTemplate {
  const { content, channels, providers } = row;
  const { data, ...summary } = toTenantTemplateSummary({ ...row, version: row.version! });
  return { ...summary, data: { ...data, content, ...(channels && { channels }), ...(providers && { providers }) } };
}

export function noTenantTemplate(tenantId: string, templateId: string): ServiceError {
  return new ServiceError('not_found', `Tenant ${tenantId} has no template ${templateId}`);
}

export function noTenantVersion(tenantId: string, templateId: string, requested: number): ServiceError {
  const what = requested > 0 ? `has no version ${tenantVersionName(requested)}` : 'is not published';
  return new ServiceError('not_found', `Template ${templateId} of tenant ${tenantId} ${what}`);
}
