import { randomUUID } from 'node:crypto';
import type { Actor } from '@tidings/contracts/core/audit';
import { type CallContext, SYSTEM_WORKSPACE_ID, systemContext } from '@tidings/contracts/core/context';
import { type AuditEvent, auditEvents, type AuditRecord, auditRecorded } from '@tidings/contracts/identity/audit-events';
import { eventTopics } from '@tidings/contracts/identity/event-topics';
import { identityErasure } from '@tidings/contracts/identity/erasure';
import { preferenceSections } from '@tidings/contracts/identity/preference-sections';
import { preferenceTopics } from '@tidings/contracts/identity/preference-topics';
import { type ProfileFields, profiles } from '@tidings/contracts/identity/profiles';
import { tenants } from '@tidings/contracts/identity/tenants';
import { userPreferences } from '@tidings/contracts/identity/user-preferences';
import { userTenants } from '@tidings/contracts/identity/user-tenants';
import { userTokens } from '@tidings/contracts/identity/user-tokens';
import { encodeCursor } from '@tidings/persistence/cursor';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { buildWorkspace, createKey, type RunningIdentity, sharedIdentity } from '../testing/start-identity';

const KEY: Actor = { type: 'api-key', id: randomUUID() };

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await sharedIdentity();
});

const newCaller = (actor: Actor = KEY): CallContext => ({ ...contextOf(randomUUID()), actor });

/** The workspace's events, oldest first. */
async function eventsOf({ workspaceId }: CallContext): Promise<AuditEvent[]> {
  return (await identity.call(auditEvents.list, contextOf(workspaceId), {})).results.toReversed();
}

async function changesOf(caller: CallContext): Promise<[type: string, target: string | undefined, before: string[], after: string[]][]> {
  return (await eventsOf(caller)).map(({ type, target, changes }) => [type, target.id, changes!.before, changes!.after]);
}

it('name the fields that a change added, changed and removed', async () => {
  const caller = newCaller();
  const put = (profile: ProfileFields): Promise<unknown> => identity.call(profiles.replace, caller, { user_id: 'ada', profile });
  await put({ email: 'ada@example.com', name: 'Ada', address: { city: 'London' } });
  await put({ email: 'ada@example.org', phone_number: '+1', address: { city: 'London' } });
  await identity.call(profiles.remove, caller, { user_id: 'ada' });

  const names = ['profile.address', 'profile.email', 'profile.name'];
  expect(await changesOf(caller)).toEqual([
    ['user:profile-changed', 'ada', [], names],
    ['user:profile-changed', 'ada', ['profile.email', 'profile.name'], ['profile.email', 'profile.phone_number']],
    ['user:profile-deleted', 'ada', ['profile.address', 'profile.email', 'profile.phone_number'], []],
  ]);
  const [event] = await eventsOf(caller);
  expect(event).toMatchObject({ actor: KEY, operation: 'identity.profiles.replace' });
});

it('name the key of the caller and its last characters', async () => {
  const { workspace_id, key } = await buildWorkspace(identity);
  const named = await createKey(identity, contextOf(workspace_id), { mode: 'production', name: 'shop' });
  const other = await buildWorkspace(identity);
  for (const id of [named.key_id, other.key_id]) {
    await identity.call(profiles.merge, { ...contextOf(workspace_id), actor: { type: 'api-key', id } }, { user_id: 'ada', profile: {} });
  }

  const events = await eventsOf(contextOf(workspace_id));
  expect(events.slice(-2).map(({ actor }) => actor)).toEqual([
    { type: 'api-key', id: named.key_id, name: 'shop', hint: named.key.slice(-4) },
    { type: 'api-key', id: other.key_id },
  ]);
  expect(JSON.stringify(events)).not.toContain(key);
});

it('name rows of a user by their topic and tenant, and push tokens not at all', async () => {
  const caller = newCaller();
  const { id: section_id } = await identity.call(preferenceSections.create, caller, { name: 'News', routing_options: [] });
  const topic = { name: 'Weekly', default_status: 'OPTED_IN' } as const;
  const { id: topic_id } = await identity.call(preferenceTopics.create, caller, { section_id, ...topic });
  await identity.call(tenants.replace, caller, { tenant_id: 'acme', name: 'Acme' });
  const user = { user_id: 'ada' };
  await identity.call(userTenants.add, caller, { ...user, tenant_id: 'acme', profile: {} });
  await identity.call(userTokens.put, caller, { ...user, token: 'a-secret-token', body: { provider_key: 'apn' } });
  await identity.call(userPreferences.put, caller, { ...user, topic_id, topic: { status: 'OPTED_OUT' } });
  await identity.call(userPreferences.remove, caller, { ...user, topic_id });

  const topicName = `preferences.${topic_id}`;
  const events = await changesOf(caller);
  expect(events.slice(0, 3).map(([type, target]) => [type, target])).toEqual([
    ['preference-section:created', section_id],
    ['preference-topic:created', topic_id],
    ['tenant:replaced', 'acme'],
  ]);
  expect(events.slice(3)).toEqual([
    ['user:tenants-changed', 'ada', [], expect.arrayContaining(['tenants.acme'])],
    ['user:tokens-changed', 'ada', [], ['tokens']],
    ['user:preferences-changed', 'ada', [], [topicName]],
    ['user:preferences-changed', 'ada', [topicName], []],
  ]);
  expect(JSON.stringify(events)).not.toContain('a-secret-token');
});

