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
/** What happens at the same time. */
const AT_ONCE = 4;

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
const story = fc.array(step, { minLength: 10, maxLength: 60 });

/** What each run begins with: events of one user, of a deleted one and of a tenant's member, told behind newer ones. */
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

interface Told<Value> {
  sequence: number;
  value: Value;
}

/**
 * Events twice, late, after a deletion and in the midst of rebuilds, at two instances at once: in the end the members are those
 * that an evaluation from scratch finds, and whoever listened to the events knows them.
 */
export function describeDisorder(name: string, runs: number, start: () => Promise<AudienceInstances>): void {
  describe(`Disorder on ${name}`, () => {
    let instances: AudienceInstances;
    let services: AudienceInstance[];

    beforeAll(async () => {
      instances = await start();
      services = [await instances.start(), await instances.start()];
    });
    afterAll(() => instances.end());

    it('ends with the members of an evaluation from scratch, and every listener knows them', async () => {
      await fc.assert(
        fc.asyncProperty(story, async (steps) => {
          const context = contextOf(randomUUID());
          const people = await happen(context, steps);
          await instances.quiet(services[0]!);
          await expectTruth(context, people);
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

    /** Lets a story happen; resolves with who everybody is in the end. */
    async function happen(context: CallContext, steps: readonly Step[]) {
      const { workspaceId } = context;
      const profiles = new Map<string, Told<ProfileFields | null>>();
      const tenants = new Map<string, Told<string[]>>();
      const due: { at: number; act: () => Promise<unknown> }[] = [];
      steps.forEach((one, place) => {
        const act = actionOf(context, one, { profiles, tenants });
        const isTold = one.kind === 'profile' || one.kind === 'tenants';
        due.push({ at: place + (isTold ? one.late : 0), act });
        if (isTold && one.twice) due.push({ at: place + one.late * 2 + 1, act });
      });
      due.sort((one, other) => one.at - other.at);
      for (let begin = 0; begin < due.length; begin += AT_ONCE) {
        await Promise.all(due.slice(begin, begin + AT_ONCE).map(({ act }) => act()));
      }
      return { workspaceId, profiles, tenants };
    }

    /** The running number is drawn now; when it is told is another matter. */
    function actionOf(
      context: CallContext,
      one: Step,
      { profiles, tenants }: { profiles: Map<string, Told<ProfileFields | null>>; tenants: Map<string, Told<string[]>> },
    ): () => Promise<unknown> {
      const { workspaceId } = context;
      switch (one.kind) {
        case 'profile': {
          const [userId, sequence] = [`user ${one.user}`, instances.next()];
          profiles.set(userId, { sequence: Number(sequence), value: one.profile });
          return () => instances.tellProfile(workspaceId, userId, one.profile, sequence);
        }
        case 'tenants': {
          const [userId, sequence] = [`user ${one.user}`, instances.next()];
          tenants.set(userId, { sequence: Number(sequence), value: one.tenantIds });
          return () => instances.tellTenants(workspaceId, userId, one.tenantIds, sequence);
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

    async function expectTruth(
      context: CallContext,
      {
        workspaceId,
        profiles,
        tenants,
      }: { workspaceId: string; profiles: Map<string, Told<ProfileFields | null>>; tenants: Map<string, Told<string[]>> },
    ): Promise<void> {
      const { call, get } = services[1]!;
      const { items } = await call(audiences.list, context, {});
      let rows = 0;
      for (const { id, filter: given, operator } of items) {
        const rule = parseFilter({ filter: given, operator }).filter;
        const wanted = [...profiles]
          .filter(
            ([userId, { value }]) => value && evaluateFilter(rule, { profile: value, tenantIds: tenants.get(userId)?.value ?? [] }).matches,
          )
          .map(([userId]) => userId)
          .sort();
        const { user_ids } = await call(audienceMembers.ofAudience, context, { audience_id: id });
        expect({ id, members: user_ids }).toEqual({ id, members: wanted });
        expect({ id, heard: heardMembers(workspaceId, id) }).toEqual({ id, heard: wanted });
        rows += wanted.length;
      }
      const stored = await get(Database).query('select from audience_members where workspace_id = $1', [workspaceId]);
      expect(stored).toHaveLength(rows);
    }

    /** Who is in by what was told. An audience that is made anew begins with nobody. */
    function heardMembers(workspaceId: string, audienceId: string): string[] {
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
