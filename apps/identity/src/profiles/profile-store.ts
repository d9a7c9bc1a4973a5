import { type ProfileChanged, profileChanged } from '@tidings/contracts/identity/events';
import { statement, type Transaction } from '@tidings/persistence/database';
import type { Outbox } from '@tidings/persistence/outbox';

/** Changes no row where the profile stays what it is, unless it is empty (`announceProfile`). */
const REPLACE = statement(
  'profiles-replace',
  `insert into profiles (workspace_id, user_id, profile) values ($1, $2, $3)
   on conflict (workspace_id, user_id) do update set profile = excluded.profile, updated_at = now()
   where profiles.profile <> excluded.profile or excluded.profile = '{}'`,
);

/** Stores a profile in the place of what was there; tells of it when it changed. @param stored the profile as `storableProfile` made it. */
export async function replaceProfile(
  tx: Transaction,
  outbox: Outbox,
  { stored, ...changed }: ProfileChanged & { stored: string },
): Promise<void> {
  if ((await tx.execute(REPLACE, [changed.workspaceId, changed.userId, stored])) > 0) await announceProfile(tx, outbox, changed);
}

/**
 * Tells of a profile that somebody wrote. An empty one is told of whenever it is written: the one that was there may have been
 * made by a send to an unknown user, of which nobody was told.
 */
export async function announceProfile(tx: Transaction, outbox: Outbox, changed: ProfileChanged): Promise<void> {
  await outbox.add(tx, profileChanged, { payload: changed });
}
