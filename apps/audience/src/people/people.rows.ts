import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import { type Statement, statement, type Transaction } from '@tidings/persistence/database';
import type { Person, PersonChange } from './person-change';

interface PersonRow {
  user_id: string;
  profile: ProfileFields | null;
  tenant_ids: string[];
  profile_sequence: string;
  tenants_sequence: string;
}

/**
 * The rows of people as they are, locked until the transaction ends; made where there were none. The update changes nothing and
 * is there for its lock. In the order of ids, as everybody locks them.
 */
const HOLD = statement(
  'people-hold',
  `insert into people (workspace_id, user_id) select $1, user_id from unnest($2::text[]) as held (user_id) order by user_id collate "C"
   on conflict (workspace_id, user_id) do update set tenants_sequence = people.tenants_sequence
   returning user_id, profile, tenant_ids, profile_sequence, tenants_sequence`,
);

const SET_PROFILES = statement(
  'people-set-profiles',
  `update people set profile = told.profile::jsonb, profile_sequence = told.sequence,
          gone_at = case when told.profile is null and people.tenant_ids = '{}' then now() end
     from unnest($2::text[], $3::text[], $4::bigint[]) as told (user_id, profile, sequence)
    where people.workspace_id = $1 and people.user_id = told.user_id`,
);

const SET_TENANTS = statement(
  'people-set-tenants',
  `update people set tenant_ids = array(select jsonb_array_elements_text(told.tenant_ids::jsonb)), tenants_sequence = told.sequence,
          gone_at = case when told.tenant_ids = '[]' and people.profile is null then now() end
     from unnest($2::text[], $3::text[], $4::bigint[]) as told (user_id, tenant_ids, sequence)
    where people.workspace_id = $1 and people.user_id = told.user_id`,
);

/** A person before and after a change. */
export interface ChangedPerson {
  userId: string;
  before: Person;
  after: Person;
  /** The running numbers that led to `after`: the same ones led to the same person. */
  state: string;
}

/** One of the two things that are told of people: how it is kept. */
export interface Aspect<Value> {
  sequenceOf(row: PersonRow): string;
  set: Statement;
  /** As the statement takes it. */
  toText(value: Value | null): string | null;
  apply(person: Person, value: Value | null): Person;
}

export const PROFILE: Aspect<ProfileFields> = {
  sequenceOf: ({ profile_sequence }) => profile_sequence,
  set: SET_PROFILES,
  toText: (profile) => profile && JSON.stringify(profile),
  apply: ({ tenantIds }, profile) => ({ profile, tenantIds }),
};

export const TENANTS: Aspect<string[]> = {
  sequenceOf: ({ tenants_sequence }) => tenants_sequence,
  set: SET_TENANTS,
  toText: (tenantIds) => JSON.stringify(tenantIds ?? []),
  apply: ({ profile }, tenantIds) => ({ profile, tenantIds: tenantIds ?? [] }),
};

/**
 * Stores what is news: what has a higher running number than what is there. Resolves with the people it changed, whose rows are
 * locked until the transaction ends.
 */
export async function applyPersonChanges<Value>(
  tx: Transaction,
  workspaceId: string,
  { sequenceOf, set, toText, apply }: Aspect<Value>,
  changes: readonly PersonChange<Value>[],
): Promise<ChangedPerson[]> {
  const rows = await tx.query<PersonRow>(HOLD, [workspaceId, changes.map(({ userId }) => userId)]);
  const held = new Map(rows.map((row) => [row.user_id, row]));
  const news = changes.filter(({ userId, sequence }) => BigInt(sequence) > BigInt(sequenceOf(held.get(userId)!)));
  if (news.length === 0) return [];
  await tx.execute(set, [
    workspaceId,
    news.map(({ userId }) => userId),
    news.map(({ value }) => toText(value)),
    news.map(({ sequence }) => sequence),
  ]);
  return news.map(({ userId, value, sequence }) => {
    const row = held.get(userId)!;
    const before: Person = { profile: row.profile, tenantIds: row.tenant_ids };
    const state = `${row.profile_sequence} ${row.tenants_sequence} ${sequence}`;
    return { userId, before, after: apply(before, value), state };
  });
}
