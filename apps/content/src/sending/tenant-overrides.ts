import { type Queryable, statement } from '@tidings/persistence/database';
import type { ElementalContent } from '@tidings/contracts/content/elemental';
import type { ChannelSettings, MessageRouting, ProviderSettings } from '@tidings/contracts/content/routing';

/** How a send names a template of the tenant alone; no alias begins so. */
export const TENANT_PREFIX = 'tenant/';

/** A template of a tenant, by one of the names it may have. */
interface AskedOverride {
  workspaceId: string;
  tenantId: string;
  templateId: string;
}

/** What is published of a tenant's template. */
export interface Override extends AskedOverride {
  version: number;
  bytes: number;
}

export interface OverrideContent {
  content: ElementalContent;
  routing: MessageRouting | null;
  channels: Record<string, ChannelSettings> | null;
  providers: Record<string, ProviderSettings> | null;
}

const FIND = statement(
  'sending-tenant-templates-find',
  `select found.version, (select bytes from tenant_template_versions version
                           where version.workspace_id = found.workspace_id and version.tenant_id = found.tenant_id
                             and version.template_id = found.template_id and version.version = found.version) as bytes
     from (
       select asked.*, (select published_version from tenant_templates template
                         where template.workspace_id = asked.workspace_id and template.tenant_id = asked.tenant_id collate "C"
                           and template.template_id = asked.template_id collate "C") as version
         from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as asked (workspace_id, tenant_id, template_id, place)
     ) found
    order by found.place`,
);
const CONTENTS = statement(
  'sending-tenant-templates-contents',
  `select version.content, version.routing, version.channels, version.providers
     from unnest($1::uuid[], $2::text[], $3::text[], $4::int[]) with ordinality as asked (workspace_id, tenant_id, template_id, version, place)
     left join lateral (select * from tenant_template_versions stored
                         where stored.workspace_id = asked.workspace_id and stored.tenant_id = asked.tenant_id collate "C"
                           and stored.template_id = asked.template_id collate "C" and stored.version = asked.version limit 1) version on true
    order by asked.place`,
);

/** What is published of these tenants' templates, in the order asked. One statement. */
export async function findOverrides(db: Queryable, asked: readonly AskedOverride[]): Promise<(Override | undefined)[]> {
  if (asked.length === 0) return [];
  const rows = await db.query<{ version: number | null; bytes: number | null }>(FIND, columnsOf(asked));
  return rows.map(({ version, bytes }, index) => (version === null ? undefined : { ...asked[index]!, version, bytes: bytes ?? 0 }));
}

/** What these say, in the order asked; undefined for what was removed since it was found. One statement. */
export async function overrideContents(db: Queryable, overrides: readonly Override[]): Promise<(OverrideContent | undefined)[]> {
  if (overrides.length === 0) return [];
  const values = [...columnsOf(overrides), overrides.map(({ version }) => version)];
  const rows = await db.query<OverrideContent | { content: null }>(CONTENTS, values);
  return rows.map((row) => (row.content === null ? undefined : row));
}

function columnsOf(asked: readonly AskedOverride[]): unknown[][] {
  return [asked.map(({ workspaceId }) => workspaceId), asked.map(({ tenantId }) => tenantId), asked.map(({ templateId }) => templateId)];
}
