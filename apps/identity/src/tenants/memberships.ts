import { Injectable } from '@nestjs/common';
import { invalid } from '@tidings/contracts/core/refusals';
import type { EntityManager } from 'typeorm';
import { assertStorable, storableObject } from '@tidings/contracts/core/text';
import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import { membershipsChanged, TENANTS_PER_USER_MAX } from '@tidings/contracts/identity/events';
import { MEMBER_PROFILE_BYTES_MAX, type UserTenantEntry } from '@tidings/contracts/identity/user-tenants';
import { advisoryLock } from '@tidings/persistence/advisory';
import { statement, transactionOf } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { UserTenantEntity } from './user-tenant.entity';

/** A user of a workspace. */
interface Member {
  workspaceId: string;
  userId: string;
}

/** One change of a user's tenants at a time: the published set is the committed set. */
const lockUser = advisoryLock('memberships', 'identity');
// SQL because an upsert does not otherwise report which rows it created.
/** In key order, as every writer locks rows of this table. An existing row carries this transaction's lock in xmax. */
const PUT = statement(
  'memberships-put',
  `insert into user_tenants (workspace_id, user_id, tenant_id, profile)
   select $1, $2, entry.tenant_id collate "C", entry.profile::jsonb from unnest($3::text[], $4::text[]) as entry (tenant_id, profile)
    order by 3
   on conflict (workspace_id, user_id, tenant_id) do update set profile = excluded.profile, updated_at = now()
   returning xmax = 0 as created`,
);

/** Changes of the tenants that users belong to. Each change of a user's set is published as the whole set, in commit order. */
@Injectable()
export class Memberships {
  constructor(
    private readonly outbox: Outbox,
    private readonly secrets: ProfileSecrets,
  ) {}

  /**
   * Of a tenant named twice the last entry counts. `path` names the entries in errors.
   * @throws ServiceError `invalid_request` naming the field that cannot be stored or is too large, and when the user would belong to
   * more than `TENANTS_PER_USER_MAX` tenants.
   */
  async put(tx: EntityManager, member: Member, entries: readonly UserTenantEntry[], path: string) {
    if (entries.length === 0) return;
    const tenants = new Map<string, string>();
    entries.forEach(({ tenant_id, profile }, index) => {
      assertStorable(tenant_id, `${path}[${index}].tenant_id`);
      tenants.set(tenant_id, this.storedProfile(member, profile ?? {}, `${path}[${index}].profile`));
    });
    await lockUser(tx, member.workspaceId, member.userId);
    const rows = await transactionOf(tx).query<{ created: boolean }>(PUT, [
      member.workspaceId,
      member.userId,
      [...tenants.keys()],
      [...tenants.values()],
    ]);
    if (rows.some(({ created }) => created)) await this.publish(tx, member);
  }

  /** The profile of a member as the JSON text to store, its credentials sealed. */
  private storedProfile({ workspaceId }: Member, profile: ProfileFields, path: string) {
    const text = storableObject(path, profile, MEMBER_PROFILE_BYTES_MAX);
    this.secrets.assertGiven(profile, { path });
    const sealed = this.secrets.seal(workspaceId, profile);
    return sealed === profile ? text : JSON.stringify(sealed);
  }

  remove(tx: EntityManager, member: Member, tenantId: string) {
    return this.removeWhere(tx, member, { ...member, tenantId });
  }

  /** @returns the number of removed memberships. */
  removeAll(tx: EntityManager, member: Member) {
    return this.removeWhere(tx, member, member);
  }

  /** Publishes the tenants of a user anew. */
  async republish(tx: EntityManager, member: Member) {
    await lockUser(tx, member.workspaceId, member.userId);
    await this.publish(tx, member);
  }

  private async removeWhere(tx: EntityManager, member: Member, where: object) {
    await lockUser(tx, member.workspaceId, member.userId);
    const { affected } = await tx.delete(UserTenantEntity, where);
    if (affected) await this.publish(tx, member);
    return affected ?? 0;
  }

  private async publish(tx: EntityManager, member: Member) {
    const rows = await tx.find(UserTenantEntity, {
      select: { tenantId: true },
      where: member,
      order: { tenantId: 'ASC' },
      take: TENANTS_PER_USER_MAX + 1,
    });
    if (rows.length > TENANTS_PER_USER_MAX) {
      throw invalid(`User ${member.userId} would belong to more than ${TENANTS_PER_USER_MAX} tenants`);
    }
    const now = { ...member, tenantIds: rows.map(({ tenantId }) => tenantId) };
    const key = membershipsChanged.keyOf(now);
    await this.outbox.add(transactionOf(tx), membershipsChanged, { payload: rows.length === 0 ? null : now, key });
  }
}
