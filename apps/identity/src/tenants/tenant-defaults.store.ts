import { ServiceError } from '@tidings/contracts/core/errors';
import { type DefaultPreference, type DefaultPreferenceItem, TENANT_DEFAULTS_MAX } from '@tidings/contracts/identity/tenants';
import { statement, type Transaction } from '@tidings/persistence/database';
import { channelsOf } from '../preferences/choice-rules';
import { type TenantDefaultRow } from './tenant.rows';

export interface TenantRef {
  workspaceId: string;
  tenantId: string;
}

/** The existing topics among `$2`. */
const TOPICS = statement('tenant-defaults-topics', 'select topic_id from preference_topics where workspace_id = $1 and topic_id = any($2)');
const REMOVE_ALL = statement(
  'tenant-defaults-remove-all',
  'delete from tenant_default_preferences where workspace_id = $1 and tenant_id = $2',
);
/** Channels travel as text, `email,push`, since arrays of arrays must be rectangular; no channel's name has a comma. */
const UPSERT = statement(
  'tenant-defaults-upsert',
  `insert into tenant_default_preferences (workspace_id, tenant_id, topic_id, status, has_custom_routing, custom_routing)
   select $1, $2, item.topic_id, item.status, item.has_custom_routing, string_to_array(item.custom_routing, ',')
     from unnest($3::text[], $4::text[], $5::boolean[], $6::text[]) as item (topic_id, status, has_custom_routing, custom_routing)
   on conflict (workspace_id, tenant_id, topic_id) do update set
     status = excluded.status, has_custom_routing = excluded.has_custom_routing, custom_routing = excluded.custom_routing`,
);
const SOME = statement(
  'tenant-defaults-some',
  'select topic_id from tenant_default_preferences where workspace_id = $1 and tenant_id = $2 limit $3',
);
const REMOVE = statement(
  'tenant-defaults-remove',
  `delete from tenant_default_preferences item where item.workspace_id = $1 and item.tenant_id = $2 and item.topic_id = $3
    and exists (select from preference_topics topic where topic.workspace_id = item.workspace_id and topic.topic_id = item.topic_id)`,
);

/** Under a lock of the tenant's row. @throws ServiceError `invalid_request` naming a topic that does not exist. */
export async function replaceDefaults(tx: Transaction, tenant: TenantRef, items: readonly DefaultPreferenceItem[]): Promise<void> {
  const missing = await missingTopic(
    tx,
    tenant.workspaceId,
    items.map(({ id }) => id),
  );
  if (missing !== undefined) {
    throw new ServiceError('invalid_request', `default_preferences names topic ${missing}, which does not exist`);
  }
  await removeDefaults(tx, tenant);
  if (items.length > 0)
    await store(
      tx,
      tenant,
      items.map(({ id, ...preference }) => toRow(id, preference)),
    );
}

/** Under a lock of the tenant's row. @throws ServiceError `not_found` when the topic does not exist. */
export async function storeDefault(tx: Transaction, tenant: TenantRef, topicId: string, preference: DefaultPreference): Promise<void> {
  if ((await missingTopic(tx, tenant.workspaceId, [topicId])) !== undefined) {
    throw new ServiceError('not_found', `Topic ${topicId} does not exist`);
  }
  await store(tx, tenant, [toRow(topicId, preference)]);
  const stored = await tx.query(SOME, [tenant.workspaceId, tenant.tenantId, TENANT_DEFAULTS_MAX + 1]);
  if (stored.length > TENANT_DEFAULTS_MAX) {
    throw new ServiceError('invalid_request', `Tenant ${tenant.tenantId} would have more than ${TENANT_DEFAULTS_MAX} default preferences`);
  }
}

/** @returns the number of removed defaults, 0 or 1. A default for a deleted topic counts as absent: it is not shown either. */
export function removeDefault(tx: Transaction, { workspaceId, tenantId }: TenantRef, topicId: string): Promise<number> {
  return tx.execute(REMOVE, [workspaceId, tenantId, topicId]);
}

export async function removeDefaults(tx: Transaction, { workspaceId, tenantId }: TenantRef): Promise<void> {
  await tx.execute(REMOVE_ALL, [workspaceId, tenantId]);
}

async function store(tx: Transaction, { workspaceId, tenantId }: TenantRef, rows: readonly TenantDefaultRow[]): Promise<void> {
  await tx.execute(UPSERT, [
    workspaceId,
    tenantId,
    rows.map(({ topic_id }) => topic_id),
    rows.map(({ status }) => status),
    rows.map(({ has_custom_routing }) => has_custom_routing),
    rows.map(({ custom_routing }) => custom_routing.join(',')),
  ]);
}

async function missingTopic(tx: Transaction, workspaceId: string, topicIds: readonly string[]): Promise<string | undefined> {
  if (topicIds.length === 0) return undefined;
  const existing = new Set((await tx.query<{ topic_id: string }>(TOPICS, [workspaceId, topicIds])).map(({ topic_id }) => topic_id));
  return topicIds.find((id) => !existing.has(id));
}

/** Named channels count, unless `has_custom_routing` is false. */
function toRow(topic_id: string, { status, custom_routing, has_custom_routing }: DefaultPreference): TenantDefaultRow {
  const channels = channelsOf(custom_routing);
  return { topic_id, status, has_custom_routing: has_custom_routing ?? channels.length > 0, custom_routing: channels };
}
