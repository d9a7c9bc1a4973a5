import { randomUUID } from 'node:crypto';
import { type AudienceFilter, audiences } from '@tidings/contracts/audience/audiences';
import { profileChanged } from '@tidings/contracts/identity/events';
import { Database } from '@tidings/persistence/database';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { EvaluationsPending, TRANSACTION_STEPS_MAX } from './evaluations';
import { EVALUATION_STEPS_MAX } from './filter/evaluation-budget';
import { type AudienceInstance, AudienceInstances } from '../testing/audience-instances';
import { PeopleProjection } from './people-projection';
import { PeoplePurger } from '../people/people-purger';

const BOSSES: AudienceFilter = { operator: 'EQ', path: 'title', value: 'boss' };
const OF_ACME: AudienceFilter = { operator: 'MEMBER_OF', path: 'account_id', value: 'acme' };

let instances: AudienceInstances;
let service: AudienceInstance;

beforeAll(async () => {
  instances = await AudienceInstances.create();
  service = await instances.start();
});
afterAll(() => instances.close());

/** A workspace with an audience whose members are computed. */
async function buildWorkspace(filter: AudienceFilter = BOSSES) {
  const context = contextOf(randomUUID());
  const { workspaceId } = context;
  await service.call(audiences.put, context, { audience_id: 'staff', filter });
  await instances.waitUntilIdle(service);
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
    published: async () => {
      await instances.waitUntilIdle(service);
      return instances.eventsOf(workspaceId, 'staff').flatMap(({ type, data }) => ('user_id' in data ? [[type, data.user_id]] : []));
    },
    profile: (value: Record<string, unknown> | null, sequence: string) => instances.publishProfile(workspaceId, 'ada', value, sequence),
    tenants: (ids: string[], sequence: string) => instances.publishTenants(workspaceId, 'ada', ids, sequence),
    row: async () => {
      const text = 'select profile, tenant_ids, gone_at is not null as deleted from people where workspace_id = $1';
      return (await instances.sql(service, text, [workspaceId]))[0];
    },
  };
}

it('adds a person who matches and removes one who no longer does', async () => {
  const { profile, members, published } = await buildWorkspace();

  await profile({ title: 'boss' }, '1');
  await expect(members()).resolves.toEqual(['ada']);
  await profile({ title: 'clerk' }, '2');
  await expect(members()).resolves.toEqual([]);

  await expect(published()).resolves.toEqual([
    ['audiences:user:matched', 'ada'],
    ['audiences:user:unmatched', 'ada'],
  ]);
});

it('removes a member whose profile is deleted, and publishes it', async () => {
  const { profile, members, published, row } = await buildWorkspace();
  await profile({ title: 'boss' }, '1');
  await expect(members()).resolves.toEqual(['ada']); // events of one batch would be one change

  await profile(null, '2');

  await expect(members()).resolves.toEqual([]);
  await expect(published()).resolves.toHaveLength(2);
  await expect(row()).resolves.toEqual({ profile: null, tenant_ids: [], deleted: true });
});

it('ignores a repeated event', async () => {
  const { profile, members, published } = await buildWorkspace();
  await profile({ title: 'boss' }, '7');
  await expect(members()).resolves.toEqual(['ada']); // events of one batch would be one change

  await profile({ title: 'boss' }, '7');

  await expect(members()).resolves.toEqual(['ada']);
  await expect(published()).resolves.toEqual([['audiences:user:matched', 'ada']]);
});

type Workspace = Awaited<ReturnType<typeof buildWorkspace>>;
type Publish = (workspace: Workspace, sequence: string) => Promise<void>;
const publishTitle =
  (title: string): Publish =>
  ({ profile }, sequence) =>
    profile({ title }, sequence);
const publishNoProfile: Publish = ({ profile }, sequence) => profile(null, sequence);
const publishTenants =
  (...ids: string[]): Publish =>
  ({ tenants }, sequence) =>
    tenants(ids, sequence);

