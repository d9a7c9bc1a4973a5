import type { AudienceEventData } from '@tidings/contracts/audience/events';
import { type Database, statement, type Transaction } from '@tidings/persistence/database';
import type { Outbox } from '@tidings/persistence/outbox';
import { publishAudienceEvent } from '../audience-events';
import { NO_PROFILE_REASON } from '../audience-limits';
import { lockWorkspaceExclusive } from '../workspace-lock';
import { evaluatePeople, type Progress } from './build-page';
import { type Claim, endRebuild, requestRebuild } from './rebuild-queue';

/** A member of the served version, of the previous one, or of both. */
interface DifferenceRow {
  user_id: string;
  /** `null` for a user who is no member any more. */
  reason: string | null;
  wasMember: boolean;
  /** The user up to whom both versions are read; `null` where both end. The same in every row. */
  upTo: string | null;
}

// SQL because a page merges two versions of the members along their key, under the lease of the rebuild.
const RENEW = statement(
  'audience-rebuilds-renew',
  `update audience_rebuilds set due_at = clock_timestamp() + $5 * interval '1 millisecond'
    where workspace_id = $1 and audience_id = $2 and membership = $3 and holder = $4 and phase = 'announcing'`,
);

/** The next members of the previous ($2) and of the served version ($3), at most `$5` of each, after the user $4. */
const AFTER = statement(
  'audience-members-after',
  `with previous as materialized (
     select user_id from audience_members where workspace_id = $1 and membership = $2 and user_id > $4 order by user_id limit $5
   ), served as materialized (
     select user_id, reason from audience_members where workspace_id = $1 and membership = $3 and user_id > $4 order by user_id limit $5
   ), complete as materialized (
     select least((select max(user_id) from previous having count(*) = $5), (select max(user_id) from served having count(*) = $5)) as up_to
   )
   select user_id, served.reason, previous.user_id is not null as "wasMember", complete.up_to as "upTo"
     from previous full join served using (user_id) cross join complete
    where complete.up_to is null or user_id <= complete.up_to
    order by user_id`,
);

const REMOVE = statement(
  'audience-members-remove-range',
  'delete from audience_members where workspace_id = $1 and membership = $2 and user_id > $3 and user_id <= $4',
);

const PEOPLE = statement(
  'people-of-ids',
  'select user_id, profile, tenant_ids from people where workspace_id = $1 and user_id = any($2::text[])',
);

const ADVANCE = statement(
  'audience-rebuilds-announced',
  `update audience_rebuilds set checkpoint = $3, user_count = user_count + $4 where workspace_id = $1 and audience_id = $2`,
);

const COUNTS = statement(
  'audience-rebuilds-counts',
  `select audiences.version, json_build_object('audience_id', audience_id, 'user_count', user_count, 'total_users', total_users,
                                                'total_users_filtered', matched_users) as counts
     from audience_rebuilds join audiences using (workspace_id, audience_id) where workspace_id = $1 and audience_id = $2`,
);

/** Members of each of the two versions per page: the workspace is locked exclusively meanwhile. */
export const ANNOUNCED_MAX = 1_000;

/**
 * Publishes which of the next users joined with the served version and which left with the previous one, and removes the rows of
 * the latter. The exclusive lock makes this exact: a changed person is published by the change up to the checkpoint, and by this
 * scan beyond it.
 */
export async function announcePage(
  database: Database,
  outbox: Outbox,
  claim: Claim,
  leaseMs: number,
  size = ANNOUNCED_MAX,
): Promise<Progress> {
  const { workspaceId, audienceId, membership, previousMembership, checkpoint, holder } = claim;
  return database.transaction(async (tx) => {
    await lockWorkspaceExclusive(tx.manager, workspaceId);
    if ((await tx.execute(RENEW, [workspaceId, audienceId, membership, holder, leaseMs])) === 0) return 'lost';
    const page = await tx.query<DifferenceRow>(AFTER, [workspaceId, previousMembership, membership, checkpoint, size]);
    await publishDifference(tx, outbox, claim, page);
    const lastRemoved = page.findLast(({ wasMember }) => wasMember);
    if (lastRemoved) await tx.execute(REMOVE, [workspaceId, previousMembership, checkpoint, lastRemoved.user_id]);
    const reached = page[0]?.upTo ?? checkpoint;
    const members = page.filter(({ reason }) => reason !== null);
    await tx.execute(ADVANCE, [workspaceId, audienceId, reached, members.length]);
    if (page[0]?.upTo) return { checkpoint: reached };
    await finish(tx, outbox, claim);
    return 'done';
  });
}

async function publishDifference(
  tx: Transaction,
  outbox: Outbox,
  { workspaceId, audienceId, version, rule }: Claim,
  page: readonly DifferenceRow[],
) {
  const data = { audience_id: audienceId, audience_version: version };
  for (const { user_id, reason, wasMember } of page) {
    if (reason === null || wasMember) continue;
    await publishAudienceEvent(tx, outbox, workspaceId, 'audiences:user:matched', { ...data, reason, user_id });
  }
  const removed = page.filter(({ reason }) => reason === null).map(({ user_id }) => user_id);
  if (removed.length === 0) return;
  const evaluations = await evaluatePeople(rule, await tx.query(PEOPLE, [workspaceId, removed]));
  for (const userId of removed) {
    const reason = evaluations.get(userId)?.reason ?? NO_PROFILE_REASON;
    await publishAudienceEvent(tx, outbox, workspaceId, 'audiences:user:unmatched', { ...data, reason, user_id: userId });
  }
}

/** Ends the rebuild once all differences are published; requests the next one where the filter changed meanwhile. */
async function finish(tx: Transaction, outbox: Outbox, { workspaceId, audienceId, version }: Claim) {
  const [rebuild] = await tx.query<{ version: number; counts: AudienceEventData['audiences:calculated'] }>(COUNTS, [
    workspaceId,
    audienceId,
  ]);
  await publishAudienceEvent(tx, outbox, workspaceId, 'audiences:calculated', rebuild!.counts);
  if (rebuild!.version === version) await endRebuild(tx, workspaceId, audienceId);
  else await requestRebuild(tx, workspaceId, audienceId);
}
