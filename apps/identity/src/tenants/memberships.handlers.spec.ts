import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { type Membership, memberships, MEMBERSHIPS_CHECKED_MAX } from '@tidings/contracts/identity/tenant-members';
import { tenants } from '@tidings/contracts/identity/tenants';
import { contextOf } from '@tidings/testing/context-of';
import { runsOf } from '@tidings/testing/runs-of';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { buildMembers, buildTree } from '../testing/tenant-members';

let identity: RunningIdentity;

beforeAll(async () => {
  identity = await sharedIdentity();
});

async function check(context: CallContext, ...pairs: [user_id: string, tenant_id: string][]): Promise<boolean[]> {
  const request = { memberships: pairs.map(([user_id, tenant_id]): Membership => ({ user_id, tenant_id })) };
  return (await identity.call(memberships.check, context, request)).belongs;
}

it('answers for each pair in order, repeated pairs included, and returns an empty list for none', async () => {
  const context = await buildTree(identity, 'north', 'north/south');
  await buildMembers(identity, context, { north: ['ada'], south: ['bob'] });

  await expect(
    check(context, ['bob', 'south'], ['ada', 'south'], ['ada', 'north'], ['bob', 'north'], ['unknown', 'north'], ['bob', 'south']),
  ).resolves.toEqual([true, false, true, false, false, true]);
  await expect(check(context)).resolves.toEqual([]);
});

it('counts an association only while its tenant exists', async () => {
  const context = contextOf(randomUUID());
  await buildMembers(identity, context, { acme: ['ada'] });

  await expect(check(context, ['ada', 'acme'])).resolves.toEqual([false]);
  await identity.call(tenants.replace, context, { tenant_id: 'acme', name: 'Acme' });
  await expect(check(context, ['ada', 'acme'])).resolves.toEqual([true]);
});

it('uses one statement for the maximum number of pairs, and refuses more', async () => {
  const context = await buildTree(identity, 'acme');
  await buildMembers(identity, context, { acme: ['u999'] });
  const pairs = Array.from({ length: MEMBERSHIPS_CHECKED_MAX }, (_, n): [string, string] => [`u${n}`, 'acme']);

  const runs = await runsOf(async () => {
    expect((await check(context, ...pairs)).at(-1)).toBe(true);
  });

  expect(runs).toHaveLength(1);
  await expect(check(context, ...pairs, ['one', 'more'])).rejects.toMatchObject({ code: 'invalid_request' });
});

it('refuses ids that cannot be stored', async () => {
  await expect(check(contextOf(randomUUID()), ['ada', 'acme'], ['a\0b', 'acme'])).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('memberships[1].user_id') as string,
  });
});

describeWorkspaceIsolation('a membership', {
  arrange: async (owner) => {
    await identity.call(tenants.replace, owner, { tenant_id: 'acme', name: 'Acme' });
    await buildMembers(identity, owner, { acme: ['ada'] });
  },
  read: (owner) => check(owner, ['ada', 'acme']),
  attempts: {
    check: { attempt: (stranger) => check(stranger, ['ada', 'acme']) },
    'checking beside a tenant of the same name': {
      attempt: async (stranger) => {
        await identity.call(tenants.replace, stranger, { tenant_id: 'acme', name: 'Mine' });
        return check(stranger, ['ada', 'acme']);
      },
    },
  },
});