it.each<[string, { late: Publish; newer: Publish }]>([
  ['a profile does not undo a newer one', { late: publishTitle('clerk'), newer: publishTitle('boss') }],
  ['a profile does not undo its deletion', { late: publishTitle('boss'), newer: publishNoProfile }],
  ['the deletion of a profile does not undo a newer one', { late: publishNoProfile, newer: publishTitle('boss') }],
  ['tenants do not undo newer ones', { late: publishTenants('acme', 'globex'), newer: publishTenants('globex') }],
  ['tenants do not undo the removal of all', { late: publishTenants('acme'), newer: publishTenants() }],
  ['the removal of all tenants does not undo newer ones', { late: publishTenants(), newer: publishTenants('acme') }],
])('coming late, %s', async (_, { late, newer }) => {
  const workspace = await buildWorkspace();
  const { profile, tenants, applied, members, row } = workspace;
  const state = async () => ({ members: await members(), row: await row() });
  // Events of the other source have lower sequence numbers.
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

it('orders profiles and tenants by separate sequence numbers', async () => {
  const { profile, tenants, members } = await buildWorkspace(OF_ACME);
  await tenants(['acme'], '5');
  await expect(members()).resolves.toEqual([]); // without a profile there is no membership

  await profile({}, '1');
  await expect(members()).resolves.toEqual(['ada']);

  await tenants([], '6');
  await expect(members()).resolves.toEqual([]);
});

it('purges deleted people after the retention time, and no others', async () => {
  const { profile, tenants, applied, row } = await buildWorkspace();
  const purger = service.get(PeoplePurger);
  await profile({ title: 'boss' }, '1');
  await tenants(['acme'], '2');
  await profile(null, '3');
  await applied();
  await purger.purge(0);
  await expect(row()).resolves.toMatchObject({ deleted: false }); // still in a tenant

  await tenants([], '4');
  await applied();
  await purger.purge();
  await expect(row()).resolves.toMatchObject({ deleted: true });
  await purger.purge(0);
  await expect(row()).resolves.toBeUndefined();
});

it('stores a record without sequence number as a dead letter, and goes on', async () => {
  const { workspaceId, profile, members } = await buildWorkspace();
  const id = randomUUID();
  await instances.log.append(profileChanged, [{ id, payload: { workspaceId, userId: 'eve', profile: { title: 'boss' } } }]);

  await profile({ title: 'boss' }, '1');

  await expect(members()).resolves.toEqual(['ada']);
  const page = await instances.log.deadLetters.page(profileChanged);
  const deadLetters = await instances.log.deadLetters.find(
    profileChanged,
    page.map(({ reference }) => reference),
  );
  expect(deadLetters).toMatchObject([{ id, reason: expect.stringContaining('no sequence number') as string }]);
});

it('adds a person whose audiences take long to evaluate, evaluating them outside a transaction', async () => {
  const { workspaceId, profile, members } = await buildWorkspace();
  const bio = 'a'.repeat(EVALUATION_STEPS_MAX / 100);
  // Each uses nearly all its steps; the last value matches.
  const value = [...Array.from({ length: 98 }, (_, n) => `b${n}`), 'a'];
  const count = 2 + TRANSACTION_STEPS_MAX / (EVALUATION_STEPS_MAX - 2 * bio.length);
  for (let n = 0; n < count; n++) {
    const filter = { operator: 'INCLUDES', path: 'bio', value };
    await service.call(audiences.put, contextOf(workspaceId), { audience_id: `long${n}`, filter });
  }
  await instances.waitUntilIdle(service);
  const transactions = jest.spyOn(service.get(Database), 'transaction');

  await profile({ title: 'boss', bio }, '1');

  await expect(members()).resolves.toEqual(['ada']);
  const outcomes = await Promise.allSettled(transactions.mock.results.map(({ value: outcome }) => outcome as Promise<unknown>));
  transactions.mockRestore();
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([
    { status: 'rejected', reason: expect.any(EvaluationsPending) as EvaluationsPending },
  ]);
  const joined = 'select count(*)::int as count from audience_members where workspace_id = $1';
  await expect(instances.sql(service, joined, [workspaceId])).resolves.toEqual([{ count: Math.ceil(count) + 1 }]);
});
