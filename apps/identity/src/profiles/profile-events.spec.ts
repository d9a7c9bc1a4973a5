import { randomBytes, randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { auditEvents } from '@tidings/contracts/identity/audit-events';
import { profileChanged } from '@tidings/contracts/identity/events';
import {
  type PatchOperation,
  PROFILE_BYTES_MAX,
  type ProfileFields,
  profiles,
  USER_ID_LENGTH_MAX,
} from '@tidings/contracts/identity/profiles';
import { recipients } from '@tidings/contracts/identity/recipients';
import { tenants } from '@tidings/contracts/identity/tenants';
import { identitySecrets } from '@tidings/contracts/identity/secrets';
import { userTenants } from '@tidings/contracts/identity/user-tenants';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { keyIdOf } from '@tidings/runtime/secret-box';
import { databaseText } from '@tidings/testing/database-text';
import { waitUntil } from '@tidings/testing/wait-until';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, startIdentity } from '../testing/start-identity';

const END = 'the end';

let identity: RunningIdentity;
let log: PostgresEventLog;
const received: { key: string; payload: { profile: ProfileFields } | null }[] = [];

beforeAll(async () => {
  identity = await startIdentity({ secretKeys: [randomBytes(32)] });
  log = await PostgresEventLog.connect({ databaseUrl: identity.adminUrl, applicationName: 'audience-spec', maintenanceIntervalMs: null });
  await log.broadcast(profileChanged, ({ key, payload }) => void received.push({ key, payload }));
});
afterAll(async () => {
  await identity.stop();
  await log.close();
});

/** A user of a new workspace. */
function newUser(user_id = 'ada') {
  const context = contextOf(randomUUID());
  const { call } = identity;
  const key = `${context.workspaceId}:${user_id}`;
  return {
    context,
    merge: (profile: ProfileFields) => call(profiles.merge, context, { user_id, profile }),
    replace: (profile: ProfileFields) => call(profiles.replace, context, { user_id, profile }),
    patch: (...patch: PatchOperation[]) => call(profiles.patch, context, { user_id, patch }),
    remove: () => call(profiles.remove, context, { user_id }),
    load: () => call(recipients.load, systemContext(randomUUID()), { recipients: [{ workspace_id: context.workspaceId, user_id }] }),
    /** The published events of the profile, in order; writes a last change itself to know the end. */
    published: async (): Promise<(ProfileFields | null)[]> => {
      await call(profiles.replace, context, { user_id, profile: { [END]: true } });
      const events = () => received.filter((event) => event.key === key).map(({ payload }) => payload?.profile ?? null);
      await waitUntil(() => events().some((profile) => profile && END in profile), { what: `the last change of ${user_id}` });
      return events().slice(0, -1);
    },
  };
}

it('publishes every change with the whole profile, and a deletion', async () => {
  const ada = newUser();

  await ada.merge({ a: 1 });
  await ada.merge({ b: { c: 2 } });
  await ada.replace({ b: {} });
  await ada.patch({ op: 'add', path: '/d', value: [3] });
  await ada.remove();
  await ada.replace({ e: 4 });

  await expect(ada.published()).resolves.toEqual([{ a: 1 }, { a: 1, b: { c: 2 } }, { b: {} }, { b: {}, d: [3] }, null, { e: 4 }]);
});

it('publishes nothing without a change', async () => {
  const ada = newUser();
  await ada.replace({ a: 1, b: { c: 2 } });

  await ada.replace({ b: { c: 2 }, a: 1 });
  await ada.merge({ b: { c: 2 } });
  await ada.patch();
  await ada.patch({ op: 'add', path: '/a', value: 1 });
  await expect(ada.patch({ op: 'remove', path: '/missing' })).rejects.toMatchObject({ code: 'invalid_request' });

  await expect(ada.published()).resolves.toEqual([{ a: 1, b: { c: 2 } }]);
});

it('publishes nothing for the deletion of a missing profile', async () => {
  const ada = newUser();

  await ada.remove();

  await expect(ada.published()).resolves.toEqual([]);
});

it('does not publish the empty profile that a send creates for an unknown user, until a caller writes it', async () => {
  const [ada, grace] = [newUser('ada'), newUser('grace')];

  await ada.load();
  await expect(ada.published()).resolves.toEqual([]);

  await grace.load();
  await grace.replace({});
  await expect(grace.published()).resolves.toEqual([{}]);
});

