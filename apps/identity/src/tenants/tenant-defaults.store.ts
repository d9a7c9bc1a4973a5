import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { Any, type EntityManager } from 'typeorm';
import { type DefaultPreference, type DefaultPreferenceItem, TENANT_DEFAULTS_MAX } from '@tidings/contracts/identity/tenants';
import { channelsOf } from '../preferences/choice-rules';
import { PreferenceTopicEntity } from '../preferences/preference-topic.entity';
import { TenantDefaultEntity } from './tenant-default.entity';

type TenantRef = Pick<TenantDefaultEntity, 'workspaceId' | 'tenantId'>;

/** Under a lock of the tenant's row. @throws ServiceError `invalid_request` naming a topic that does not exist. */
export async function replaceDefaults(tx: EntityManager, tenant: TenantRef, items: readonly DefaultPreferenceItem[]): Promise<void> {
  const missing = await missingTopic(
    tx,
    tenant.workspaceId,
    items.map(({ id }) => id),
  );
  if (missing !== undefined) {
    throw invalid(`default_preferences names topic ${missing}, which does not exist`);
  }
  await tx.delete(TenantDefaultEntity, { ...tenant });
  const rows = items.map(({ id, ...preference }) => toRow(tenant, id, preference));
  if (rows.length > 0) await tx.insert(TenantDefaultEntity, rows);
}

/** Under a lock of the tenant's row. @throws ServiceError `not_found` when the topic does not exist. */
export async function storeDefault(tx: EntityManager, tenant: TenantRef, topicId: string, preference: DefaultPreference): Promise<void> {
  if ((await missingTopic(tx, tenant.workspaceId, [topicId])) !== undefined) {
    throw notFound(`Topic ${topicId} does not exist`);
  }
  await tx.upsert(TenantDefaultEntity, toRow(tenant, topicId, preference), ['workspaceId', 'tenantId', 'topicId']);
  if ((await tx.countBy(TenantDefaultEntity, tenant)) > TENANT_DEFAULTS_MAX) {
    throw invalid(`Tenant ${tenant.tenantId} would have more than ${TENANT_DEFAULTS_MAX} default preferences`);
  }
}

/** Whether there was one. A default for a deleted topic counts as absent: it is not shown either. */
export async function removeDefault(tx: EntityManager, tenant: TenantRef, topicId: string): Promise<boolean> {
  if ((await missingTopic(tx, tenant.workspaceId, [topicId])) !== undefined) return false;
  const { affected } = await tx.delete(TenantDefaultEntity, { ...tenant, topicId });
  return affected === 1;
}

async function missingTopic(tx: EntityManager, workspaceId: string, topicIds: string[]): Promise<string | undefined> {
  if (topicIds.length === 0) return undefined;
  const topics = await tx.find(PreferenceTopicEntity, { select: { id: true }, where: { workspaceId, id: Any(topicIds) } });
  const existing = new Set(topics.map(({ id }) => id));
  return topicIds.find((id) => !existing.has(id));
}

/** Named channels count, unless `has_custom_routing` is false. */
function toRow(tenant: TenantRef, topicId: string, preference: DefaultPreference): TenantDefaultEntity {
  const { status, custom_routing, has_custom_routing } = preference;
  const customRouting = channelsOf(custom_routing);
  return { ...tenant, topicId, status, hasCustomRouting: has_custom_routing ?? customRouting.length > 0, customRouting };
}
