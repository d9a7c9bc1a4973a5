import { storableObject } from '@tidings/contracts/core/text';
import { type ProfileChanged, profileChanged } from '@tidings/contracts/identity/events';
import { statement, type Transaction, transactionOf } from '@tidings/persistence/database';
import { type Counted, countForQuota, type QuotaOwner } from '@tidings/persistence/quotas';
import { PROFILE_BYTES_MAX } from '@tidings/contracts/identity/profiles';
import type { Outbox } from '@tidings/persistence/outbox';
import type { EntityManager } from 'typeorm';

// SQL because profiles are written as JSON text, and the database compares the stored one with it.
/** Changes no row where the profile stays the same, unless it is empty (`publishProfile`). */
const REPLACE = statement(
  'profiles-replace',
  `insert into profiles (workspace_id, user_id, profile) values ($1, $2, $3)
   on conflict (workspace_id, user_id) do update set profile = excluded.profile, updated_at = now()
   where profiles.profile <> excluded.profile or excluded.profile = '{}'
   returning xmax = 0 as created`,
);

// SQL because the count ends at the quota.
export const STORED_PROFILES: Counted = {
  name: 'profiles',
  count: statement('profiles-count', 'select count(*) as count from (select 1 from profiles where workspace_id = $1 limit $2) found'),
};

/** The profile as the JSON text to store (`storableObject`), of at most `PROFILE_BYTES_MAX` bytes. */
export function storableProfile(userId: string, profile: unknown) {
  return storableObject(`The profile of ${userId}`, profile, PROFILE_BYTES_MAX, 'profile');
}

/** Replaces the stored profile, and publishes it when it changed. @throws ServiceError as `storableProfile` and `countForQuota`. */
export async function replaceProfile(tx: Transaction, outbox: Outbox, owner: QuotaOwner, changed: ProfileChanged) {
  const { workspaceId, userId, profile } = changed;
  const values = [workspaceId, userId, storableProfile(userId, profile)];
  const [row] = await tx.query<{ created: boolean }>(REPLACE, values);
  if (!row) return;
  await publishProfile(tx, outbox, changed);
  if (row.created) await countForQuota(tx, owner, STORED_PROFILES, 1);
}

/**
 * Publishes a profile that a caller wrote. An empty one is published at every write: the stored one may come from a send to an
 * unknown user, which publishes nothing.
 */
export async function publishProfile(tx: Transaction, outbox: Outbox, changed: ProfileChanged) {
  await outbox.add(tx, profileChanged, { payload: changed });
}

/** Publishes that a user has no profile: the tombstone removes older records from the compacted topic. */
export async function publishRemoval(tx: EntityManager, outbox: Outbox, user: Omit<ProfileChanged, 'profile'>) {
  await outbox.add(transactionOf(tx), profileChanged, { payload: null, key: profileChanged.keyOf({ ...user, profile: {} }) });
}
