import { InjectRepository } from '@nestjs/typeorm';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { Any, type EntityManager, Repository } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { hasCredentials } from '@tidings/contracts/identity/profile-credentials';
import {
  type DefaultPreference,
  type DefaultPreferenceItem,
  type ListTenants,
  type ListTenantUsers,
  type NamedTenant,
  type NamedTenantDefault,
  type PutTenant,
  type PutTenantDefault,
  TENANT_DEFAULTS_MAX,
  type Tenant,
  TENANT_OBJECT_BYTES_MAX,
  tenants,
} from '@tidings/contracts/identity/tenants';
import { transactionOf } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { storableObject } from '@tidings/contracts/core/text';
import { listById } from './list-by-id';
import { TenantDefaultEntity } from './tenant-default.entity';
import { assertNoChildren, assertParent, countMove, lockTree } from './tenant-tree';
import { TenantEntity, toTenant, withOpenProfile } from './tenant.entity';
import { toAssociation, UserTenantEntity } from './user-tenant.entity';
import { PreferenceTopicEntity } from '../preferences/preference-topic.entity';
import { channelsOf } from '../preferences/user-choices';

type TenantRef = Pick<TenantDefaultEntity, 'workspaceId' | 'tenantId'>;

@Handles(tenants)
export class TenantsHandlers {
  constructor(
    @InjectRepository(TenantEntity) private readonly rows: Repository<TenantEntity>,
    @InjectRepository(UserTenantEntity) private readonly members: Repository<UserTenantEntity>,
    private readonly secrets: ProfileSecrets,
  ) {}

  async list({ workspaceId }: CallContext, request: ListTenants) {
    const { parent_tenant_id } = request;
    const chosen = { workspaceId, ...(parent_tenant_id !== undefined && { parentId: parent_tenant_id }) };
    return listById(this.rows.createQueryBuilder('tenant').where(chosen), request, {
      tag: `tenants ${workspaceId} ${parent_tenant_id ?? ''}`,
      by: 'id',
      toItem: (row) => withOpenProfile(this.secrets, workspaceId, toTenant(row)),
      path: '/tenants',
      filter: { parent_tenant_id },
    });
  }

  async retrieve({ workspaceId }: CallContext, { tenant_id }: NamedTenant) {
    return withOpenProfile(this.secrets, workspaceId, await readTenant(this.rows.manager, workspaceId, tenant_id));
  }

  async replace({ workspaceId }: CallContext, request: PutTenant, tx: EntityManager) {
    return putTenant(tx, workspaceId, request, 'parent_tenant_id', this.secrets);
  }

  presentReplace({ workspaceId }: CallContext, recorded: Tenant) {
    return withOpenProfile(this.secrets, workspaceId, recorded);
  }

  /** Associations with the id stay: they count again once a tenant with that id is created. */
  async remove({ workspaceId }: CallContext, { tenant_id }: NamedTenant, tx: EntityManager) {
    await lockTree(tx, workspaceId);
    await assertNoChildren(tx, workspaceId, tenant_id);
    const { affected } = await tx.delete(TenantEntity, { workspaceId, id: tenant_id });
    if (!affected) throw noTenant(tenant_id);
    await tx.delete(TenantDefaultEntity, { workspaceId, tenantId: tenant_id });
  }

  async users({ workspaceId }: CallContext, request: ListTenantUsers) {
    const { tenant_id: tenantId } = request;
    const page = await listById(this.members.createQueryBuilder('member').where({ workspaceId, tenantId }), request, {
      tag: `tenant-users ${workspaceId} ${tenantId}`,
      by: 'userId',
      toItem: toAssociation(this.secrets),
      path: `/tenants/${encodeURIComponent(tenantId)}/users`,
    });
    if (!(await this.rows.existsBy({ workspaceId, id: tenantId }))) throw noTenant(tenantId);
    return page;
  }

  async replaceDefault({ workspaceId }: CallContext, request: PutTenantDefault, tx: EntityManager) {
    const { tenant_id: tenantId, topic_id: topicId, ...preference } = request;
    const tenant = { workspaceId, tenantId };
    await lockTenant(tx, workspaceId, tenantId);
    if (await missingTopic(tx, workspaceId, [topicId])) throw notFound(`Topic ${topicId} does not exist`);
    await tx.upsert(TenantDefaultEntity, toRow(tenant, topicId, preference), ['workspaceId', 'tenantId', 'topicId']);
    if ((await tx.countBy(TenantDefaultEntity, tenant)) <= TENANT_DEFAULTS_MAX) return;
    throw invalid(`Tenant ${tenantId} would have more than ${TENANT_DEFAULTS_MAX} default preferences`);
  }

