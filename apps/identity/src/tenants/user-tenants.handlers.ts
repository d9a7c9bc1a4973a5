import { InjectRepository } from '@nestjs/typeorm';
import { notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, Repository } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import type { NamedUser } from '@tidings/contracts/identity/profiles';
import {
  type ListUserTenants,
  type NamedUserTenant,
  type PutUserTenant,
  type PutUserTenants,
  userTenants,
} from '@tidings/contracts/identity/user-tenants';
import { Handles } from '@tidings/rpc/handles';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { listById } from './list-by-id';
import { Memberships } from './memberships';
import { toAssociation, UserTenantEntity } from './user-tenant.entity';

@Handles(userTenants)
export class UserTenantsHandlers {
  constructor(
    @InjectRepository(UserTenantEntity) private readonly rows: Repository<UserTenantEntity>,
    private readonly memberships: Memberships,
    private readonly secrets: ProfileSecrets,
  ) {}

  async list({ workspaceId }: CallContext, request: ListUserTenants) {
    const { user_id: userId } = request;
    return listById(this.rows.createQueryBuilder('own').where({ workspaceId, userId }), request, {
      tag: `user-tenants ${workspaceId} ${userId}`,
      by: 'tenantId',
      toItem: toAssociation(this.secrets),
      path: `/users/${encodeURIComponent(userId)}/tenants`,
    });
  }

  async retrieve({ workspaceId }: CallContext, { user_id, tenant_id }: NamedUserTenant) {
    const row = await this.rows.findOneBy({ workspaceId, userId: user_id, tenantId: tenant_id });
    if (!row) throw notFound(`User ${user_id} does not belong to tenant ${tenant_id}`);
    return toAssociation(this.secrets)(row);
  }

  async addMany({ workspaceId }: CallContext, { user_id, tenants, ...rest }: PutUserTenants, tx: EntityManager) {
    rest satisfies Record<string, never>;
    await this.memberships.put(tx, { workspaceId, userId: user_id }, tenants, 'tenants');
  }

  /** Replaces the stored profile; without `profile` it becomes empty. */
  async add(context: CallContext, { user_id, tenant_id, profile, ...rest }: PutUserTenant, tx: EntityManager) {
    rest satisfies Record<string, never>;
    await this.addMany(context, { user_id, tenants: [{ tenant_id, profile }] }, tx);
  }

  async remove({ workspaceId }: CallContext, { user_id, tenant_id }: NamedUserTenant, tx: EntityManager) {
    await this.memberships.remove(tx, { workspaceId, userId: user_id }, tenant_id);
  }

  async removeAll({ workspaceId }: CallContext, { user_id }: NamedUser, tx: EntityManager) {
    await this.memberships.removeAll(tx, { workspaceId, userId: user_id });
  }
}
