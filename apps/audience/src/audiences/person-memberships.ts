import { isDeepStrictEqual } from 'node:util';
import { columnsOf } from '@tidings/persistence/columns-of';
import { statement, type Transaction } from '@tidings/persistence/database';
import type { Outbox } from '@tidings/persistence/outbox';
import type { ChangedPerson } from '../people/people.rows';
import type { Person } from '../people/person-change';
import { publishAudienceEvent } from './audience-events';
import { Evaluations } from './evaluations';
import { attributesOf, TENANT_PATH } from './filter/filter';
import { type AudienceState, type Membership, statesOf } from './membership-state';

// SQL because one statement writes the memberships of many people, and returns those that it changed.
/**
 * A user who stays from one version to the next keeps the time of the first; an existing row keeps its time.
 * One-row subqueries, as in `LEAVE`, force a lookup by primary key whatever the table's statistics are.
 */
const JOIN = statement(
  'audience-members-join',
  `insert into audience_members (workspace_id, membership, user_id, reason, added_at)
   select $1, wanted.membership, wanted.user_id, wanted.reason, coalesce((
            select before.added_at from audience_members as before
             where before.workspace_id = $1 and before.membership = wanted.previous and before.user_id = wanted.user_id), now())
     from unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[]) as wanted (membership, user_id, reason, previous)
   on conflict (workspace_id, membership, user_id) do update set reason = excluded.reason
      where audience_members.reason <> excluded.reason
   returning membership, user_id, xmax = 0 as changed`,
);

/** `ctid` is safe: only the transaction that locked the person's row writes the person's memberships. */
const LEAVE = statement(
  'audience-members-leave',
  `delete from audience_members where ctid = any(array(
     select (select members.ctid from audience_members as members
              where members.workspace_id = $1 and members.membership = unwanted.membership and members.user_id = unwanted.user_id)
       from unnest($2::bigint[], $3::text[]) as unwanted (membership, user_id)))
   returning membership, user_id, true as changed`,
);

interface WrittenRow {
  membership: string;
  user_id: string;
  changed: boolean;
}

/**
 * Updates the memberships of people to their profiles and tenants, and publishes joins and leaves. The caller holds the
 * workspace's shared lock and the locks of these people's rows.
 *
 * A version that is being built is written for every changed person, whether its rebuild has reached the person or not, and
 * whatever changed: the rebuild skips people that changed since it read them.
 * @throws EvaluationsPending when the filters take too long for a transaction; no memberships were written.
 */
export async function updateMemberships(
  tx: Transaction,
  outbox: Outbox,
  workspaceId: string,
  people: readonly ChangedPerson[],
  evaluations = new Evaluations(),
) {
  const affected = people.filter(({ before, after }) => before.profile !== null || after.profile !== null);
  if (affected.length === 0) return;
  const audiences = await statesOf(tx, workspaceId);
  const results = affected.flatMap((person) => evaluateMemberships(person, audiences, evaluations));
  evaluations.assertComplete();
  const changed = await write(tx, workspaceId, results);
  for (const { audience, membership, membershipId, userId, matches, reason } of results) {
    if (!changed.has(rowKey(membershipId, userId)) || membership !== audience.served || isAnnouncedLater(audience, userId)) continue;
    await publishAudienceEvent(tx, outbox, workspaceId, matches ? 'audiences:user:matched' : 'audiences:user:unmatched', {
      audience_id: audience.audienceId,
      audience_version: membership.version,
      reason,
      user_id: userId,
    });
  }
}

/** Whether a person matches the memberships that a change of the person may affect. */
function evaluateMemberships(person: ChangedPerson, audiences: readonly AudienceState[], evaluations: Evaluations) {
  const isAffected = affectedBy(person.before, person.after);
  const candidates = audiences.flatMap((audience) => {
    const { served, building } = audience;
    const memberships = [served && isAffected(served) ? served : [], building ?? []].flat();
    // The membership of the version before, while a version is built.
    const previousOf = (membership: Membership) => (membership === building ? (served?.id ?? null) : null);
    return memberships.map((membership) => ({ audience, membership, membershipId: membership.id, previous: previousOf(membership) }));
  });
  const evaluated = evaluations.of(
    person,
    candidates.map(({ membership }) => membership),
  );
  return candidates.map((one, index) => ({ ...one, ...evaluated[index]!, userId: person.userId }));
}

/** Whether a membership's rule uses a changed attribute; a created or deleted profile affects every rule. */
function affectedBy(before: Person, after: Person) {
  const [old, now] = [before.profile, after.profile];
  if (old === null || now === null) return () => true;
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  const changed = new Set([...names].filter((name) => !isDeepStrictEqual(old[name], now[name])));
  if (!isDeepStrictEqual(before.tenantIds, after.tenantIds)) changed.add(TENANT_PATH);
  return ({ rule }: Membership) => attributesOf(rule).some((name) => changed.has(name));
}

/** Whether the rebuild has yet to publish this user's difference between two versions; it will read the state of then. */
function isAnnouncedLater({ announcedUpTo }: AudienceState, userId: string) {
  // Bytes of UTF-8, as the database compares ids (`collate "C"`), unlike JavaScript's strings.
  return announcedUpTo !== undefined && Buffer.from(userId).compare(Buffer.from(announcedUpTo)) > 0;
}

/** Inserts and deletes rows of memberships; resolves with the keys of those that joined or left. */
async function write(tx: Transaction, workspaceId: string, results: ReturnType<typeof evaluateMemberships>) {
  const wanted = results.filter(({ matches }) => matches);
  const unwanted = results.filter(({ matches }) => !matches);
  const rows: WrittenRow[] = [];
  if (wanted.length > 0) {
    const values = [workspaceId, ...columnsOf(wanted, 'membershipId', 'userId', 'reason', 'previous')];
    rows.push(...(await tx.query<WrittenRow>(JOIN, values)));
  }
  if (unwanted.length > 0) {
    rows.push(...(await tx.query<WrittenRow>(LEAVE, [workspaceId, ...columnsOf(unwanted, 'membershipId', 'userId')])));
  }
  return new Set(rows.filter(({ changed }) => changed).map(({ membership, user_id }) => rowKey(membership, user_id)));
}

const rowKey = (membership: string, userId: string) => `${membership} ${userId}`;
