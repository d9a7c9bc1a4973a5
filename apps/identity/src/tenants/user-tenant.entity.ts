import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import type { TenantAssociation } from '@tidings/contracts/identity/tenants';

/** A user in a tenant. */
@Entity('user_tenants')
export class UserTenantEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { name: 'user_id', collation: 'C' })
  userId!: string;

  @PrimaryColumn('text', { name: 'tenant_id', collation: 'C' })
  tenantId!: string;

  @Column('jsonb')
  profile!: object;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}

export function toAssociation({ userId, tenantId, profile }: UserTenantEntity): TenantAssociation {
  return { tenant_id: tenantId, user_id: userId, profile: profile as ProfileFields, type: 'user' };
}
