import { isDeepStrictEqual } from 'node:util';
import { statement, type Transaction } from '@tidings/persistence/database';
import type { Outbox } from '@tidings/persistence/outbox';
import type { ChangedPerson } from '../people/people.rows';
import type { Person } from '../people/person-change';
import { publishAudienceEvent } from './audience-events';
import { AUDIENCES_PER_WORKSPACE_MAX } from './audience-limits';
import { compareIds } from './byte-order';
import { Evaluations } from './evaluations';
import type { Evaluation } from './filter/evaluate-filter';
import { attributesOf, TENANT_PATH } from './filter/filter';
import { type AudienceState, type Membership, statesOf } from './membership-state';

/** A person in, or not in, a membership. */
interface Verdict {
  audience: AudienceState;
  membership: Membership;
  userId: string;
  evaluation: Evaluation;
}

/**
 * Who stays from one version to the next was added when they came into the first. A row that was there keeps its time.
 * A subquery of one row, as in `LEAVE`, so that the plan is a look into the key whatever is known of the table.
 */
const JOIN = statement(
  'audience-members-join',
  `insert into audience_members (workspace_id, membership, user_id, reason, added_at)
   select $1, wanted.membership, wanted.user_id, wanted.reason, coalesce((
            select kept.added_at from audience_members as kept
             where kept.workspace_id = $1 and kept.membership = wanted.previous and kept.user_id = wanted.user_id), now())
     from unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[]) as wanted (membership, user_id, reason, previous)
   on conflict (workspace_id, membership, user_id) do update set reason = excluded.reason
      where audience_members.reason <> excluded.reason
   returning membership, user_id, xmax = 0 as joined`,
);

/** Rows of a person are written only by whoever holds the person's, so they stay where they were found. */
const LEAVE = statement(
  'audience-members-leave',
  `delete from audience_members where ctid = any(array(
     select (select members.ctid from audience_members as members
              where members.workspace_id = $1 and members.membership = unwanted.membership and members.user_id = unwanted.user_id)
       from unnest($2::bigint[], $3::text[]) as unwanted (membership, user_id)))
   returning membership, user_id`,
);

/**
 * Makes the memberships of people what their profiles and tenants say now, and tells who came in and who left. The transaction
 * has passed the gate and holds the rows of these people.
 *
 * A version in the making is written for everybody who changes, whether its rebuild has come to them or not, and whatever
 * changed: the rebuild leaves out whoever is not as it read them.
 * @throws EvaluationsOpen when the filters take longer than a transaction should; nothing was written of memberships.
 */
export async function settleMemberships(
  tx: Transaction,
  outbox: Outbox,
  workspaceId: string,
  people: readonly ChangedPerson[],
  evaluations = new Evaluations(),
): Promise<void> {
  const known = people.filter(({ before, after }) => before.profile !== null || after.profile !== null);
  if (known.length === 0) return;
  const audiences = await statesOf(tx, workspaceId, AUDIENCES_PER_WORKSPACE_MAX);
  const verdicts = known.flatMap((person) => verdictsOn(person, audiences, evaluations));
  evaluations.assertComplete();
  const changed = new Set([
    ...(await join(
      tx,
      workspaceId,
      verdicts.filter(({ evaluation }) => evaluation.matches),
    )),
    ...(await leave(
      tx,
      workspaceId,
      verdicts.filter(({ evaluation }) => !evaluation.matches),
    )),
  ]);
  for (const { audience, membership, userId, evaluation } of verdicts) {
    if (!changed.has(rowKey(membership.id, userId)) || membership !== audience.served || isToldLater(audience, userId)) continue;
    await publishAudienceEvent(tx, outbox, workspaceId, evaluation.matches ? 'audiences:user:matched' : 'audiences:user:unmatched', {
      audience_id: audience.audienceId,
      audience_version: membership.version,
      reason: evaluation.reason,
      user_id: userId,
    });
  }
}

function verdictsOn(person: ChangedPerson, audiences: readonly AudienceState[], evaluations: Evaluations): Verdict[] {
  const isAffected = affectedBy(person.before, person.after);
  const asked = audiences.flatMap((audience) => {
    const { served, building } = audience;
    const memberships = [...(served && isAffected(served) ? [served] : []), ...(building ? [building] : [])];
    return memberships.map((membership) => ({ audience, membership }));
  });
  const evaluated = evaluations.of(
    person,
    asked.map(({ membership }) => membership),
  );
  return asked.map((one, index) => ({ ...one, userId: person.userId, evaluation: evaluated[index]! }));
}

/** Whether a membership's rule looks at something that changed; a profile that came or went is looked at by all. */
function affectedBy(before: Person, after: Person): (membership: Membership) => boolean {
  if (before.profile === null || after.profile === null) return () => true;
  const [old, now] = [before.profile, after.profile];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  const changed = new Set([...names].filter((name) => !isDeepStrictEqual(old[name], now[name])));
  if (!isDeepStrictEqual(before.tenantIds, after.tenantIds)) changed.add(TENANT_PATH);
  return ({ rule }) => attributesOf(rule).some((name) => changed.has(name));
}

/** The walk that tells of the difference between two versions has yet to come to this user, and finds what is so then. */
function isToldLater({ announcedUpTo }: AudienceState, userId: string): boolean {
  return announcedUpTo !== undefined && compareIds(userId, announcedUpTo) > 0;
}

async function join(tx: Transaction, workspaceId: string, wanted: readonly Verdict[]): Promise<string[]> {
  if (wanted.length === 0) return [];
  const rows = await tx.query<{ membership: string; user_id: string; joined: boolean }>(JOIN, [
    workspaceId,
    wanted.map(({ membership }) => membership.id),
    wanted.map(({ userId }) => userId),
    wanted.map(({ evaluation }) => evaluation.reason),
    wanted.map(({ audience, membership }) => (membership === audience.building ? (audience.served?.id ?? null) : null)),
  ]);
  return rows.filter(({ joined }) => joined).map(({ membership, user_id }) => rowKey(membership, user_id));
}

async function leave(tx: Transaction, workspaceId: string, unwanted: readonly Verdict[]): Promise<string[]> {
  if (unwanted.length === 0) return [];
  const rows = await tx.query<{ membership: string; user_id: string }>(LEAVE, [
    workspaceId,
    unwanted.map(({ membership }) => membership.id),
    unwanted.map(({ userId }) => userId),
  ]);
  return rows.map(({ membership, user_id }) => rowKey(membership, user_id));
}

const rowKey = (membership: string, userId: string): string => `${membership} ${userId}`;