  /** A default for a deleted topic counts as absent: it is not shown either. */
  async removeDefault({ workspaceId }: CallContext, { tenant_id, topic_id, ...rest }: NamedTenantDefault, tx: EntityManager) {
    rest satisfies Record<string, never>;
    await lockTenant(tx, workspaceId, tenant_id);
    const { affected } = await tx.delete(TenantDefaultEntity, { workspaceId, tenantId: tenant_id, topicId: topic_id });
    if (affected && !(await missingTopic(tx, workspaceId, [topic_id]))) return;
    throw notFound(`Tenant ${tenant_id} has no default preference for topic ${topic_id}`);
  }
}

/**
 * The stored tenant; the credentials of its profile are sealed.
 * @param parentField what the caller calls `parent_tenant_id`.
 */
export async function putTenant(tx: EntityManager, workspaceId: string, request: PutTenant, parentField: string, secrets: ProfileSecrets) {
  const {
    tenant_id: tenantId,
    parent_tenant_id: parentId = null,
    name,
    brand_id: brandId = null,
    properties = null,
    user_profile: givenProfile = null,
    default_preferences,
    ...rest
  } = request;
  rest satisfies Record<string, never>;
  if (properties) storableObject('properties', properties, TENANT_OBJECT_BYTES_MAX);
  if (givenProfile) {
    storableObject('user_profile', givenProfile, TENANT_OBJECT_BYTES_MAX);
    secrets.assertGiven(givenProfile, { path: 'user_profile' });
  }
  const isSealed = givenProfile !== null && hasCredentials(givenProfile);
  const stored = isSealed ? await tx.findOneBy(TenantEntity, { workspaceId, id: tenantId }) : null;
  const userProfile = givenProfile && secrets.seal(workspaceId, givenProfile, stored?.userProfile ?? undefined);
  if (parentId) {
    const sql = transactionOf(tx);
    await lockTree(tx, workspaceId);
    await assertParent(sql, workspaceId, { tenantId, parentId, parentField });
    await countMove(sql, workspaceId, tenantId, parentId);
  }
  const tenant = { workspaceId, id: tenantId, parentId, name, brandId, properties, userProfile, updatedAt: () => 'now()' };
  await tx.upsert(TenantEntity, tenant, ['workspaceId', 'id']);
  if (default_preferences !== undefined) await replaceDefaults(tx, { workspaceId, tenantId }, default_preferences?.items ?? []);
  return readTenant(tx, workspaceId, tenantId);
}

async function readTenant(from: EntityManager, workspaceId: string, id: string) {
  const row = await from.findOneBy(TenantEntity, { workspaceId, id });
  if (!row) throw noTenant(id);
  return toTenant(row);
}

async function lockTenant(tx: EntityManager, workspaceId: string, id: string) {
  const row = await tx.findOne(TenantEntity, { select: { id: true }, where: { workspaceId, id }, lock: { mode: 'pessimistic_write' } });
  if (!row) throw noTenant(id);
}

const noTenant = (tenantId: string) => notFound(`Tenant ${tenantId} does not exist`);

/** Under a lock of the tenant's row. @throws ServiceError `invalid_request` naming a topic that does not exist. */
async function replaceDefaults(tx: EntityManager, tenant: TenantRef, items: readonly DefaultPreferenceItem[]) {
  const missing = await missingTopic(
    tx,
    tenant.workspaceId,
    items.map(({ id }) => id),
  );
  if (missing) throw invalid(`default_preferences names topic ${missing}, which does not exist`);
  await tx.delete(TenantDefaultEntity, { ...tenant });
  await tx.insert(
    TenantDefaultEntity,
    items.map(({ id, ...preference }) => toRow(tenant, id, preference)),
  );
}

/** The first of the topics that does not exist. */
async function missingTopic(tx: EntityManager, workspaceId: string, topicIds: string[]) {
  if (topicIds.length === 0) return undefined;
  const topics = await tx.find(PreferenceTopicEntity, { select: { id: true }, where: { workspaceId, id: Any(topicIds) } });
  const existing = new Set(topics.map(({ id }) => id));
  return topicIds.find((id) => !existing.has(id));
}

/** Named channels count, unless `has_custom_routing` is false. */
function toRow(tenant: TenantRef, topicId: string, preference: DefaultPreference) {
  const { status, custom_routing, has_custom_routing, ...rest } = preference;
  rest satisfies Record<string, never>;
  const customRouting = channelsOf(custom_routing);
  return { ...tenant, topicId, status, hasCustomRouting: has_custom_routing ?? customRouting.length > 0, customRouting };
}
