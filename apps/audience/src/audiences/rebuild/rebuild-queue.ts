import { type Queryable, statement, type Transaction } from '@tidings/persistence/database';
import { type Filter, ruleOf } from '../filter/filter';

/** A rebuild under a worker's lease, as it was when claimed. */
export interface Claim {
  workspaceId: string;
  audienceId: string;
  /** `building` evaluates all people; `announcing`, after the switch, publishes joins and leaves and removes the previous version. */
  phase: 'building' | 'announcing';
  version: number;
  membership: string;
  /** Membership of the previously served version; `null` for the first. */
  previousMembership: string | null;
  rule: Filter | null;
  /** The last user, by id, that the phase has handled. */
  checkpoint: string;
  /** An earlier worker's lease ended before its slice. */
  orphaned: boolean;
  /** The worker, which fences: once another worker has claimed the rebuild, statements of this one have no effect. */
  holder: string;
}

// SQL because rebuilds are a queue: a worker claims one with skip locked, on the database's clock.
/** For the newest version of the audience, from the beginning. */
const REQUEST = statement(
  'audience-rebuilds-request',
  `insert into audience_rebuilds as rebuilds (workspace_id, audience_id, version, membership, previous_membership, rule)
   select workspace_id, audience_id, version, nextval('audience_memberships'), served_membership, rule
     from audiences where workspace_id = $1 and audience_id = $2
   on conflict (workspace_id, audience_id) do update set
     phase = excluded.phase, version = excluded.version, membership = excluded.membership,
     previous_membership = excluded.previous_membership, rule = excluded.rule, checkpoint = '',
     total_users = 0, matched_users = 0, user_count = 0, holder = null, due_at = excluded.due_at`,
);

/** Materialized: otherwise the subquery could run once per rebuild, and one statement would lease several. */
const CLAIM = statement(
  'audience-rebuilds-claim',
  `with due as materialized (
     select workspace_id, audience_id, holder is not null as orphaned from audience_rebuilds where due_at <= clock_timestamp()
      order by due_at limit 1 for update skip locked)
   update audience_rebuilds as claimed set holder = $1, due_at = clock_timestamp() + $2 * interval '1 millisecond'
     from due where claimed.workspace_id = due.workspace_id and claimed.audience_id = due.audience_id
   returning claimed.workspace_id as "workspaceId", claimed.audience_id as "audienceId", phase, version, membership,
             previous_membership as "previousMembership", rule::text as rule, checkpoint, orphaned`,
);

const RELEASE = statement(
  'audience-rebuilds-release',
  `update audience_rebuilds set holder = null, due_at = clock_timestamp() + $5 * interval '1 millisecond'
    where workspace_id = $1 and audience_id = $2 and membership = $3 and holder = $4`,
);

const FINISH = statement('audience-rebuilds-finish', 'delete from audience_rebuilds where workspace_id = $1 and audience_id = $2');

const DISCARD = statement(
  'audience-discards-add',
  `insert into audience_discards (workspace_id, membership)
   select $1, membership from unnest($2::bigint[]) as unwanted (membership) where membership is not null
   on conflict do nothing`,
);

/** Requests that workers compute the members of the newest version. Needs the workspace's exclusive lock. */
export async function requestRebuild(tx: Transaction, workspaceId: string, audienceId: string) {
  await tx.execute(REQUEST, [workspaceId, audienceId]);
}

/** Removes the rebuild. Needs the workspace's exclusive lock. */
export async function endRebuild(tx: Transaction, workspaceId: string, audienceId: string) {
  await tx.execute(FINISH, [workspaceId, audienceId]);
}

/** Marks memberships as unused; workers remove their rows. Needs the workspace's exclusive lock. */
export async function discard(tx: Transaction, workspaceId: string, memberships: readonly (string | null | undefined)[]) {
  await tx.execute(DISCARD, [workspaceId, memberships]);
}

/** Claims the rebuild that has waited longest for `leaseMs`; each page renews the lease. */
export async function claimRebuild(database: Queryable, holder: string, leaseMs: number): Promise<Claim | undefined> {
  const [row] = await database.query<Omit<Claim, 'rule' | 'holder'> & { rule: string | null }>(CLAIM, [holder, leaseMs]);
  return row && { ...row, rule: ruleOf(row.rule), holder };
}

/** Ends the lease: a worker may claim the rebuild after `delayMs`, behind those that are due already. */
export async function releaseRebuild(database: Queryable, claim: Claim, delayMs = 0) {
  const { workspaceId, audienceId, membership, holder } = claim;
  await database.execute(RELEASE, [workspaceId, audienceId, membership, holder, delayMs]);
}
