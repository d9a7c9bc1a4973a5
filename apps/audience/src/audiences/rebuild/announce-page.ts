import type { AudienceEventData } from '@tidings/contracts/audience/events';
import { type Database, statement, type Transaction } from '@tidings/persistence/database';
import type { Outbox } from '@tidings/persistence/outbox';
import { publishAudienceEvent } from '../audience-events';
import { NO_PROFILE_REASON } from '../audience-limits';
import { compareIds } from '../byte-order';
import { lockWorkspaceExclusive } from '../workspace-lock';
import { evaluatePeople, type Progress } from './build-page';
import { type Claim, endRebuild, requestRebuild } from './rebuild-queue';

interface MemberRow {
  user_id: string;
  reason: string;
}

const RENEW = statement(
  'audience-rebuilds-renew',
  `update audience_rebuilds set due_at = clock_timestamp() + $5 * interval '1 millisecond'
    where workspace_id = $1 and audience_id = $2 and membership = $3 and holder = $4 and phase = 'announcing'`,
);

const AFTER = statement(
  'audience-members-after',
  'select user_id, reason from audience_members where workspace_id = $1 and membership = $2 and user_id > $3 order by user_id limit $4',
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
export async function announcePage(db: Database, outbox: Outbox, claim: Claim, leaseMs: number, size = ANNOUNCED_MAX): Promise<Progress> {
  const { workspaceId, audienceId, membership, previousMembership, checkpoint, holder } = claim;
  return db.transaction(async (tx) => {
    await lockWorkspaceExclusive(tx, workspaceId);
    if ((await tx.execute(RENEW, [workspaceId, audienceId, membership, holder, leaseMs])) === 0) return 'lost';
    const before = previousMembership === null ? [] : await membersAfter(tx, workspaceId, previousMembership, checkpoint, size);
    const now = await membersAfter(tx, workspaceId, membership, checkpoint, size);
    const end = endOf(size, before, now);
    const isWithin = ({ user_id }: MemberRow) => end === undefined || compareIds(user_id, end) <= 0;
    const [left, right] = [before.filter(isWithin), now.filter(isWithin)];
    await publishDifference(tx, outbox, claim, left, right);
    if (left.length > 0) await tx.execute(REMOVE, [workspaceId, previousMembership, checkpoint, left.at(-1)!.user_id]);
    const reached = end ?? checkpoint;
    await tx.execute(ADVANCE, [workspaceId, audienceId, reached, right.length]);
    if (end !== undefined) return { checkpoint: reached };
    await finish(tx, outbox, claim);
    return 'done';
  });
}

const membersAfter = (tx: Transaction, workspaceId: string, membership: string, after: string, size: number) =>
  tx.query<MemberRow>(AFTER, [workspaceId, membership, after, size]);

const idsOf = (rows: readonly MemberRow[]) => new Set(rows.map(({ user_id }) => user_id));

/** The user up to whom both lists are complete; undefined where both end. */
function endOf(size: number, ...lists: readonly MemberRow[][]) {
  const ends = lists.filter((list) => list.length === size).map((list) => list.at(-1)!.user_id);
  return ends.sort(compareIds)[0];
}

async function publishDifference(
  tx: Transaction,
  outbox: Outbox,
  { workspaceId, audienceId, version, rule }: Claim,
  before: readonly MemberRow[],
  now: readonly MemberRow[],
) {
  const [old, current] = [idsOf(before), idsOf(now)];
  const data = { audience_id: audienceId, audience_version: version };
  for (const { user_id, reason } of now) {
    if (!old.has(user_id)) await publishAudienceEvent(tx, outbox, workspaceId, 'audiences:user:matched', { ...data, reason, user_id });
  }
  const removed = before.map(({ user_id }) => user_id).filter((userId) => !current.has(userId));
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
