import type { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { DatedRow, Nullable, TextKey } from '@tidings/persistence/rows';
import { Column, Entity, VirtualColumn } from 'typeorm';
import type { DefaultPreferenceItem, Tenant } from '@tidings/contracts/identity/tenants';

@Entity('tenants')
export class TenantEntity extends DatedRow {
  @TextKey({ name: 'tenant_id' })
  id: string;

  @Column({ type: 'text', name: 'parent_tenant_id', collation: 'C', nullable: true })
  parentId: string | null;

  @Column('text')
  name: string;

  @Nullable('text')
  brandId: string | null;

  @Nullable('jsonb')
  properties: object | null;

  @Nullable('jsonb')
  userProfile: object | null;

  /** The default preferences of the response, by topic. Those for deleted topics are not shown: they no longer count. */
  @VirtualColumn({
    type: 'jsonb',
    query: (tenant) =>
      `select coalesce(jsonb_agg(jsonb_build_object('id', item.topic_id, 'type', 'subscription_topic', 'status', item.status,
                'has_custom_routing', item.has_custom_routing, 'custom_routing', item.custom_routing) order by item.topic_id), '[]')
         from tenant_default_preferences item
        where item.workspace_id = ${tenant}.workspace_id and item.tenant_id = ${tenant}.tenant_id
          and exists (select from preference_topics topic
                       where topic.workspace_id = item.workspace_id and topic.topic_id = item.topic_id)`,
  })
  readonly defaults: DefaultPreferenceItem[];
}

/** The tenant with the credentials of its profile opened. @throws ServiceError as `openForReader`. */
export function withOpenProfile<Shown extends Pick<Tenant, 'id' | 'user_profile'>>(
  secrets: ProfileSecrets,
  workspaceId: string,
  tenant: Shown,
): Shown {
  const { id, user_profile: profile } = tenant;
  if (!profile) return tenant;
  return { ...tenant, user_profile: secrets.openForReader(workspaceId, profile, { path: 'user_profile', of: `tenant ${id}` }) };
}

/** The tenant as clients receive it, without the fields that are not set; credentials as they are stored. */
export function toTenant({ id, parentId, name, brandId, properties, userProfile, defaults }: TenantEntity): Tenant {
  return {
    id,
    name,
    type: 'tenant',
    parent_tenant_id: parentId ?? undefined,
    brand_id: brandId ?? undefined,
    properties: (properties ?? undefined) as Tenant['properties'],
    user_profile: (userProfile ?? undefined) as Tenant['user_profile'],
    ...(defaults.length > 0 && { default_preferences: { items: defaults } }),
  };
}
