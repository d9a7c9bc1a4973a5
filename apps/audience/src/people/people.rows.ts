import { columnsOf } from '@tidings/persistence/columns-of';
import { type Statement, statement, type Transaction } from '@tidings/persistence/database';
import type { Person, PersonChange } from './person-change';

interface PersonRow extends Person {
  userId: string;
  profileSequence: string;
  tenantsSequence: string;
}

// SQL because one statement inserts or locks many people in the order of their ids, and returns their rows.
/**
 * The current rows of people, inserted where missing and locked until the transaction ends. The update changes nothing; it only
 * locks. In the order of ids, as all writers lock people.
 */
const LOCK = statement(
  'people-lock',
  `insert into people (workspace_id, user_id) select $1, user_id from unnest($2::text[]) as input (user_id) order by user_id collate "C"
   on conflict (workspace_id, user_id) do update set tenants_sequence = people.tenants_sequence
   returning user_id as "userId", profile, tenant_ids as "tenantIds",
             profile_sequence as "profileSequence", tenants_sequence as "tenantsSequence"`,
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

/** One of a person's two sources, profile or tenants: where its value and its sequence number are stored. */
export interface Aspect {
  field: keyof Person;
  sequence: 'profileSequence' | 'tenantsSequence';
  /** What replaces the value of a deleted one. */
  none: PersonChange['value'];
  set: Statement;
}

export const PROFILE: Aspect = { field: 'profile', sequence: 'profileSequence', none: null, set: SET_PROFILES };
export const TENANTS: Aspect = { field: 'tenantIds', sequence: 'tenantsSequence', none: [], set: SET_TENANTS };

/**
 * Stores the changes whose sequence number is above the stored one. Resolves with the changed people, whose rows stay locked
 * until the transaction ends.
 */
export async function applyPersonChanges(
  tx: Transaction,
  workspaceId: string,
  aspect: Aspect,
  changes: readonly PersonChange[],
): Promise<ChangedPerson[]> {
  const rows = await tx.query<PersonRow>(LOCK, [workspaceId, ...columnsOf(changes, 'userId')]);
  const stored = new Map(rows.map((row) => [row.userId, row]));
  const newer = changes.filter(({ userId, sequence }) => BigInt(sequence) > BigInt(stored.get(userId)![aspect.sequence]));
  if (newer.length === 0) return [];
  const values = newer.map(({ value }) => value ?? aspect.none);
  await tx.execute(aspect.set, [
    workspaceId,
    ...columnsOf(newer, 'userId'),
    values.map((value) => value && JSON.stringify(value)),
    ...columnsOf(newer, 'sequence'),
  ]);
  return newer.map(({ userId, sequence }, index) => {
    const before = stored.get(userId)!;
    const state = `${before.profileSequence} ${before.tenantsSequence} ${sequence}`;
    return { userId, before, after: { ...before, [aspect.field]: values[index] }, state };
  });
}
