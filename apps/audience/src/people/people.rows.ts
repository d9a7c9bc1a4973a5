import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import { columnsOf } from '@tidings/persistence/columns-of';
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
 * The current rows of people, inserted where missing and locked until the transaction ends. The update changes nothing; it only
 * locks. In the order of ids, as all writers lock people.
 */
const LOCK = statement(
  'people-lock',
  `insert into people (workspace_id, user_id) select $1, user_id from unnest($2::text[]) as input (user_id) order by user_id collate "C"
   on conflict (workspace_id, user_id) do update set tenants_sequence = people.tenants_sequence
   returning user_id, profile, tenant_ids, profile_sequence, tenants_sequence`,
);

const SET_PROFILES = statement(
  'people-set-profiles',
  `update people set profile = input.profile::jsonb, profile_sequence = input.sequence,
          gone_at = case when input.profile is null and people.tenant_ids = '{}' then now() end
     from unnest($2::text[], $3::text[], $4::bigint[]) as input (user_id, profile, sequence)
    where people.workspace_id = $1 and people.user_id = input.user_id`,
);

const SET_TENANTS = statement(
  'people-set-tenants',
  `update people set tenant_ids = array(select jsonb_array_elements_text(input.tenant_ids::jsonb)), tenants_sequence = input.sequence,
          gone_at = case when input.tenant_ids = '[]' and people.profile is null then now() end
     from unnest($2::text[], $3::text[], $4::bigint[]) as input (user_id, tenant_ids, sequence)
    where people.workspace_id = $1 and people.user_id = input.user_id`,
);

/** A person before and after a change. */
export interface ChangedPerson {
  userId: string;
  before: Person;
  after: Person;
  /** The sequence numbers behind `after`: equal numbers mean an equal person. */
  state: string;
}

/** One of a person's two sources, profile or tenants: how its value is stored and applied. */
export interface Aspect<Value> {
  sequenceOf(row: PersonRow): string;
  set: Statement;
  /** The value as a parameter of `set`. */
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
 * Stores the changes whose sequence number is above the stored one. Resolves with the changed people, whose rows stay locked
 * until the transaction ends.
 */
export async function applyPersonChanges<Value>(
  tx: Transaction,
  workspaceId: string,
  { sequenceOf, set, toText, apply }: Aspect<Value>,
  changes: readonly PersonChange<Value>[],
): Promise<ChangedPerson[]> {
  const rows = await tx.query<PersonRow>(LOCK, [workspaceId, ...columnsOf(changes, 'userId')]);
  const stored = new Map(rows.map((row) => [row.user_id, row]));
  const newer = changes.filter(({ userId, sequence }) => BigInt(sequence) > BigInt(sequenceOf(stored.get(userId)!)));
  if (newer.length === 0) return [];
  await tx.execute(set, [
    workspaceId,
    ...columnsOf(newer, 'userId'),
    newer.map(({ value }) => toText(value)),
    ...columnsOf(newer, 'sequence'),
  ]);
  return newer.map(({ userId, value, sequence }) => {
    const row = stored.get(userId)!;
    const before: Person = { profile: row.profile, tenantIds: row.tenant_ids };
    const state = `${row.profile_sequence} ${row.tenants_sequence} ${sequence}`;
    return { userId, before, after: apply(before, value), state };
  });
}
