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

it('names the addresses of the profile and of those in tenants before it removes them', async () => {
  const { context } = await createUser('ada-4');
  const user = { user_id: 'ada-4' };
  await identity.call(profiles.replace, context, { ...user, profile: { email: 'ada@example.com' } });
  await identity.call(userTenants.add, context, { ...user, tenant_id: 'acme', profile: { email: 'ada@acme.example' } });
  const addresses = async () => (await identity.call(identityErasure.addresses, context, user)).addresses.sort();

  expect(await addresses()).toEqual(['ada@acme.example', 'ada@example.com']);
  await erase('ada-4', context);
  expect(await addresses()).toEqual([]);
});

it('removes all stored data of a user, publishes tombstones for the copies, and can be repeated', async () => {
  const { context, key } = await createUser('ada-1');

  expect(await erase('ada-1', context)).toEqual({
    done: true,
    removed: { profiles: 1, tokens: 1, preferences: 1, recipient_preferences: 1, tenants: 1 },
  });

  const lastOf = (topic: string) => published.findLast((event) => event.topic === topic && event.key === key);
  for (const { topic } of [profileChanged, membershipsChanged]) {
    await waitUntil(() => lastOf(topic)?.payload === null, { what: `the tombstone on ${topic}` });
  }
  await waitUntil(async () => !(await tablesWith('ada-1')).includes('outbox'), { what: 'the published events to leave the outbox' });
  expect(await tablesWith('ada-1')).toEqual([]);
  expect(await tablesWith(NAME)).toEqual([]);
  expect((await erase('ada-1', context)).removed).toEqual({ profiles: 0, tokens: 0, preferences: 0, recipient_preferences: 0, tenants: 0 });
});

describeWorkspaceIsolation('A user', {
  arrange: async (owner) => void (await identity.call(profiles.replace, owner, { user_id: 'ada-2', profile: { name: 'Ada' } })),
  read: (owner) => identity.call(profiles.retrieve, owner, { user_id: 'ada-2' }),
  attempts: { erasing: { attempt: (stranger) => erase('ada-2', stranger) } },
});
