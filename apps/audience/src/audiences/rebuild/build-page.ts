import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import { columnsOf } from '@tidings/persistence/columns-of';
import { type Database, statement } from '@tidings/persistence/database';
import { EventLoopYielder } from '@tidings/runtime/event-loop-yielder';
import { type Evaluation, evaluateFilter } from '../filter/evaluate-filter';
import type { Filter } from '../filter/filter';
import { PreparedPerson } from '../filter/prepared-person';
import { preselect } from '../filter/preselect';
import { lockWorkspaceExclusive, lockWorkspaceShared } from '../workspace-lock';
import type { Claim } from './rebuild-queue';

/** The outcome of a page of a rebuild: more to do, `done`, or `lost`, as another worker has claimed it or it was cancelled. */
export type Progress = { checkpoint: string } | 'done' | 'lost';

interface PersonRow {
  user_id: string;
  has_profile: boolean;
  /** `null` where the preselection excludes the person. */
  profile: ProfileFields | null;
  tenant_ids: string[] | null;
  profile_sequence: string;
  tenants_sequence: string;
}

/** Parameters of a page before those of the preselection. */
const PAGE_PARAMETERS = 3;

// SQL because one statement locks a page of people and inserts those that have not changed since they were read.
const ADVANCE = statement(
  'audience-rebuilds-advance',
  `update audience_rebuilds set checkpoint = $5, total_users = total_users + $6, matched_users = matched_users + $7,
          due_at = clock_timestamp() + $8 * interval '1 millisecond'
    where workspace_id = $1 and audience_id = $2 and membership = $3 and holder = $4 and phase = 'building'`,
);

/**
 * Inserts the matching people that have not changed since they were read; the transaction of a change evaluates the changed ones.
 * The row lock makes such a change wait, or waits for it and reads the row again. Locks people in the order of ids, in which they
 * were read, as all writers do. One-person subqueries force a lookup by primary key whatever the tables' statistics are.
 */
const INSERT_UNCHANGED = statement(
  'audience-members-insert-unchanged',
  `with unchanged as (
     select matched.user_id, matched.reason
       from unnest($4::text[], $5::text[], $6::bigint[], $7::bigint[]) as matched (user_id, reason, profile_sequence, tenants_sequence)
      cross join lateral (
        select people.user_id from people
         where people.workspace_id = $1 and people.user_id = matched.user_id
           and people.profile_sequence = matched.profile_sequence and people.tenants_sequence = matched.tenants_sequence
           for share) as locked
   )
   insert into audience_members (workspace_id, membership, user_id, reason, added_at)
   select $1, $2, unchanged.user_id, unchanged.reason, coalesce((
            select before.added_at from audience_members as before
             where before.workspace_id = $1 and before.membership = $3 and before.user_id = unchanged.user_id), now())
     from unchanged
   on conflict (workspace_id, membership, user_id) do nothing`,
);

/** Switches the served version atomically. */
const SWITCH = statement(
  'audiences-switch',
  `with built as (
     update audience_rebuilds set phase = 'announcing', checkpoint = '', due_at = clock_timestamp() + $5 * interval '1 millisecond'
      where workspace_id = $1 and audience_id = $2 and membership = $3 and holder = $4 and phase = 'building'
     returning version, membership, rule
   )
   update audiences set served_version = built.version, served_membership = built.membership, served_rule = built.rule
     from built where audiences.workspace_id = $1 and audiences.audience_id = $2`,
);

/** Evaluates the next people of the workspace and inserts those that match. */
export async function buildPage(database: Database, claim: Claim, size: number, leaseMs: number): Promise<Progress> {
  const { workspaceId, audienceId, membership, previousMembership, checkpoint, holder } = claim;
  const page = await readPage(database, claim, size);
  const evaluations = await evaluatePeople(claim.rule, page);
  const matches = page.flatMap((row) => {
    const evaluation = evaluations.get(row.user_id);
    return evaluation?.matches ? [{ ...row, reason: evaluation.reason }] : [];
  });
  const reached = page.at(-1)?.user_id ?? checkpoint;
  const counted = page.filter(({ has_profile }) => has_profile).length;
  const isClaimed = await database.transaction(async (tx) => {
    await lockWorkspaceShared(tx, workspaceId);
    const progress = [reached, counted, matches.length, leaseMs];
    if ((await tx.execute(ADVANCE, [workspaceId, audienceId, membership, holder, ...progress])) === 0) return false;
    if (matches.length > 0)
      await tx.execute(INSERT_UNCHANGED, [
        workspaceId,
        membership,
        previousMembership,
        ...columnsOf(matches, 'user_id', 'reason', 'profile_sequence', 'tenants_sequence'),
      ]);
    return true;
  });
  if (!isClaimed) return 'lost';
  return page.length < size ? 'done' : { checkpoint: reached };
}

/** Serves the built version; false where another worker has claimed the rebuild or it was cancelled. */
export async function switchVersion(database: Database, { workspaceId, audienceId, membership, holder }: Claim, leaseMs: number) {
  return database.transaction(async (tx) => {
    await lockWorkspaceExclusive(tx.manager, workspaceId);
    return (await tx.execute(SWITCH, [workspaceId, audienceId, membership, holder, leaseMs])) > 0;
  });
}

/**
 * The next `size` people after the checkpoint, matching or not, so that a page's work is bounded. Only people that may match come
 * with their profiles.
 */
export async function readPage(
  database: Database,
  { workspaceId, checkpoint, rule }: Pick<Claim, 'workspaceId' | 'checkpoint' | 'rule'>,
  size: number,
) {
  const { condition, values } = preselect(rule, PAGE_PARAMETERS + 1) ?? { condition: '(true)', values: [] };
  const text = `select user_id, profile is not null as has_profile,
           case when chosen then profile end as profile, case when chosen then tenant_ids end as tenant_ids,
           profile_sequence, tenants_sequence
      from (select page.*, profile is not null and coalesce(${condition}, false) as chosen
              from (select user_id, profile, tenant_ids, profile_sequence, tenants_sequence
                      from people where workspace_id = $1 and user_id > $2 order by user_id limit $3) as page) as marked
     order by user_id`;
  return database.query<PersonRow>(text, [workspaceId, checkpoint, size, ...values]);
}

/** Evaluates the people with a profile, by user. Yields to the event loop: evaluating a page may take long. */
export async function evaluatePeople(rule: Filter | null, people: readonly Pick<PersonRow, 'user_id' | 'profile' | 'tenant_ids'>[]) {
  const evaluations = new Map<string, Evaluation>();
  const yielder = new EventLoopYielder();
  for (const { user_id, profile, tenant_ids } of people) {
    if (profile === null) continue;
    evaluations.set(user_id, evaluateFilter(rule, new PreparedPerson({ profile, tenantIds: tenant_ids ?? [] })));
    await yielder.yieldIfDue();
  }
  return evaluations;
}