it('are not recorded for a call that fails, nor for one that no credential made, nor twice for one that is delivered twice', async () => {
  const caller = newCaller();
  const invalid = { user_id: 'ada', patch: [{ op: 'test', path: '/name', value: 'Bo' }] } as never;
  await expect(identity.call(profiles.patch, caller, invalid)).rejects.toThrow();
  await identity.call(profiles.replace, contextOf(caller.workspaceId), { user_id: 'ada', profile: {} });
  expect(await eventsOf(caller)).toEqual([]);

  const again = identity.redelivered();
  for (const call of [again, again]) await call(profiles.merge, caller, { user_id: 'ada', profile: { name: 'Ada' } });
  expect(await changesOf(caller)).toEqual([['user:profile-changed', 'ada', [], ['profile.name']]]);
});

it('have at most 100 names on a side', async () => {
  const caller = newCaller();
  const profile = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`field-${index}`, index]));
  await identity.call(profiles.replace, caller, { user_id: 'ada', profile });

  expect((await changesOf(caller))[0]![3]).toHaveLength(100);
});

it('of other services are stored once, however often they are delivered', async () => {
  const { workspaceId } = newCaller();
  const record: AuditRecord = {
    workspaceId,
    id: randomUUID(),
    at: '2026-03-01T10:00:00.123456Z',
    type: 'brand:created',
    operation: 'content.brands.create',
    actor: KEY,
    targetId: 'acme',
    before: [],
    after: ['name'],
  };
  const other = { ...record, id: randomUUID(), at: '2026-03-01T10:00:00.123457Z' };
  for (const payload of [record, record, other]) await identity.events.append(auditRecorded, [{ id: randomUUID(), payload }]);

  await waitUntil(async () => (await eventsOf(contextOf(workspaceId))).some(({ auditEventId }) => auditEventId === other.id), {
    what: 'the last record',
  });
  expect(await eventsOf(contextOf(workspaceId))).toEqual([
    {
      auditEventId: record.id,
      source: 'tidings',
      timestamp: '2026-03-01T10:00:00.123Z',
      type: 'brand:created',
      operation: 'content.brands.create',
      actor: KEY,
      target: { id: 'acme' },
      changes: { before: [], after: ['name'] },
    },
    expect.objectContaining({ auditEventId: other.id }),
  ]);
});

it('of the whole installation are stored in every workspace, once for all pages and steps', async () => {
  const workspaces = [await buildWorkspace(identity), await buildWorkspace(identity)].map(({ workspace_id }) => contextOf(workspace_id));
  const actor: Actor = { type: 'operator', id: 'alice' };
  const operator: CallContext = { ...systemContext(randomUUID()), actor };
  for (const operation of [eventTopics.republishProfiles, eventTopics.republishMemberships]) await identity.call(operation, operator, {});
  const cursor = encodeCursor('profiles', [SYSTEM_WORKSPACE_ID, 'ada']);
  await identity.call(eventTopics.republishProfiles, operator, { cursor });
  const payload: AuditRecord = {
    workspaceId: SYSTEM_WORKSPACE_ID,
    id: randomUUID(),
    at: '2126-03-01T10:00:00.123456Z',
    type: 'secrets:resealed',
    operation: 'content.secrets.reseal',
    actor,
    targetId: '0123456789abcdef',
    before: [],
    after: [],
  };
  for (const id of ['first', 'again']) await identity.events.append(auditRecorded, [{ id: `${id}-${randomUUID()}`, payload }]);

  for (const workspace of workspaces) {
    await waitUntil(async () => (await changesOf(workspace)).filter(([type]) => type !== 'api-key:created').length >= 3);
    expect((await changesOf(workspace)).slice(-3)).toEqual([
      ['events:republished', 'tidings.profiles.v1', [], []],
      ['events:republished', 'tidings.memberships.v1', [], []],
      ['secrets:resealed', '0123456789abcdef', [], []],
    ]);
    expect((await eventsOf(workspace)).at(-1)).toMatchObject({ actor, operation: 'content.secrets.reseal' });
  }
});

it('of an erased user name the user no more, and those of others stay', async () => {
  const token: Actor = { type: 'token', id: randomUUID(), users: ['ada', 'bob'] };
  const caller = newCaller(token);
  for (const user_id of ['ada', 'bob']) await identity.call(profiles.replace, caller, { user_id, profile: {} });
  const operator: Actor = { type: 'operator', id: 'alice' };
  await identity.call(identityErasure.erase, { ...caller, actor: operator }, { user_id: 'ada' });

  const [ada, bob, erasure] = await eventsOf(caller);
  const erased = expect.stringMatching(/^erased:[0-9a-f]{64}$/) as string;
  expect(erasure).toMatchObject({ type: 'user:erased', actor: operator, target: { id: erased } });
  const byOperator: CallContext = { ...caller, actor: operator };
  for (const repeated of [true, true, false]) await identity.call(identityErasure.erase, byOperator, { user_id: 'ada', repeated });
  expect(await eventsOf(caller)).toHaveLength(4); // that of the last call, which may be another erasure
  await identity.call(profiles.replace, contextOf(caller.workspaceId), { user_id: 'ada', profile: { name: 'Ada' } });
  await identity.call(identityErasure.erase, byOperator, { user_id: 'ada', repeated: true });
  expect((await changesOf(caller)).slice(4)).toEqual([['user:erased', erasure!.target.id, ['profile.name'], []]]);
  expect([ada!.target, bob!.target]).toEqual([erasure!.target, { id: 'bob' }]);
  for (const { actor } of [ada!, bob!]) expect(actor.users).toEqual(['bob', erasure!.target.id]);
});
