import type { EntityManager } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { type EraseUser, identityErasure } from '@tidings/contracts/identity/erasure';
import { Database, statement } from '@tidings/persistence/database';
import { remainingAnswers } from '@tidings/persistence/remaining-answers';
import { Handles } from '@tidings/rpc/handles';
import { forgetUserInAuditEvents } from '../audit/audit-log';
import { RecipientPreferencesEntity } from '../preferences/recipient-preferences.entity';
import { UserPreferenceEntity } from '../preferences/user-preference.entity';
import { ProfileStore } from '../profiles/profile-store';
import { ProfileEntity } from '../profiles/profile.entity';
import { Memberships } from '../tenants/memberships';
import { PushTokenEntity } from '../tokens/push-token.entity';

/** In the lock order of other calls; each deletion uses a key or an index of the user. */
const ENTITIES = {
  profiles: ProfileEntity,
  tokens: PushTokenEntity,
  preferences: UserPreferenceEntity,
  recipient_preferences: RecipientPreferencesEntity,
};

// SQL because it reads one field of the profiles of two tables.
const ADDRESSES = statement(
  'erasure-addresses',
  `select profile ->> 'email' as email from profiles where workspace_id = $1 and user_id = $2 and jsonb_typeof(profile -> 'email') = 'string'
   union
   select profile ->> 'email' from user_tenants where workspace_id = $1 and user_id = $2 and jsonb_typeof(profile -> 'email') = 'string'`,
);

/** Removes everything identity stores of a user, in one step: the data of one user is bounded. */
@Handles(identityErasure)
export class ErasureHandlers {
  constructor(
    private readonly database: Database,
    private readonly profiles: ProfileStore,
    private readonly memberships: Memberships,
  ) {}

  async erase({ workspaceId }: CallContext, { user_id: userId }: EraseUser, tx: EntityManager) {
    const user = { workspaceId, userId };
    const removed: Record<string, number> = {};
    for (const [name, entity] of Object.entries(ENTITIES)) removed[name] = (await tx.delete(entity, user)).affected ?? 0;
    removed.tenants = await this.memberships.removeAll(tx, user);
    await forgetUserInAuditEvents(tx, workspaceId, userId);
    // Also without a profile, for older records.
    await this.profiles.publishRemoval(tx, user);
    return { done: true, removed };
  }

  /** Of the profile and of those in tenants. */
  async addresses({ workspaceId }: CallContext, { user_id: userId }: EraseUser) {
    const rows = await this.database.query<{ email: string }>(ADDRESSES, [workspaceId, userId]);
    return { addresses: rows.map(({ email }) => email) };
  }

  async remaining({ workspaceId }: CallContext, { user_id: userId }: EraseUser) {
    return { remaining: await remainingAnswers(this.database, workspaceId, userId) };
  }
}
