import { randomUUID } from 'node:crypto';
import { preferenceSections } from '@tidings/contracts/identity/preference-sections';
import { preferenceTopics } from '@tidings/contracts/identity/preference-topics';
import { recipientPreferences } from '@tidings/contracts/identity/recipient-preferences';
import { userPreferences } from '@tidings/contracts/identity/user-preferences';
import { Database } from '@tidings/persistence/database';
import { contextOf } from '@tidings/testing/context-of';
import { expectIndexed } from '@tidings/testing/explain';
import { runsOf } from '@tidings/testing/runs-of';
import { type RunningIdentity, startIdentity } from '../testing/start-identity';
import { preferencesOfMany, topicsById, topicsOfWorkspaces } from './preferences-of-many';

const USERS = 20_000;
const context = contextOf(randomUUID());
const { workspaceId } = context;
const fields = { name: 'News', default_status: 'OPTED_IN' as const };

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await startIdentity();
  await fill();
});
afterAll(() => identity.stop());

/** One workspace with the maximum of topics and many users, beside twenty others. */
async function fill(): Promise<void> {
  const workspaces = `(select $1::uuid as workspace_id union all select gen_random_uuid() from generate_series(1, 20)) workspace`;
  for (const insert of [
    `insert into preference_sections (workspace_id, section_id, name, has_custom_routing, routing_options, bytes)
     select workspace.workspace_id, 'sct_' || number, 'Section', false, '{}', 400 from generate_series(1, 100) number, ${workspaces}`,
    `insert into preference_topics (workspace_id, section_id, topic_id, name, default_status, allowed_preferences,
                                    include_unsubscribe_header, routing_options, topic_data, bytes)
     select workspace.workspace_id, 'sct_' || number % 100, 'tpc_' || number, 'Topic', 'OPTED_IN', '{}', false, '{}', '{}', 400
       from generate_series(1, 1000) number, ${workspaces}`,
    `insert into preference_pages (workspace_id, page_id, published_version, published_at)
     select gen_random_uuid(), 'pge_' || number, 1, now() from generate_series(1, ${USERS}) number where $1::uuid is not null`,
    `insert into audit_events (workspace_id, audit_event_id, at, type, actor_id)
     select $1, gen_random_uuid(), now(), case number % 100 when 0 then 'preference-topic:deleted' else 'brand:created' end, 'k-1'
       from generate_series(1, ${USERS}) number`,
    `insert into user_preferences (workspace_id, user_id, tenant_id, topic_id, status, has_custom_routing, custom_routing)
     select $1, 'user ' || number, tenant, 'tpc_1', 'OPTED_OUT', false, '{}' from generate_series(1, ${USERS}) number, unnest('{"",acme}'::text[]) tenant`,
    `insert into recipient_preferences (workspace_id, user_id, preferences)
     select $1, 'user ' || number, '{}' from generate_series(1, ${USERS}) number`,
    `insert into tenants (workspace_id, tenant_id, parent_tenant_id, name)
     select $1, 'tenant ' || number, 'tenant ' || number / 2, 'Tenant' from generate_series(1, ${USERS}) number`,
    `insert into tenant_default_preferences (workspace_id, tenant_id, topic_id, status, has_custom_routing, custom_routing)
     select $1, 'tenant ' || number, 'tpc_' || topic, 'OPTED_OUT', false, '{}' from generate_series(1, ${USERS}) number, generate_series(1, 2) topic`,
  ]) {
    await identity.sql(insert, [workspaceId]);
  }
  await identity.sql('analyze', []);
}

const [user_id, recipient_id, section_id, topic_id, tenant_id] = ['user 7', 'user 7', 'sct_7', 'tpc_1', 'tenant 10001'];

describe.each<[string, () => Promise<unknown>]>([
  ['listing sections', () => call(preferenceSections.list, context, {})],
  ['getting a section', () => call(preferenceSections.retrieve, context, { section_id })],
  ['creating a section', () => call(preferenceSections.create, context, { name: 'New' })],
  ['replacing a section', () => call(preferenceSections.replace, context, { section_id, name: 'New' })],
  [
    'deleting a section',
    async () => {
      const { id } = await call(preferenceSections.create, context, { name: 'New' });
      await call(preferenceSections.remove, context, { section_id: id });
    },
  ],
  ['publishing', () => call(preferenceSections.publish, context, {})],
  ['getting the publication', () => call(preferenceSections.publication, context, {})],
  ['listing topics', () => call(preferenceTopics.list, context, { section_id })],
  ['replacing a topic', () => call(preferenceTopics.replace, context, { section_id: 'sct_1', topic_id, ...fields })],
  [
    'creating, getting and deleting a topic',
    async () => {
      const { id } = await call(preferenceTopics.create, context, { section_id, ...fields });
      await call(preferenceTopics.retrieve, context, { section_id, topic_id: id });
      await call(preferenceTopics.remove, context, { section_id, topic_id: id });
    },
  ],
  ['listing preferences', () => call(userPreferences.list, context, { user_id, tenant_id })],
  ['getting a preference', () => call(userPreferences.retrieve, context, { user_id, topic_id, tenant_id })],
  ['putting a preference', () => call(userPreferences.put, context, { user_id, topic_id, tenant_id, status: 'OPTED_IN' })],
  ['removing a preference', () => call(userPreferences.remove, context, { user_id, topic_id, tenant_id })],
  ['replacing preferences', () => call(userPreferences.replace, context, { user_id, topics: [{ topic_id: 'tpc_2', status: 'OPTED_IN' }] })],
  ['setting preferences', () => call(userPreferences.upsert, context, { user_id, topics: [{ topic_id, status: 'OPTED_IN' }] })],
  ['the catalogue', () => call(recipientPreferences.catalogue, context, {})],
  [
    'the older form',
    async () => {
      await call(recipientPreferences.replace, context, { recipient_id });
      await call(recipientPreferences.patch, context, { recipient_id, patch: [] });
      await call(recipientPreferences.retrieve, context, { recipient_id });
    },
  ],
  [
    'the preferences of a thousand users',
    () =>
      preferencesOfMany(
        identity.get(Database),
        Array.from({ length: 1_000 }, (_, n) => ({ workspaceId, userId: `user ${n}`, topicId: topic_id })),
      ),
  ],
  ['the topics of workspaces', () => topicsOfWorkspaces(identity.get(Database), [workspaceId, randomUUID()])],
  ['topics by id', () => topicsById(identity.get(Database), [{ workspaceId, topicId: topic_id }])],
])('%s', (_, work) => {
  it('scans no whole table', async () => {
    const runs = await runsOf(work);

    expect(runs.length).toBeGreaterThan(0);
    for (const [statement, values] of runs) await expectIndexed(identity.sql, statement, values);
  });
});