it('publishes concurrent changes in the order of their commits', async () => {
  const ada = newUser();

  await Promise.all(Array.from({ length: 30 }, (_, index) => ada.merge({ [`field${index}`]: index })));

  const published = await ada.published();
  expect(published.map((profile) => Object.keys(profile ?? {}).length)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
});

it('publishes the stored profile last when writes, patches and deletions race', async () => {
  const ada = newUser();
  const kinds = [
    (n: number) => ada.merge({ n }),
    (n: number) => ada.replace({ n, whole: true }),
    () => ada.remove(),
    (n: number) => ada.patch({ op: 'add', path: '/patched', value: n }).catch(() => undefined), // there may be no profile
  ];
  await Promise.all(Array.from({ length: 40 }, (_, n) => kinds[n % kinds.length]!(n)));
  const stored = await identity.call(profiles.retrieve, ada.context, { user_id: 'ada' }).catch(() => null);

  expect((await ada.published()).at(-1)).toEqual(stored?.profile ?? null);
});

it('publishes a command once that a transport delivers twice', async () => {
  const ada = newUser();
  const redelivered = identity.redelivered();

  for (const n of [1, 2]) {
    await redelivered(profiles.merge, ada.context, { user_id: 'ada', profile: { n } });
  }

  await expect(ada.published()).resolves.toEqual([{ n: 1 }]);
});

it('publishes the largest profile of the user with the longest id', async () => {
  const ada = newUser('€'.repeat(USER_ID_LENGTH_MAX));
  const frame = '{"a":""}'.length;
  const largest = { a: '"'.repeat((PROFILE_BYTES_MAX - frame) / 2) }; // every character is escaped

  await ada.replace(largest);

  await expect(ada.published()).resolves.toEqual([largest]);
});

describe('credentials in profiles', () => {
  const marker = randomUUID();
  const credentials = { slack: { channel: 'C1', access_token: marker }, webhook: { headers: { 'x-key': marker } } };

  it('are answered as they were written, and stored and published nowhere in clear', async () => {
    const ada = newUser();
    const { context } = ada;
    const tenant = { tenant_id: 'acme', name: 'Acme', user_profile: credentials };
    const again = identity.redelivered();

    await ada.merge(credentials);
    await ada.merge({ webhook: { url: `https://example.com/${marker}` } });
    await ada.patch(
      { op: 'test', path: '/slack/access_token', value: marker },
      { op: 'move', from: '/slack', path: '/pagerduty' },
      { op: 'move', from: '/pagerduty/access_token', path: '/pagerduty/routing_key' },
    );
    await identity.call(userTenants.add, context, { user_id: 'ada', tenant_id: 'acme', profile: credentials });
    const answers = [await again(tenants.replace, context, tenant), await again(tenants.replace, context, tenant)];

    expect(answers).toMatchObject([tenant, tenant].map(({ user_profile }) => ({ user_profile })));
    await expect(identity.call(profiles.retrieve, context, { user_id: 'ada' })).resolves.toEqual({
      profile: {
        pagerduty: { channel: 'C1', routing_key: marker },
        webhook: { url: `https://example.com/${marker}`, headers: { 'x-key': marker } },
      },
    });
    await expect(identity.call(tenants.retrieve, context, { tenant_id: 'acme' })).resolves.toMatchObject({ user_profile: credentials });
    await expect(identity.call(tenants.users, context, { tenant_id: 'acme' })).resolves.toMatchObject({
      items: [{ profile: credentials }],
    });
    await expect(ada.published()).resolves.toContainEqual({ pagerduty: { channel: 'C1' }, webhook: { headers: {} } });
    expect(await databaseText(identity.adminUrl)).not.toContain(marker);
  });

  it('that were stored in clear are sealed on request, and published once more without them', async () => {
    const ada = newUser();
    const { context } = ada;
    await ada.replace({ name: 'Ada' });
    await identity.call(tenants.replace, context, { tenant_id: 'acme', name: 'Acme' });
    await identity.call(userTenants.add, context, { user_id: 'ada', tenant_id: 'acme' });
    const inClear = JSON.stringify({ slack: { access_token: 'stored early' } });
    for (const [table, column] of ['profiles profile', 'user_tenants profile', 'tenants user_profile'].map((one) => one.split(' ')))
      await identity.sql(`update ${table} set ${column} = $2 where workspace_id = $1`, [context.workspaceId, inClear]);

    const step = (cursor?: string | null) => identity.call(identitySecrets.reseal, systemContext(randomUUID()), { cursor });
    let resealed = 0;
    for (let one = await step(); ; one = await step(one.cursor)) {
      resealed += one.resealed;
      if (one.done) break;
    }

    expect(resealed).toBe(3);
    expect(await databaseText(identity.adminUrl)).not.toContain('stored early');
    await expect(identity.call(profiles.retrieve, context, { user_id: 'ada' })).resolves.toEqual({
      profile: JSON.parse(inClear) as object,
    });
    await expect(ada.published()).resolves.toEqual([{ name: 'Ada' }, { slack: {} }]);
    await expect(step('[9]')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('that stay the same cost no event', async () => {
    const ada = newUser();

    await ada.replace(credentials);
    await ada.replace(credentials);
    await ada.merge(credentials);
    await ada.patch({ op: 'add', path: '/slack/access_token', value: marker });

    await expect(ada.published()).resolves.toHaveLength(1);
  });

  it('are in no answer while their key is missing: the answer names them and the key', async () => {
    const [ada, key] = [newUser(), randomBytes(32)];
    const { context } = ada;
    const { workspaceId } = context;
    const profile = { webhook: { url: marker } };
    await ada.replace(profile);
    await identity.call(tenants.replace, context, { tenant_id: 'acme', name: 'Acme', user_profile: profile });
    await identity.call(userTenants.add, context, { user_id: 'ada', tenant_id: 'acme', profile });
    const sealed = JSON.stringify(new ProfileSecrets([key]).seal(workspaceId, profile));
    await identity.sql('update profiles set profile = $2 where workspace_id = $1', [workspaceId, sealed]);
    await identity.sql('update tenants set user_profile = $2 where workspace_id = $1', [workspaceId, sealed]);
    await identity.sql('update user_tenants set profile = $2 where workspace_id = $1', [workspaceId, sealed]);

    const why = `cannot be read: it was sealed with the key ${keyIdOf(key)}, which TIDINGS_SECRET_KEY does not hold. Add that key`;
    const refused = (what: string) => ({ code: 'unavailable', message: `${what} ${why}` });
    const [ofTenant, ofMember] = [
      refused('user_profile.webhook.url of tenant acme'),
      refused('profile.webhook.url of user ada in tenant acme'),
    ];
    await expect(identity.call(profiles.retrieve, context, { user_id: 'ada' })).rejects.toMatchObject(
      refused('profile.webhook.url of user ada'),
    );
    await expect(identity.call(tenants.retrieve, context, { tenant_id: 'acme' })).rejects.toMatchObject(ofTenant);
    await expect(identity.call(tenants.list, context, {})).rejects.toMatchObject(ofTenant);
    await expect(identity.call(tenants.users, context, { tenant_id: 'acme' })).rejects.toMatchObject(ofMember);
    const member = { user_id: 'ada', tenant_id: 'acme' };
    await expect(identity.call(userTenants.retrieve, context, member)).rejects.toMatchObject(ofMember);
    await expect(identity.call(userTenants.list, context, { user_id: 'ada' })).rejects.toMatchObject(ofMember);

    await ada.patch({ op: 'add', path: '/webhook/url', value: marker });
    await expect(identity.call(profiles.retrieve, context, { user_id: 'ada' })).resolves.toEqual({ profile });
  });

  it('that stay the same are not named by the audit event of another change', async () => {
    const caller = { ...contextOf(randomUUID()), actor: { type: 'api-key', id: randomUUID() } as const };
    const of = (secret: string) => ({ webhook: { url: 'https://example.com/hook' }, slack: { access_token: secret, channel: 'C1' } });
    for (const secret of ['one', 'two']) {
      await identity.call(profiles.replace, caller, { user_id: 'ada', profile: of(secret) });
      await identity.call(tenants.replace, caller, { tenant_id: 'acme', name: secret, user_profile: of('same') });
    }
    await identity.call(profiles.merge, caller, { user_id: 'ada', profile: { name: 'Ada' } });
    await identity.call(profiles.patch, caller, { user_id: 'ada', patch: [{ op: 'add', path: '/title', value: 'Dr' }] });

    const { results } = await identity.call(auditEvents.list, contextOf(caller.workspaceId), {});
    expect(results.slice(0, 4).map(({ changes }) => changes!.after)).toEqual([
      ['profile.title'],
      ['profile.name'],
      ['name'],
      ['profile.slack'],
    ]);
  });

  it('are refused where they are sealed already', async () => {
    const ada = newUser();
    await ada.replace(credentials);
    const [row] = await identity.sql<{ profile: ProfileFields }>('select profile from profiles where workspace_id = $1', [
      ada.context.workspaceId,
    ]);

    for (const write of [ada.merge, ada.replace]) {
      await expect(write(row!.profile)).rejects.toMatchObject({
        code: 'invalid_request',
        message: 'profile.webhook.headers.x-key must be given as it is, not as it was stored',
      });
    }
  });
});
