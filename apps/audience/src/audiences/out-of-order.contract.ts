import { randomUUID } from 'node:crypto';
import { type AudienceFilter, audiences } from '@tidings/contracts/audience/audiences';
import { audienceMembers } from '@tidings/contracts/audience/audience-members';
import type { CallContext } from '@tidings/contracts/core/context';
import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import { Database } from '@tidings/persistence/database';
import { contextOf } from '@tidings/testing/context-of';
import fc from 'fast-check';
import { type AudienceInstance, AudienceInstances } from '../testing/audience-instances';
import { evaluateFilter } from './filter/evaluate-filter';
import { parseFilter } from './filter/parse-filter';

const USERS = 12;
const AUDIENCES = ['a', 'b'];
/** Actions that run in parallel. */
const PARALLEL = 4;

type Step =
  | { kind: 'profile'; user: number; profile: ProfileFields | null; late: number; twice: boolean }
  | { kind: 'tenants'; user: number; tenantIds: string[]; late: number; twice: boolean }
  | { kind: 'put'; audience: string; filter: AudienceFilter | null; instance: number }
  | { kind: 'remove'; audience: string; instance: number };

const title = fc.constantFrom('boss', 'clerk');
const condition: fc.Arbitrary<AudienceFilter> = fc.oneof(
  title.map((value) => ({ operator: 'EQ', path: 'title', value })),
  title.map((value) => ({ operator: 'NEQ', path: 'title', value })),
  fc.constantFrom('1', '2').map((value) => ({ operator: 'GTE', path: 'level', value })),
  fc.constantFrom('true', 'false').map((value) => ({ operator: 'EXISTS', path: 'level', value })),
  fc.constantFrom('x', 'y').map((value) => ({ operator: 'MEMBER_OF', path: 'account_id', value })),
);
const filter = fc.oneof(
  condition,
  fc.tuple(fc.constantFrom('AND', 'OR'), condition, condition).map(([operator, ...filters]) => ({ operator, filters })),
  fc.constant(null),
);
const profile = fc.option(fc.record({ title, level: fc.constantFrom(1, '2', 3) }, { requiredKeys: [] }), { freq: 4 });
const user = fc.nat(USERS - 1);
const delivery = { late: fc.oneof(fc.constant(0), fc.nat(9)), twice: fc.boolean() };
const audience = fc.constantFrom(...AUDIENCES);
const instance = fc.nat(1);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('profile' as const), user, profile, ...delivery }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('tenants' as const), user, tenantIds: fc.subarray(['x', 'y']), ...delivery }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('put' as const), audience, filter, instance }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), audience, instance }) },
);
const scenario = fc.array(step, { minLength: 10, maxLength: 60 });

/** The first scenario of each run: events of a user, a deleted user and a tenant's member, delivered after newer ones. */
const OLD_BEHIND_NEW: Step[] = [
  { kind: 'put', audience: 'a', filter: { operator: 'EQ', path: 'title', value: 'boss' }, instance: 0 },
  { kind: 'put', audience: 'b', filter: { operator: 'MEMBER_OF', path: 'account_id', value: 'x' }, instance: 1 },
  { kind: 'profile', user: 0, profile: { title: 'boss' }, late: 9, twice: true },
  { kind: 'profile', user: 0, profile: { title: 'clerk' }, late: 0, twice: false },
  { kind: 'profile', user: 1, profile: { title: 'boss' }, late: 9, twice: true },
  { kind: 'profile', user: 1, profile: null, late: 0, twice: false },
  { kind: 'profile', user: 2, profile: { title: 'boss' }, late: 0, twice: true },
  { kind: 'tenants', user: 2, tenantIds: ['x'], late: 9, twice: true },
  { kind: 'tenants', user: 2, tenantIds: [], late: 0, twice: false },
];

interface Latest<Value> {
  sequence: number;
  value: Value;
}

/**
 * Repeated and late events, also after deletions and during rebuilds, on two instances at once: the members end as those of an
 * evaluation from scratch, and consumers of the audience events compute the same members.
 */
