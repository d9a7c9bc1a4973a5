import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import { type Database, statement } from '@tidings/persistence/database';
import { EventLoopYielder } from '@tidings/runtime/event-loop-yielder';
import { evaluateFilter } from '../filter/evaluate-filter';
import { PreparedPerson } from '../filter/prepared-person';
import { preselect } from '../filter/preselect';
import { lockWorkspaceExclusive, lockWorkspaceShared } from '../workspace-gate';
import type { Claim } from './rebuild-queue';

/** What a page of a rebuild led to: there is more to do, nothing, or another worker has it or nobody wants it any more. */
export type Progress = { checkpoint: string } | 'done' | 'lost';

interface PersonRow {
  user_id: string;
  has_profile: boolean;
  /** `null` where the preselection says that the person cannot match. */
  profile: ProfileFields | null;
  tenant_ids: string[] | null;
  profile_sequence: string;
  tenants_sequence: string;
}

interface Match extends PersonRow {
  reason: string;
}

/** Parameters of a page before those of the preselection. */
const PAGE_PARAMETERS = 3;

const ADVANCE = statement(
  'audience-rebuilds-advance',
  `update audience_rebuilds set checkpoint = $5, total_users = total_users + $6, matched_users = matched_users + $7,
          due_at = clock_timestamp() + $8 * interval '1 millisecond'
    where workspace_id = $1 and audience_id = $2 and membership = $3 and holder = $4 and phase = 'building'`,
);

/**
 * Takes in who matches and still is as they were read; who changed since was looked at by whoever changed them. The lock makes
 * such a change wait, or waits for it and reads the row again. In the order of ids, as everybody locks people: the order in which
 * they were read. Subqueries of one person each, so that the plan is a look into the key whatever is known of the tables.
 */
const TAKE_IN = statement(
  'audience-members-take-in',
  `with unchanged as (
     select matched.user_id, matched.reason
       from unnest($4::text[], $5::text[], $6::bigint[], $7::bigint[]) as matched (user_id, reason, profile_sequence, tenants_sequence)
      cross join lateral (
        select people.user_id from people
         where people.workspace_id = $1 and people.user_id = matched.user_id
           and people.profile_sequence = matched.profile_sequence and people.tenants_sequence = matched.tenants_sequence
           for share) as held
   )
   insert into audience_members (workspace_id, membership, user_id, reason, added_at)
   select $1, $2, unchanged.user_id, unchanged.reason, coalesce((
            select kept.added_at from audience_members as kept
             where kept.workspace_id = $1 and kept.membership = $3 and kept.user_id = unchanged.user_id), now())
     from unchanged
   on conflict (workspace_id, membership, user_id) do nothing`,
);

/** From one statement to the next the old version is served and then the new one. */
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

/** Looks at the next people of the workspace, and takes in who matches. */
export async function buildPage(db: Database, claim: Claim, size: number, leaseMs: number): Promise<Progress> {
  const { workspaceId, audienceId, membership, previousMembership, checkpoint, holder } = claim;
  const page = await readPage(db, claim, size);
  const matches = await matchesOf(claim, page);
  const reached = page.at(-1)?.user_id ?? checkpoint;
  const counted = page.filter(({ has_profile }) => has_profile).length;
  const kept = await db.transaction(async (tx) => {
    await lockWorkspaceShared(tx, workspaceId);
    const progress = [reached, counted, matches.length, leaseMs];
    if ((await tx.execute(ADVANCE, [workspaceId, audienceId, membership, holder, ...progress])) === 0) return false;
    if (matches.length > 0) await tx.execute(TAKE_IN, [workspaceId, membership, previousMembership, ...columnsOf(matches)]);
    return true;
  });
  if (!kept) return 'lost';
  return page.length < size ? 'done' : { checkpoint: reached };
}

/** Serves the version that is built. False when another worker has the rebuild, or nobody wants it any more. */
export async function switchVersion(
  db: Database,
  { workspaceId, audienceId, membership, holder }: Claim,
  leaseMs: number,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockWorkspaceExclusive(tx, workspaceId);
    return (await tx.execute(SWITCH, [workspaceId, audienceId, membership, holder, leaseMs])) > 0;
  });
}

/**
 * People behind the checkpoint, so many at most, whoever matches: so a page never reads further than it says. Profiles come
 * only of those who may match.
 */
async function readPage(db: Database, { workspaceId, checkpoint, rule }: Claim, size: number): Promise<PersonRow[]> {
  const { condition, values } = preselect(rule, PAGE_PARAMETERS + 1) ?? { condition: '(true)', values: [] };
  const text = `select user_id, profile is not null as has_profile,
           case when chosen then profile end as profile, case when chosen then tenant_ids end as tenant_ids,
           profile_sequence, tenants_sequence
      from (select page.*, profile is not null and coalesce(${condition}, false) as chosen
              from (select user_id, profile, tenant_ids, profile_sequence, tenants_sequence
                      from people where workspace_id = $1 and user_id > $2 order by user_id limit $3) as page) as marked
     order by user_id`;
  return db.query<PersonRow>(text, [workspaceId, checkpoint, size, ...values]);
}

/** With turns for others: a page of expensive people takes its time. */
async function matchesOf({ rule }: Claim, page: readonly PersonRow[]): Promise<Match[]> {
  const matches: Match[] = [];
  const turns = new EventLoopYielder();
  for (const row of page) {
    if (row.profile === null) continue;
    const person = new PreparedPerson({ profile: row.profile, tenantIds: row.tenant_ids ?? [] });
    const { matches: isMember, reason } = evaluateFilter(rule, person);
    if (isMember) matches.push({ ...row, reason });
    await turns.yieldIfDue();
  }
  return matches;
}

const columnsOf = (matches: readonly Match[]): string[][] => [
  matches.map(({ user_id }) => user_id),
  matches.map(({ reason }) => reason),
  matches.map(({ profile_sequence }) => profile_sequence),
  matches.map(({ tenants_sequence }) => tenants_sequence),
];
