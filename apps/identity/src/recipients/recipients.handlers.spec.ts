import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@tidings/contracts/core/context';
import { type ProfileFields, profiles } from '@tidings/contracts/identity/profiles';
import {
  type LoadedRecipients,
  RECIPIENT_PARTS,
  type RecipientKey,
  recipients,
  RECIPIENTS_MAX,
} from '@tidings/contracts/identity/recipients';
import { recipientPreferences } from '@tidings/contracts/identity/recipient-preferences';
import { tenants } from '@tidings/contracts/identity/tenants';
import { userPreferences } from '@tidings/contracts/identity/user-preferences';
import { userTenants } from '@tidings/contracts/identity/user-tenants';
import { userTokens } from '@tidings/contracts/identity/user-tokens';
import { Database } from '@tidings/persistence/database';
import { buildTopic } from '../testing/build-topic';
import { contextOf } from '@tidings/testing/context-of';
import { expectIndexed } from '@tidings/testing/explain';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { whileLocked } from '@tidings/testing/while-locked';
import { DEFAULTS, LOAD, READ } from './recipients.handlers';

let identity: RunningIdentity;

beforeAll(async () => {
  identity = await sharedIdentity();
});

async function load(keys: RecipientKey[]): Promise<ProfileFields[]> {
  const { recipients: loaded } = await identity.call(recipients.load, systemContext(randomUUID()), { recipients: keys });
  return loaded.map(({ profile }) => profile);
}

function store(workspace_id: string, user_id: string, profile: ProfileFields): Promise<unknown> {
  return identity.call(profiles.replace, contextOf(workspace_id), { user_id, profile });
}

describe('loading recipients', () => {
  it('answers in the order of the keys, across workspaces, repeated keys included', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    await store(one, 'ada', { name: 'Ada of one' });
    await store(two, 'ada', { name: 'Ada of two' });
    await store(two, 'Zoe', { name: 'Zoe' });

    const loaded = await load([
      { workspace_id: two, user_id: 'Zoe' },
      { workspace_id: two, user_id: 'ada' },
      { workspace_id: one, user_id: 'ada' },
      { workspace_id: two, user_id: 'ada' },
      { workspace_id: one, user_id: 'Zoe' },
    ]);

    expect(loaded).toEqual([{ name: 'Zoe' }, { name: 'Ada of two' }, { name: 'Ada of one' }, { name: 'Ada of two' }, {}]);
  });

  it('creates an empty profile for users without one', async () => {
    const workspace_id = randomUUID();

    const loaded = await load(['new', 'other', 'new'].map((user_id) => ({ workspace_id, user_id })));

    expect(loaded).toEqual([{}, {}, {}]);
    await expect(identity.call(profiles.retrieve, contextOf(workspace_id), { user_id: 'new' })).resolves.toEqual({ profile: {} });
  });

  it('stores nothing for users without a profile where it only reads', async () => {
    const workspace_id = randomUUID();
    await store(workspace_id, 'ada', { name: 'Ada' });
    const keys = ['new', 'ada'].map((user_id) => ({ workspace_id, user_id }));

    const loaded = await identity.call(recipients.load, systemContext(randomUUID()), { recipients: keys, only_reads: true });

    expect(loaded.recipients.map(({ profile }) => profile)).toEqual([{}, { name: 'Ada' }]);
    const missing = identity.call(profiles.retrieve, contextOf(workspace_id), { user_id: 'new' });
    await expect(missing).rejects.toMatchObject({ code: 'not_found' });
  });

  it('writes nothing for users with a profile', async () => {
    const workspace_id = randomUUID();
    await store(workspace_id, 'ada', { name: 'Ada' });
    const version = () =>
      identity.sql('select xmin, xmax, ctid, updated_at from identity.profiles where workspace_id = $1', [workspace_id]);
    const before = await version();

    await load([{ workspace_id, user_id: 'ada' }]);

    await expect(version()).resolves.toEqual(before);
  });

  it('loads the maximum number at once, and refuses more', async () => {
    const workspace_id = randomUUID();
    const keys = Array.from({ length: RECIPIENTS_MAX }, (_, index) => ({ workspace_id, user_id: `user ${index}` }));
    await store(workspace_id, 'user 999', { name: 'last' });

    const loaded = await load(keys);

    expect(loaded).toHaveLength(RECIPIENTS_MAX);
    expect(loaded.at(-1)).toEqual({ name: 'last' });
    await expect(load([...keys, { workspace_id, user_id: 'one more' }])).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('does not deadlock loads of the same new users in opposite orders', async () => {
    const workspace_id = randomUUID();
    const forwards = Array.from({ length: 100 }, (_, index) => ({ workspace_id, user_id: `user ${index}` }));
    const middle = {
      statement: "insert into identity.profiles (workspace_id, user_id, profile) values ($1, 'user 50', '{}')",
      values: [workspace_id],
      waiting: 2,
    };

    const loads = await whileLocked(identity.adminUrl, middle, () => Promise.all([load(forwards), load(forwards.toReversed())]));

    expect(loads.flat()).toEqual(Array.from({ length: 200 }, () => ({})));
    await expect(
      identity.sql('select count(*)::int as stored from identity.profiles where workspace_id = $1', [workspace_id]),
    ).resolves.toEqual([{ stored: 100 }]);
  });

  it('returns no recipients for an empty request', async () => {
    await expect(load([])).resolves.toEqual([]);
  });

  it('refuses a user id that cannot be stored', async () => {
    await expect(load([{ workspace_id: randomUUID(), user_id: 'a\0b' }])).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('recipients[0].user_id') as string,
    });
  });
});