export function describeOutOfOrderEvents(name: string, runs: number, start: () => Promise<AudienceInstances>): void {
  describe(`Out-of-order events on ${name}`, () => {
    let instances: AudienceInstances;
    let services: AudienceInstance[];

    beforeAll(async () => {
      instances = await start();
      services = [await instances.start(), await instances.start()];
    });
    afterAll(() => instances.close());

    it('ends with the members of an evaluation from scratch, and consumers compute the same', async () => {
      await fc.assert(
        fc.asyncProperty(scenario, async (steps) => {
          const context = contextOf(randomUUID());
          const people = await run(context, steps);
          await instances.waitUntilIdle(services[0]!);
          await expectFinalState(context, people);
        }),
        { numRuns: runs, endOnFailure: true, examples: [[OLD_BEHIND_NEW]] },
      );
      const [{ deadlocks }] = (await services[0]!
        .get(Database)
        .query<{ deadlocks: string }>('select deadlocks from pg_stat_database where datname = current_database()')) as [
        { deadlocks: string },
      ];
      expect(Number(deadlocks)).toBe(0);
    }, 300_000);

    /** Runs a scenario; resolves with the final state of its people. */
    async function run(context: CallContext, steps: readonly Step[]) {
      const { workspaceId } = context;
      const profiles = new Map<string, Latest<ProfileFields | null>>();
      const tenants = new Map<string, Latest<string[]>>();
      const due: { at: number; act: () => Promise<unknown> }[] = [];
      steps.forEach((one, index) => {
        const act = actionOf(context, one, { profiles, tenants });
        const isEvent = one.kind === 'profile' || one.kind === 'tenants';
        due.push({ at: index + (isEvent ? one.late : 0), act });
        if (isEvent && one.twice) due.push({ at: index + one.late * 2 + 1, act });
      });
      due.sort((one, other) => one.at - other.at);
      for (let begin = 0; begin < due.length; begin += PARALLEL) {
        await Promise.all(due.slice(begin, begin + PARALLEL).map(({ act }) => act()));
      }
      return { workspaceId, profiles, tenants };
    }

    /** Draws the sequence number now; the returned action publishes later. */
    function actionOf(
      context: CallContext,
      one: Step,
      { profiles, tenants }: { profiles: Map<string, Latest<ProfileFields | null>>; tenants: Map<string, Latest<string[]>> },
    ): () => Promise<unknown> {
      const { workspaceId } = context;
      switch (one.kind) {
        case 'profile': {
          const [userId, sequence] = [`user ${one.user}`, instances.nextSequence()];
          profiles.set(userId, { sequence: Number(sequence), value: one.profile });
          return () => instances.publishProfile(workspaceId, userId, one.profile, sequence);
        }
        case 'tenants': {
          const [userId, sequence] = [`user ${one.user}`, instances.nextSequence()];
          tenants.set(userId, { sequence: Number(sequence), value: one.tenantIds });
          return () => instances.publishTenants(workspaceId, userId, one.tenantIds, sequence);
        }
        case 'put':
          return () => services[one.instance]!.call(audiences.put, context, { audience_id: one.audience, filter: one.filter });
        case 'remove':
          return () =>
            services[one.instance]!.call(audiences.remove, context, { audience_id: one.audience }).catch((error: unknown) => {
              expect(error).toMatchObject({ code: 'not_found' });
            });
      }
    }

    async function expectFinalState(
      context: CallContext,
      {
        workspaceId,
        profiles,
        tenants,
      }: { workspaceId: string; profiles: Map<string, Latest<ProfileFields | null>>; tenants: Map<string, Latest<string[]>> },
    ): Promise<void> {
      const { call, get } = services[1]!;
      const { items } = await call(audiences.list, context, {});
      let rows = 0;
      for (const { id, filter: given, operator } of items) {
        const { rule } = parseFilter({ filter: given, operator });
        const expected = [...profiles]
          .filter(
            ([userId, { value }]) => value && evaluateFilter(rule, { profile: value, tenantIds: tenants.get(userId)?.value ?? [] }).matches,
          )
          .map(([userId]) => userId)
          .sort();
        const { user_ids } = await call(audienceMembers.ofAudience, context, { audience_id: id });
        expect({ id, members: user_ids }).toEqual({ id, members: expected });
        expect({ id, published: publishedMembers(workspaceId, id) }).toEqual({ id, published: expected });
        rows += expected.length;
      }
      const stored = await get(Database).query('select from audience_members where workspace_id = $1', [workspaceId]);
      expect(stored).toHaveLength(rows);
    }

    /** The members according to the published events. An audience that is created again starts empty. */
    function publishedMembers(workspaceId: string, audienceId: string): string[] {
      const members = new Set<string>();
      for (const { type, data } of instances.eventsOf(workspaceId, audienceId)) {
        const { user_id = '', audience_version } = data as { user_id?: string; audience_version?: number };
        if (type === 'audiences:updated' && audience_version === 1) members.clear();
        if (type === 'audiences:user:matched') {
          expect(members).not.toContain(user_id);
          members.add(user_id);
        }
        if (type === 'audiences:user:unmatched') {
          expect(members).toContain(user_id);
          members.delete(user_id);
        }
      }
      return [...members].sort();
    }
  });
}
