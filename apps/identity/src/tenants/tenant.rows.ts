import { type ChannelClass } from '@tidings/contracts/core/channels';
import { type PreferenceStatus } from '@tidings/contracts/core/preferences';
import type { Tenant } from '@tidings/contracts/identity/tenants';
import { statement } from '@tidings/persistence/database';

/** A stored tenant with its defaults. */
export interface TenantRow {
  tenant_id: string;
  parent_tenant_id: string | null;
  name: string;
  brand_id: string | null;
  properties: Record<string, unknown> | null;
  user_profile: Record<string, unknown> | null;
  defaults: TenantDefaultRow[];
}

export interface TenantDefaultRow {
  topic_id: string;
  status: PreferenceStatus;
  has_custom_routing: boolean;
  custom_routing: ChannelClass[];
}

/** Defaults for deleted topics are not shown: they no longer count. */
const COLUMNS = `
  tenant.tenant_id, tenant.parent_tenant_id, tenant.name, tenant.brand_id, tenant.properties, tenant.user_profile,
  coalesce((select jsonb_agg(jsonb_build_object('topic_id', item.topic_id, 'status', item.status,
                     'has_custom_routing', item.has_custom_routing, 'custom_routing', item.custom_routing) order by item.topic_id)
              from tenant_default_preferences item
             where item.workspace_id = tenant.workspace_id and item.tenant_id = tenant.tenant_id
               and exists (select from preference_topics topic
                            where topic.workspace_id = item.workspace_id and topic.topic_id = item.topic_id)), '[]') as defaults`;

export const RETRIEVE = statement('tenants-retrieve', `select ${COLUMNS} from tenants tenant where workspace_id = $1 and tenant_id = $2`);

export const EXISTS = statement('tenants-exists', 'select tenant_id from tenants where workspace_id = $1 and tenant_id = $2');

/** After the tenant of this id; every id comes after the empty text. */
export const PAGE = statement(
  'tenants-page',
  `select ${COLUMNS} from tenants tenant where workspace_id = $1 and tenant_id > $2 order by tenant_id limit $3`,
);
export const PAGE_OF_CHILDREN = statement(
  'tenants-page-of-children',
  `select ${COLUMNS} from tenants tenant where workspace_id = $1 and parent_tenant_id = $4 and tenant_id > $2 order by tenant_id limit $3`,
);

/** The tenant as clients receive it, without the fields that are not set. */
export function toTenant({ tenant_id, parent_tenant_id, name, brand_id, properties, user_profile, defaults }: TenantRow): Tenant {
  return {
    id: tenant_id,
    name,
    type: 'tenant',
    ...(parent_tenant_id !== null && { parent_tenant_id }),
    ...(brand_id !== null && { brand_id }),
    ...(properties !== null && { properties }),
    ...(user_profile !== null && { user_profile }),
    ...(defaults.length > 0 && {
      default_preferences: {
        items: defaults.map(({ topic_id, ...rest }) => ({ id: topic_id, type: 'subscription_topic' as const, ...rest })),
      },
    }),
  };
}