describe('loading all parts that a send needs', () => {
  const topicIn = (context: CallContext) => buildTopic(identity.call, context, { name: 'Orders', default_status: 'OPTED_IN' });
  const everything = async (keys: RecipientKey[]): Promise<LoadedRecipients> =>
    identity.call(recipients.load, systemContext(randomUUID()), { recipients: keys, with: [...RECIPIENT_PARTS] });

  it('returns the stored data of the user, the tenant and the topic', async () => {
    const workspace_id = randomUUID();
    const context = contextOf(workspace_id);
    const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);
    const topic = await topicIn(context);
    await store(workspace_id, 'ada', { name: 'Ada' });
    await call(tenants.replace, context, { tenant_id: 'acme', name: 'Acme', user_profile: { locale: 'en' }, brand_id: 'blue' });
    await call(tenants.replace, context, {
      tenant_id: 'berlin',
      name: 'Berlin',
      parent_tenant_id: 'acme',
      properties: { city: 'Berlin' },
      default_preferences: { items: [{ id: topic.id, status: 'OPTED_OUT' }] },
    });
    await call(tenants.replaceDefault, context, { tenant_id: 'acme', topic_id: topic.id, status: 'REQUIRED' });
    await call(userTenants.add, context, { user_id: 'ada', tenant_id: 'berlin', profile: { title: 'Buyer' } });
    await call(userTokens.put, context, { user_id: 'ada', token: 'phone', body: { provider_key: 'expo', properties: { app: 'shop' } } });
    const choice = { status: 'OPTED_IN' as const, has_custom_routing: true, custom_routing: ['email' as const] };
    await call(userPreferences.put, context, { user_id: 'ada', tenant_id: 'elsewhere', topic_id: topic.id, topic: choice });
    await call(recipientPreferences.replace, context, { recipient_id: 'ada', notifications: { welcome: { status: 'OPTED_OUT' } } });

    const loaded = await everything([{ workspace_id, user_id: 'ada', tenant_id: 'berlin', topic_id: topic.id }]);

    expect(loaded.recipients).toEqual([
      {
        profile: { name: 'Ada' },
        tokens: [{ token: 'phone', provider_key: 'expo', status: 'active', device: null, properties: { app: 'shop' } }],
        tenant_id: 'berlin',
        member_profile: { title: 'Buyer' },
        choices: [{ topic_id: topic.id, tenant_id: 'elsewhere', ...choice }],
        preferences: { notifications: { welcome: { status: 'OPTED_OUT' } }, categories: {} },
      },
    ]);
    expect(loaded.tenants).toEqual([
      {
        workspace_id,
        tenant_id: 'berlin',
        chain: [
          { tenant_id: 'acme', name: 'Acme', brand_id: 'blue', properties: null, user_profile: { locale: 'en' } },
          { tenant_id: 'berlin', name: 'Berlin', brand_id: null, properties: { city: 'Berlin' }, user_profile: null },
        ],
        defaults: [
          { tenant_id: 'berlin', topic_id: topic.id, status: 'OPTED_OUT', has_custom_routing: false, custom_routing: [] },
          { tenant_id: 'acme', topic_id: topic.id, status: 'REQUIRED', has_custom_routing: false, custom_routing: [] },
        ],
      },
    ]);
    expect(loaded.topics).toMatchObject([{ workspace_id, topic_id: topic.id, name: 'Orders', default_status: 'OPTED_IN' }]);
  });

  it('infers the tenant where a user has exactly one', async () => {
    const workspace_id = randomUUID();
    const context = contextOf(workspace_id);
    await identity.call(userTenants.add, context, { user_id: 'one', tenant_id: 'north', profile: { in: 'north' } });
    for (const tenant_id of ['north', 'south']) await identity.call(userTenants.add, context, { user_id: 'two', tenant_id });

    const { recipients: loaded, tenants: loadedTenants } = await everything(
      ['one', 'two', 'none'].map((user_id) => ({ workspace_id, user_id })),
    );

    expect(loaded.map(({ tenant_id, member_profile }) => [tenant_id, member_profile])).toEqual([
      ['north', { in: 'north' }],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(loadedTenants).toEqual([]); // the tenant does not exist
  });

  it('returns nothing of another workspace', async () => {
    const [owner, stranger] = [randomUUID(), randomUUID()];
    const topic = await topicIn(contextOf(owner));
    await identity.call(tenants.replace, contextOf(owner), { tenant_id: 'acme', name: 'Acme' });
    await identity.call(userTokens.put, contextOf(owner), { user_id: 'ada', token: 'phone', body: { provider_key: 'expo' } });

    const loaded = await everything([{ workspace_id: stranger, user_id: 'ada', tenant_id: 'acme', topic_id: topic.id }]);

    expect(loaded).toEqual({ recipients: [{ profile: {}, tokens: [], tenant_id: 'acme', choices: [] }], tenants: [], topics: [] });
  });

  it('returns the named context and the topic for a bare address, and stores nothing', async () => {
    const workspace_id = randomUUID();
    const context = contextOf(workspace_id);
    const topic = await topicIn(context);
    await identity.call(tenants.replace, context, { tenant_id: 'acme', name: 'Acme', brand_id: 'blue' });
    await identity.call(tenants.replaceDefault, context, { tenant_id: 'acme', topic_id: topic.id, status: 'REQUIRED' });
    await identity.call(userTenants.add, context, { user_id: 'ada', tenant_id: 'acme', profile: { title: 'Buyer' } });

    const loaded = await everything([
      { workspace_id, tenant_id: 'acme', topic_id: topic.id },
      { workspace_id, user_id: 'ada' },
      { workspace_id, topic_id: topic.id },
      { workspace_id },
    ]);

    expect(loaded.recipients).toEqual([
      { profile: {}, tenant_id: 'acme' },
      { profile: {}, tokens: [], tenant_id: 'acme', member_profile: { title: 'Buyer' }, choices: [] },
      { profile: {} },
      { profile: {} },
    ]);
    expect(loaded.tenants).toEqual([
      {
        workspace_id,
        tenant_id: 'acme',
        chain: [{ tenant_id: 'acme', name: 'Acme', brand_id: 'blue', properties: null, user_profile: null }],
        defaults: [{ tenant_id: 'acme', topic_id: topic.id, status: 'REQUIRED', has_custom_routing: false, custom_routing: [] }],
      },
    ]);
    expect(loaded.topics).toMatchObject([{ topic_id: topic.id }]);
    await expect(identity.sql('select user_id from identity.profiles where workspace_id = $1', [workspace_id])).resolves.toEqual([
      { user_id: 'ada' },
    ]);
  });

  it('returns empty profiles for bare addresses without further parts', async () => {
    await expect(load([{ workspace_id: randomUUID(), tenant_id: 'acme' }, { workspace_id: randomUUID() }])).resolves.toEqual([{}, {}]);
  });

  it('uses as many statements for a thousand recipients as for one', async () => {
    const workspace_id = randomUUID();
    const context = contextOf(workspace_id);
    const topic = await topicIn(context);
    await identity.call(tenants.replace, context, { tenant_id: 'acme', name: 'Acme' });
    const thousand = Array.from({ length: RECIPIENTS_MAX }, (_, index) => ({
      workspace_id,
      user_id: `user ${index}`,
      tenant_id: 'acme',
      topic_id: topic.id,
    }));
    const statements = jest.spyOn(identity.get(Database), 'query');
    try {
      const countFor = async (keys: RecipientKey[]): Promise<number> => {
        statements.mockClear();
        expect((await everything(keys)).recipients).toHaveLength(keys.length);
        return statements.mock.calls.length;
      };
      const one = await countFor(thousand.slice(0, 1));
      expect(one).toBeLessThanOrEqual(7);
      expect(await countFor(thousand)).toBe(one);
    } finally {
      statements.mockRestore();
    }
  });

  it('scans no whole table', async () => {
    const workspace_id = randomUUID();
    await identity.sql(
      `insert into identity.user_tenants (workspace_id, user_id, tenant_id, profile)
       select $1::uuid, 'user ' || n, 'tenant ' || n % 100, '{}' from generate_series(1, 20000) n`,
      [workspace_id],
    );
    await identity.sql('analyze identity.user_tenants', []);

    for (const load of [LOAD, READ]) {
      await expectIndexed(identity.sql, load, [
        [workspace_id, workspace_id],
        ['user 1', 'user 2'],
        [null, 'tenant 2'],
        ['topic', 'topic'],
      ]);
    }
    await expectIndexed(identity.sql, DEFAULTS, [[workspace_id], ['tenant 2'], ['topic']]);
  });
});
