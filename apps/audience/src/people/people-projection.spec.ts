import { randomUUID } from 'node:crypto';
import { type AudienceFilter, audiences } from '@tidings/contracts/audience/audiences';
import { profileChanged } from '@tidings/contracts/identity/events';
import type { DeadLetters } from '@tidings/events/dead-letters';
import { Database } from '@tidings/persistence/database';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { EvaluationsOpen, TRANSACTION_STEPS_MAX } from '../audiences/evaluations';
import { EVALUATION_STEPS_MAX } from '../audiences/filter/work';
import { type AudienceInstance, AudienceInstances } from '../testing/audience-instances';
import { ForgetPeople } from './forget-people';
import { PeopleProjection } from './people-projection';

const BOSSES: AudienceFilter = { operator: 'EQ', path: 'title', value: 'boss' };
const OF_ACME: AudienceFilter = { operator: 'MEMBER_OF', path: 'account_id', value: 'acme' };

let instances: AudienceInstances;
let service: AudienceInstance;

beforeAll(async () => {
  instances = await AudienceInstances.create();
  service = await instances.start();
});
afterAll(() => instances.end());

/** A workspace with an audience, which is built. */
async function buildWorkspace(filter: AudienceFilter = BOSSES) {
  const context = contextOf(randomUUID());
  const { workspaceId } = context;
  await service.call(audiences.put, context, { audience_id: 'staff', filter });
  await instances.quiet(service);
  const applied = async (): Promise<void> => {
    const now = Date.now();
    await waitUntil(() => service.get(PeopleProjection).hasAppliedUpTo(now));
  };
  return {
    workspaceId,
    applied,
    members: async () => {
      await applied();
      const { items } = await service.call(audiences.members, context, { audience_id: 'staff' });
      return items.map(({ member_id }) => member_id);
    },
    told: async () => {
      await instances.quiet(service);
      return instances.eventsOf(workspaceId, 'staff').flatMap(({ type, data }) => ('user_id' in data ? [[type, data.user_id]] : []));
    },
    profile: (value: Record<string, unknown> | null, sequence: string) => instances.tellProfile(workspaceId, 'ada', value, sequence),
    tenants: (ids: string[], sequence: string) => instances.tellTenants(workspaceId, 'ada', ids, sequence),
    row: async () => {
      const text = 'select profile, tenant_ids, gone_at is not null as gone from people where workspace_id = $1';
      return (await instances.sql(service, text, [workspaceId]))[0];
    },
  };
}

it('takes in who matches, and lets go who does not any more', async () => {
  const { profile, members, told } = await buildWorkspace();

  await profile({ title: 'boss' }, '1');
  await expect(members()).resolves.toEqual(['ada']);
  await profile({ title: 'clerk' }, '2');
  await expect(members()).resolves.toEqual([]);

  await expect(told()).resolves.toEqual([
    ['audiences:user:matched', 'ada'],
    ['audiences:user:unmatched', 'ada'],
  ]);
});

it('lets go whose profile is deleted, and says so', async () => {
  const { profile, members, told, row } = await buildWorkspace();
  await profile({ title: 'boss' }, '1');
  await expect(members()).resolves.toEqual(['ada']); // what comes in one batch is one change

  await profile(null, '2');

  await expect(members()).resolves.toEqual([]);
  await expect(told()).resolves.toHaveLength(2);
  await expect(row()).resolves.toEqual({ profile: null, tenant_ids: [], gone: true });
});

it('drops what comes late or again', async () => {
  const { profile, members, told } = await buildWorkspace();
  await profile({ title: 'boss' }, '7');

  await profile({ title: 'clerk' }, '6');
  await profile({ title: 'boss' }, '7');

  await expect(members()).resolves.toEqual(['ada']);
  await expect(told()).resolves.toEqual([['audiences:user:matched', 'ada']]);
});

it('does not bring back who is gone by a late event', async () => {
  const { profile, members } = await buildWorkspace();
  await profile({ title: 'boss' }, '1');
  await profile(null, '3');

  await profile({ title: 'boss' }, '2');

  await expect(members()).resolves.toEqual([]);
});

it('orders profiles and tenants each by its own numbers', async () => {
  const { profile, tenants, members } = await buildWorkspace(OF_ACME);
  await tenants(['acme'], '5');
  await expect(members()).resolves.toEqual([]); // nobody without profile is a member

  await profile({}, '1');
  await expect(members()).resolves.toEqual(['ada']);

  await tenants([], '6');
  await expect(members()).resolves.toEqual([]);
});

it('forgets who is gone after a while, and nobody who is there', async () => {
  const { profile, tenants, applied, row } = await buildWorkspace();
  const forgetting = service.get(ForgetPeople);
  await profile({ title: 'boss' }, '1');
  await tenants(['acme'], '2');
  await profile(null, '3');
  await applied();
  await forgetting.forget(0);
  await expect(row()).resolves.toMatchObject({ gone: false }); // still in a tenant

  await tenants([], '4');
  await applied();
  await forgetting.forget();
  await expect(row()).resolves.toMatchObject({ gone: true });
  await forgetting.forget(0);
  await expect(row()).resolves.toBeUndefined();
});

it('puts a record aside that has no running number, and goes on', async () => {
  const { workspaceId, profile, members } = await buildWorkspace();
  const id = randomUUID();
  await instances.log.append(profileChanged, [{ id, payload: { workspaceId, userId: 'eve', profile: { title: 'boss' } } }]);

  await profile({ title: 'boss' }, '1');

  await expect(members()).resolves.toEqual(['ada']);
  const letters = await (instances.log as unknown as DeadLetters).deadLetters(profileChanged);
  expect(letters).toMatchObject([{ id, reason: expect.stringContaining('no running number') as string }]);
});

it('takes in a person whose audiences take long to evaluate, and evaluates them while no transaction is open', async () => {
  const { workspaceId, profile, members } = await buildWorkspace();
  const bio = 'a'.repeat(EVALUATION_STEPS_MAX / 100);
  // Each takes nearly all the steps it may; the last value is there.
  const value = [...Array.from({ length: 98 }, (_, n) => `b${n}`), 'a'];
  const count = 2 + TRANSACTION_STEPS_MAX / (EVALUATION_STEPS_MAX - 2 * bio.length);
  for (let n = 0; n < count; n++) {
    const filter = { operator: 'INCLUDES', path: 'bio', value };
    await service.call(audiences.put, contextOf(workspaceId), { audience_id: `long${n}`, filter });
  }
  await instances.quiet(service);
  const transactions = jest.spyOn(service.get(Database), 'transaction');

  await profile({ title: 'boss', bio }, '1');

  await expect(members()).resolves.toEqual(['ada']);
  const outcomes = await Promise.allSettled(transactions.mock.results.map(({ value: outcome }) => outcome as Promise<unknown>));
  transactions.mockRestore();
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([
    { status: 'rejected', reason: expect.any(EvaluationsOpen) as EvaluationsOpen },
  ]);
  const joined = 'select count(*)::int as count from audience_members where workspace_id = $1';
  await expect(instances.sql(service, joined, [workspaceId])).resolves.toEqual([{ count: Math.ceil(count) + 1 }]);
});
