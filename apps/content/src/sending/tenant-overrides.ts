import { columnsOf } from '@tidings/persistence/columns-of';
import { type Queryable, statement } from '@tidings/persistence/database';
import type { ElementalContent } from '@tidings/contracts/content/elemental';
import type { ChannelSettings, MessageRouting, ProviderSettings } from '@tidings/contracts/content/routing';

/** A template of a tenant, by one of its possible names. */
interface OverrideKey {
  workspaceId: string;
  tenantId: string;
  templateId: string;
}

/** The published version of a tenant's template. */
export interface Override extends OverrideKey {
  version: number;
  bytes: number;
}

export interface OverrideContent {
  content: ElementalContent;
  routing: MessageRouting | null;
  channels: Record<string, ChannelSettings> | null;
  providers: Record<string, ProviderSettings> | null;
}

/** SQL: sends read a batch, here and below. */
const FIND = statement(
  'sending-tenant-templates-find',
  `select found.version, (select bytes from tenant_template_versions version
                           where version.workspace_id = found.workspace_id and version.tenant_id = found.tenant_id
                             and version.template_id = found.template_id and version.version = found.version) as bytes
     from (
       select input.*, (select published_version from tenant_templates template
                         where template.workspace_id = input.workspace_id and template.tenant_id = input.tenant_id collate "C"
                           and template.template_id = input.template_id collate "C") as version
         from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as input (workspace_id, tenant_id, template_id, ordinal)
     ) found
    order by found.ordinal`,
);
const CONTENTS = statement(
  'sending-tenant-templates-contents',
  `select version.content, version.routing, version.channels, version.providers
     from unnest($1::uuid[], $2::text[], $3::text[], $4::int[]) with ordinality as input (workspace_id, tenant_id, template_id, version, ordinal)
     left join lateral (select * from tenant_template_versions stored
                         where stored.workspace_id = input.workspace_id and stored.tenant_id = input.tenant_id collate "C"
                           and stored.template_id = input.template_id collate "C" and stored.version = input.version limit 1) version on true
    order by input.ordinal`,
);

/** The published versions of tenants' templates, in the order of `keys`; undefined where there is none. One statement. */
export async function findOverrides(db: Queryable, keys: readonly OverrideKey[]): Promise<(Override | undefined)[]> {
  if (keys.length === 0) return [];
  const rows = await db.query<{ version: number | null; bytes: number | null }>(
    FIND,
    columnsOf(keys, 'workspaceId', 'tenantId', 'templateId'),
  );
  return rows.map(({ version, bytes }, index) => (version === null ? undefined : { ...keys[index]!, version, bytes: bytes ?? 0 }));
}

/** The contents of overrides, in their order; undefined where one was removed since `findOverrides`. One statement. */
export async function overrideContents(db: Queryable, overrides: readonly Override[]): Promise<(OverrideContent | undefined)[]> {
  if (overrides.length === 0) return [];
  const values = columnsOf(overrides, 'workspaceId', 'tenantId', 'templateId', 'version');
  const rows = await db.query<OverrideContent | { content: null }>(CONTENTS, values);
  return rows.map((row) => (row.content === null ? undefined : row));
}
