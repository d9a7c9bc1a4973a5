import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@tidings/contracts/core/context';
import { accounts } from '@tidings/contracts/identity/accounts';
import { hashApiKey } from '@tidings/contracts/identity/api-key';
import { auditEvents } from '@tidings/contracts/identity/audit-events';
import { keys } from '@tidings/contracts/identity/keys';
import { limits } from '@tidings/contracts/identity/limits';
import { profiles } from '@tidings/contracts/identity/profiles';
import { rateLeases } from '@tidings/contracts/identity/rate-leases';
import { recipients } from '@tidings/contracts/identity/recipients';
import { contextOf } from '@tidings/testing/context-of';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { buildWorkspace, createKey, rotateKey, type RunningIdentity, sharedIdentity } from '../testing/start-identity';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await sharedIdentity();
});

const NONE = {
  rate_limit: null,
  effective_rate_limit: null,
  profiles: null,
  lists: null,
  templates: null,
  bulk_rows: null,
  suppressions: null,
};

describe('the limits of a workspace', () => {
  it('are none, then those that were set, and come with its keys', async () => {
    const { workspace_id, key, key_id } = await buildWorkspace(identity);
    const context = contextOf(workspace_id);
    const limitsOfKey = async () => (await call(keys.verify, systemContext(randomUUID()), { hash: hashApiKey(key) })).limits;
    expect(await call(limits.retrieve, context, {})).toEqual(NONE);
    expect(await limitsOfKey()).toBeUndefined();
    await identity.awaitAccessChanges(key_id);

    const changed = await call(limits.change, context, { rate_limit: '50/s', profiles: 10, lists: 0 });
    await call(limits.changeKey, context, { key_id, rate_limit: '10/m' });

    expect(changed).toEqual({ ...NONE, rate_limit: '50/s', effective_rate_limit: '50/s', profiles: 10, lists: 0 });
    await identity.awaitAccessChanges(key_id, 3);
    expect(await limitsOfKey()).toEqual({ workspace_rate: '50/s', key_rate: '10/m', quotas: { profiles: 10, lists: 0 } });
    expect(await call(limits.change, context, { rate_limit: null, profiles: null })).toEqual({ ...NONE, lists: 0 });
    expect(await limitsOfKey()).toEqual({ key_rate: '10/m', quotas: { lists: 0 } });
    const { results } = await call(auditEvents.list, context, {});
    expect(results.slice(0, 3).map(({ type }) => type)).toEqual([
      'workspace:limits-changed',
      'api-key:limit-changed',
      'workspace:limits-changed',
    ]);
  });

  it('of a key pass on to the one that replaces it', async () => {
    const { workspace_id, key_id } = await buildWorkspace(identity);
    const context = contextOf(workspace_id);
    await call(limits.changeKey, context, { key_id, rate_limit: '10/m' });

    await rotateKey(identity, context, { key_id });

    const { results } = await call(keys.page, context, {});
    expect(results.map(({ rate_limit }) => rate_limit)).toEqual(['10/m', '10/m']);
  });

  it.each([['50'], ['0/s'], ['50/d'], ['1.5/s'], ['10000000/s'], ['']])('are refused with the rate %j', async (rate_limit) => {
    const { workspace_id, key_id } = await buildWorkspace(identity);
    const words = { code: 'invalid_request', message: expect.stringContaining('rate_limit must be a number') as string };
    await expect(call(limits.change, contextOf(workspace_id), { rate_limit })).rejects.toMatchObject(words);
    await expect(call(limits.changeKey, contextOf(workspace_id), { key_id, rate_limit })).rejects.toMatchObject(words);
  });

  it('are not found in no workspace', async () => {
    for (const attempt of [call(limits.retrieve, contextOf(randomUUID()), {}), call(limits.change, contextOf(randomUUID()), { lists: 1 })])
      await expect(attempt).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a shared bucket', () => {
  const leaseOf =
    (workspace_id: string, rate = '100/s') =>
    async (gateway: string, used: number) => {
      const request = { gateway, buckets: [{ workspace_id, rate, used }] };
      return (await call(rateLeases.lease, systemContext(randomUUID()), request)).leases[0]!;
    };

  it('has what other gateways left, and knows how many share it', async () => {
    const lease = leaseOf(randomUUID(), '36/h');
    const [one, other] = [randomUUID(), randomUUID()];
    expect(await lease(one, 2)).toEqual({ tokens: 3, gateways: 1 });

    const second = await lease(other, 4);

    expect(second.gateways).toBe(2);
    expect(second.tokens).toBeCloseTo(-1, 1);
    expect((await lease(one, 1_000)).tokens).toBe(-5);
    expect((await lease(one, 0)).gateways).toBe(2);
  });

  it('is filled at its rate, up to a burst', async () => {
    const workspace = randomUUID();
    const lease = leaseOf(workspace);
    const gateway = randomUUID();
    const startedAt = performance.now();
    await lease(gateway, 50);
    const age = (seconds: number) =>
      identity.sql(
        `update identity.rate_buckets set filled_at = filled_at - $2 * interval '1 second',
                gateways = (select jsonb_object_agg(key, value::float8 - 10) from jsonb_each(gateways)) where workspace_id = $1`,
        [workspace, seconds],
      );
    await age(0.2);
    const { tokens } = await lease(randomUUID(), 10);
    // The bucket is filled while the test runs, too.
    const filledMeanwhile = ((performance.now() - startedAt) / 1_000) * 100;
    expect(tokens).toBeGreaterThan(9.9);
    expect(tokens).toBeLessThan(10.1 + filledMeanwhile);
    await age(1_000);
    expect(await lease(gateway, 0)).toEqual({ tokens: 50, gateways: 1 });
  });

  it('is one for each workspace and key, in one call', async () => {
    const [workspace_id, key_id] = [randomUUID(), randomUUID()];
    const buckets = [
      { workspace_id, key_id, rate: '10/h', used: 1 },
      { workspace_id, rate: '100/s', used: 2 },
    ];
    const { leases } = await call(rateLeases.lease, systemContext(randomUUID()), { gateway: randomUUID(), buckets });
    expect(leases.map(({ tokens }) => tokens)).toEqual([4, 48]);
  });
});

describe('the quota of profiles', () => {
  const QUOTA = 3;
  const owner = (): CallContext => ({ ...contextOf(randomUUID()), quota: QUOTA });
  const merge = (context: CallContext, user_id: string) =>
    call(profiles.merge, { ...context, callId: randomUUID() }, { user_id, profile: { a: 1 } });
  const exceeded = {
    code: 'forbidden',
    message: 'The quota profiles of the workspace is 3: it cannot have more stored profiles than that',
  };

  it('is not exceeded by any way to create one, nor by concurrent calls', async () => {
    const context = owner();
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => merge(context, `user-${index}`)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(QUOTA);

    await expect(merge(context, 'another')).rejects.toMatchObject(exceeded);
    const request = { user_id: 'another', profile: { a: 1 } };
    await expect(call(profiles.replace, context, request)).rejects.toMatchObject(exceeded);
    await expect(call(accounts.setUser, context, request)).rejects.toMatchObject(exceeded);
    const present = outcomes.findIndex(({ status }) => status === 'fulfilled');
    await expect(merge(context, `user-${present}`)).resolves.toBeDefined();
    await call(profiles.remove, context, { user_id: `user-${present}` });
    await expect(merge(context, 'another')).resolves.toBeDefined();
    await expect(merge(context, 'one more')).rejects.toMatchObject(exceeded);
  });

  it('counts the profiles that were there before, and those of sends, which it does not stop', async () => {
    const context = owner();
    const { workspaceId } = context;
    const unlimited = { ...context, quota: undefined };
    await merge(unlimited, 'before');
    const keysOf = (...ids: string[]) => ({ recipients: ids.map((user_id) => ({ workspace_id: workspaceId, user_id })) });
    await call(recipients.load, systemContext(randomUUID()), keysOf('sent-1'));
    await expect(merge(context, 'third')).resolves.toBeDefined();
    await expect(merge(context, 'fourth')).rejects.toMatchObject(exceeded);
    await call(recipients.load, systemContext(randomUUID()), keysOf('sent-2'));
    await expect(merge(unlimited, 'fourth')).resolves.toBeDefined();
  });
});

const ids = { key: '' };
describeWorkspaceIsolation('limits', {
  arrange: async ({ workspaceId }) => {
    await identity.sql(`insert into identity.workspaces (id, name, account_email) values ($1, $2, 'ops@example.com')`, [
      workspaceId,
      `limits ${workspaceId}`,
    ]);
    ids.key = (await createKey(identity, contextOf(workspaceId), { mode: 'test' })).key_id;
  },
  read: async (owner) => [await call(limits.retrieve, owner, {}), await call(keys.page, owner, {})],
  attempts: {
    retrieve: { attempt: (stranger) => call(limits.retrieve, stranger, {}), refusedWith: 'not_found' },
    change: { attempt: (stranger) => call(limits.change, stranger, { lists: 1 }), refusedWith: 'not_found' },
    'the limit of a key': {
      attempt: (stranger) => call(limits.changeKey, stranger, { key_id: ids.key, rate_limit: '1/s' }),
      refusedWith: 'not_found',
    },
  },
});
