import { randomUUID } from 'node:crypto';
import { identityErasure } from '@tidings/contracts/identity/erasure';
import { membershipsChanged, profileChanged } from '@tidings/contracts/identity/events';
import { profiles } from '@tidings/contracts/identity/profiles';
import { userTenants } from '@tidings/contracts/identity/user-tenants';
import { userTokens } from '@tidings/contracts/identity/user-tokens';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { type RunningIdentity, startIdentity } from '../testing/start-identity';

const NAME = 'Lovelace';

let identity: RunningIdentity;
const published: { topic: string; key: string; payload: unknown }[] = [];
beforeAll(async () => {
  identity = await startIdentity();
  for (const event of [profileChanged, membershipsChanged]) {
    await identity.events.broadcast<object>(
      event as never,
      ({ key, payload }) => void published.push({ topic: event.topic, key, payload }),
    );
  }
});
afterAll(() => identity.stop());

const erase = (user_id: string, context: ReturnType<typeof contextOf>) => identity.call(identityErasure.erase, context, { user_id });

/** Creates a user with a row in every table that stores users. */
async function createUser(user_id: string) {
  const context = contextOf(randomUUID());
  await identity.call(profiles.replace, context, { user_id, profile: { name: NAME } });
  await identity.call(userTokens.put, context, { user_id, token: `${NAME}-${randomUUID()}`, body: { provider_key: 'apn' } });
  await identity.call(userTenants.add, context, { user_id, tenant_id: 'acme', profile: { name: NAME } });
  const key = [context.workspaceId, user_id];
  await identity.sql(
    `insert into user_preferences (workspace_id, user_id, tenant_id, topic_id, has_custom_routing, custom_routing) values ($1, $2, '', 'news', false, '{}')`,
    key,
  );
  await identity.sql('insert into recipient_preferences (workspace_id, user_id, preferences) values ($1, $2, $3)', [
    ...key,
    { note: NAME },
  ]);
  await identity.sql(
    `insert into preference_changes (workspace_id, change_id, at, user_id, tenant_id, topic_id, topic_name, source, status, has_custom_routing, custom_routing)
     values ($1, gen_random_uuid(), now(), $2, '', 'news', 'News', 'api', 'OPTED_OUT', false, '{}')`,
    key,
  );
  return { context, key: key.join(':') };
}

/** Names of the tables that contain a text in any column. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await identity.sql<{ name: string }>(
    `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' order by relname`,
    [],
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await identity.sql(`select from ${name} as one where strpos(one::text, $1) > 0 limit 1`, [text]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

it('names the addresses of the profile, of those in tenants and of devices before it removes them', async () => {
  const { context } = await createUser('ada-4');
  const user = { user_id: 'ada-4' };
  await identity.call(profiles.replace, context, { ...user, profile: { email: 'ada@example.com', phone_number: '+1 555 010 0000' } });
  await identity.call(userTenants.add, context, { ...user, tenant_id: 'acme', profile: { email: 'ada@acme.example' } });
  const found = async () => {
    const { addresses, ...others } = await identity.call(identityErasure.addresses, context, user);
    return { addresses: addresses.sort(), ...others };
  };

  expect(await found()).toEqual({
    addresses: ['ada@acme.example', 'ada@example.com'],
    phone_numbers: ['+1 555 010 0000'],
    tokens: [expect.any(String)],
  });
  await erase('ada-4', context);
  expect(await found()).toEqual({ addresses: [], phone_numbers: [], tokens: [] });
});

it('removes all stored data of a user, publishes tombstones for the copies, and can be repeated', async () => {
  const { context, key } = await createUser('ada-1');

  expect(await erase('ada-1', context)).toEqual({
    done: true,
    removed: { profiles: 1, tokens: 1, preferences: 1, recipient_preferences: 1, preference_changes: 1, tenants: 1 },
  });

  const lastOf = (topic: string) => published.findLast((event) => event.topic === topic && event.key === key);
  for (const { topic } of [profileChanged, membershipsChanged]) {
    await waitUntil(() => lastOf(topic)?.payload === null, { what: `the tombstone on ${topic}` });
  }
  await waitUntil(async () => !(await tablesWith('ada-1')).includes('outbox'), { what: 'the published events to leave the outbox' });
  expect(await tablesWith('ada-1')).toEqual([]);
  expect(await tablesWith(NAME)).toEqual([]);
  const { removed } = await erase('ada-1', context);
  expect(Object.values(removed)).toEqual(Object.values(removed).map(() => 0));
});

it('publishes nothing of an id that never existed, which a tombstone would store', async () => {
  const context = contextOf(randomUUID());
  const key = `${context.workspaceId}:ada-5`;
  await erase('ada-5', context);
  await identity.call(profiles.replace, context, { user_id: 'ada-5', profile: { name: NAME } });
  await waitUntil(() => published.some((event) => event.key === key));

  expect(published.filter((event) => event.key === key).map(({ payload }) => payload)).toEqual([
    { workspaceId: context.workspaceId, userId: 'ada-5', profile: { name: NAME } },
  ]);
});

describeWorkspaceIsolation('A user', {
  arrange: async (owner) => void (await identity.call(profiles.replace, owner, { user_id: 'ada-2', profile: { name: 'Ada' } })),
  read: (owner) => identity.call(profiles.retrieve, owner, { user_id: 'ada-2' }),
  attempts: { erasing: { attempt: (stranger) => erase('ada-2', stranger) } },
});
