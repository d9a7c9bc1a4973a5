import { Column, Entity, type EntityManager, PrimaryColumn } from 'typeorm';
import { type MessageRouting, NO_ROUTING, type SettingsByChannel, type SettingsByProvider } from '@tidings/contracts/content/routing';
import type { TenantTemplate, TenantTemplateSummary } from '@tidings/contracts/content/tenant-templates';
import { notFound } from '@tidings/contracts/core/refusals';
import { CreatedRow, Nullable, TextKey } from '../rows';
import { versionOf } from '../templates/version-name';
import type { ElementalContent } from '@tidings/contracts/content/elemental';

/**
 * A version of a tenant's template; it never changes. Its objects are `json`, not `jsonb`: clients get the keys in the order in
 * which they put them.
 */
@Entity('tenant_template_versions')
export class TenantTemplateVersionEntity extends CreatedRow {
  @TextKey()
  tenantId: string;

  @TextKey()
  templateId: string;

  @PrimaryColumn('integer')
  version: number;

  @Column('json')
  content: ElementalContent;

  @Nullable('json')
  routing: MessageRouting | null;

  /** The secrets of overrides are sealed, here and in `providers`. */
  @Nullable('json')
  channels: SettingsByChannel | null;

  @Nullable('json')
  providers: SettingsByProvider | null;

  /** What the objects take in a response. */
  @Column('integer')
  bytes: number;
}

/** A tenant's template without its versions. The tenant is identity's, and need not exist. */
@Entity('tenant_templates')
export class TenantTemplateEntity extends CreatedRow {
  @TextKey()
  tenantId: string;

  @TextKey()
  templateId: string;

  @Column('integer')
  latestVersion: number;

  @Nullable('integer')
  publishedVersion: number | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  publishedAt: Date | null;
}

/** What identifies a tenant's template. */
export type TenantTemplateNames = Pick<TenantTemplateEntity, 'workspaceId' | 'tenantId' | 'templateId'>;

/** A tenant's template with one of its versions. */
export type ShownTenantTemplate = TenantTemplateEntity & { shown: TenantTemplateVersionEntity };

/** Joins a version of a template as `shown`. */
export const OF_TEMPLATE =
  'shown.workspaceId = template.workspaceId and shown.tenantId = template.tenantId and shown.templateId = template.templateId';

/** The number of the version `:version`, given as by `parseTenantVersion`. On one line: TypeORM overlooks a property before a line break. */
const REQUESTED =
  'case :version::int when 0 then template.latestVersion when -1 then template.publishedVersion ' +
  'when -2 then coalesce(template.publishedVersion, template.latestVersion) else :version::int end';

/**
 * A tenant's template with a version, given as by `parseTenantVersion`; in one statement, so that both are of one state. `shown`
 * is `null` where there is no such version.
 */
export async function findTenantTemplate(manager: EntityManager, names: TenantTemplateNames, version: number) {
  const row = await manager
    .createQueryBuilder(TenantTemplateEntity, 'template')
    .leftJoinAndMapOne('template.shown', TenantTemplateVersionEntity, 'shown', `${OF_TEMPLATE} and shown.version = ${REQUESTED}`, {
      version,
    })
    .where(names)
    .getOne();
  return row as (TenantTemplateEntity & { shown: TenantTemplateVersionEntity | null }) | null;
}

/** `v2`. */
export function tenantVersionName(version: number) {
  return `v${version}`;
}

/** Parses `latest`, `published`, or a version such as `v1`. @throws ServiceError `invalid_request` for other texts. */
export function parseTenantVersion(text: string) {
  return versionOf(text, 'latest', 'v1', /^v0*([1-9]\d{0,8})$/);
}

/** The `not_found` error of a tenant's template; it is returned, not thrown. */
export function noTenantTemplate({ tenantId, templateId }: TenantTemplateNames) {
  return notFound(`Tenant ${tenantId} has no template ${templateId}`);
}

/** As `noTenantTemplate`, of a version, as the client wrote it, or of a template without a published one. */
export function noTenantVersion({ tenantId, templateId }: TenantTemplateNames, requested: number, sent?: string | null) {
  const what = requested > 0 ? `has no version ${sent ?? tenantVersionName(requested)}` : 'is not published';
  return notFound(`Template ${templateId} of tenant ${tenantId} ${what}`);
}

export function toTenantTemplateSummary({ templateId, createdAt, publishedAt, shown }: ShownTenantTemplate): TenantTemplateSummary {
  return {
    id: templateId,
    version: tenantVersionName(shown.version),
    created_at: createdAt.toISOString(),
    updated_at: shown.createdAt.toISOString(),
    published_at: publishedAt?.toISOString() ?? null,
    data: { routing: shown.routing ?? NO_ROUTING },
  };
}

/** The secrets of its overrides are as they are stored. */
export function toTenantTemplate(row: ShownTenantTemplate): TenantTemplate {
  const { content, channels, providers } = row.shown;
  const { data, ...summary } = toTenantTemplateSummary(row);
  return { ...summary, data: { ...data, content, channels: channels ?? undefined, providers: providers ?? undefined } };
}
