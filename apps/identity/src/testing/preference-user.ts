import { randomUUID } from 'node:crypto';
import type { PreferenceStatus } from '@tidings/contracts/core/preferences';
import { type BulkTopic, type TopicChoice, userPreferences } from '@tidings/contracts/identity/user-preferences';
import { buildTopic } from './build-topic';
import { contextOf } from '@tidings/testing/context-of';
import type { RunningIdentity } from './start-identity';

/** A user of a workspace of its own, with calls that choose and read preferences. */
export function newPreferenceUser({ call, sql }: RunningIdentity, user_id = 'ada') {
  const context = contextOf(randomUUID());
  return {
    context,
    topic: (default_status: PreferenceStatus = 'OPTED_IN', name = 'Order updates') => buildTopic(call, context, { default_status, name }),
    list: async (tenant_id?: string) => (await call(userPreferences.list, context, { user_id, tenant_id })).items,
    shown: async (topic_id: string, tenant_id?: string) =>
      (await call(userPreferences.retrieve, context, { user_id, topic_id, tenant_id })).topic,
    put: (topic_id: string, topic: TopicChoice, tenant_id?: string) =>
      call(userPreferences.put, context, { user_id, topic_id, topic, tenant_id }),
    remove: (topic_id: string, tenant_id?: string) => call(userPreferences.remove, context, { user_id, topic_id, tenant_id }),
    replace: (topics: BulkTopic[], tenant_id?: string) => call(userPreferences.replace, context, { user_id, topics, tenant_id }),
    upsert: (topics: BulkTopic[], tenant_id?: string) => call(userPreferences.upsert, context, { user_id, topics, tenant_id }),
    tenant: (tenant_id: string, parent: string | null = null) =>
      sql('insert into tenants (workspace_id, tenant_id, parent_tenant_id, name) values ($1, $2, $3, $2)', [
        context.workspaceId,
        tenant_id,
        parent,
      ]),
    tenantDefault: (tenant_id: string, topic_id: string, status: PreferenceStatus, channels: string[] = []) =>
      sql(
        `insert into tenant_default_preferences (workspace_id, tenant_id, topic_id, status, has_custom_routing, custom_routing)
         values ($1, $2, $3, $4, $5, $6)`,
        [context.workspaceId, tenant_id, topic_id, status, channels.length > 0, channels],
      ),
  };
}
