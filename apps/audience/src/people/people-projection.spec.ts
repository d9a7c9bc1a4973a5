import { randomUUID } from 'node:crypto';
import { type AudienceFilter, audiences } from '@tidings/contracts/audience/audiences';
import { profileChanged } from '@tidings/contracts/identity/events';
import type { DeadLetters } from '@tidings/events/dead-letters';
import { Database } from '@tidings/persistence/database';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { EvaluationsOpen, TRANSACTION_STEPS_MAX } from '../audiences/evaluations';
import { EVALUATION_STEPS_MAX } from '../audiences/filter/evaluation-budget';
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

it('drops what comes again', async () => {
  const { profile, members, told } = await buildWorkspace();
  await profile({ title: 'boss' }, '7');
  await expect(members()).resolves.toEqual(['ada']); // what comes in one batch is one change

  await profile({ title: 'boss' }, '7');

  await expect(members()).resolves.toEqual(['ada']);
  await expect(told()).resolves.toEqual([['audiences:user:matched', 'ada']]);
});

type Workspace = Awaited<ReturnType<typeof buildWorkspace>>;
type Tell = (workspace: Workspace, sequence: string) => Promise<void>;
const tellTitle =
  (title: string): Tell =>
  ({ profile }, sequence) =>
    profile({ title }, sequence);
const tellNoProfile: Tell = ({ profile }, sequence) => profile(null, sequence);
const tellTenants =
  (...ids: string[]): Tell =>
  ({ tenants }, sequence) =>
    tenants(ids, sequence);

it.each<[string, { late: Tell; newer: Tell }]>([
  ['a profile does not undo a newer one', { late: tellTitle('clerk'), newer: tellTitle('boss') }],
  ['a profile does not undo its deletion', { late: tellTitle('boss'), newer: tellNoProfile }],
  ['the deletion of a profile does not undo a newer one', { late: tellNoProfile, newer: tellTitle('boss') }],
  ['tenants do not undo newer ones', { late: tellTenants('acme', 'globex'), newer: tellTenants('globex') }],
  ['tenants do not undo that there are none', { late: tellTenants('acme'), newer: tellTenants() }],
  ['that there are no tenants does not undo newer ones', { late: tellTenants(), newer: tellTenants('acme') }],
])('coming late, %s', async (_, { late, newer }) => {
  const workspace = await buildWorkspace();
  const { profile, tenants, applied, members, row } = workspace;
  const state = async () => ({ members: await members(), row: await row() });
  // What is told of the other of the two has lower numbers.
  await profile({ title: 'boss' }, '1');
  await tenants(['initech'], '1');
  await applied();
  await newer(workspace, '7');
  const before = await state();

  await late(workspace, '6');
  expect(await state()).toEqual(before);

  await Promise.all([newer(workspace, '9'), late(workspace, '8')]); // in one batch
  expect(await state()).toEqual(before);
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
