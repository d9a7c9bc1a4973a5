import type { EntityManager } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import type { ErasedUser, EraseUser } from '@tidings/contracts/identity/erasure';
import { identityErasure } from '@tidings/contracts/identity/erasure';
import { profileChanged } from '@tidings/contracts/identity/events';
import { statement, transactionOf } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { Handles } from '@tidings/rpc/handles';
import { RecipientPreferencesEntity } from '../preferences/recipient-preferences.entity';
import { UserPreferenceEntity } from '../preferences/user-preference.entity';
import { Memberships } from '../tenants/memberships';
import { PushTokenEntity } from '../tokens/push-token.entity';

/** In the lock order of other calls; each deletion uses a key or an index of the user. SQL for profiles, which have no entity. */
const REMOVE_PROFILE = statement('erasure-profiles', 'delete from profiles where workspace_id = $1 and user_id = $2');
const ENTITIES = { tokens: PushTokenEntity, preferences: UserPreferenceEntity, recipient_preferences: RecipientPreferencesEntity };

/** Removes everything identity stores of a user, in one step: the data of one user is bounded. */
@Handles(identityErasure)
export class ErasureHandlers {
  constructor(
    private readonly outbox: Outbox,
    private readonly memberships: Memberships,
  ) {}

  async erase({ workspaceId }: CallContext, { user_id: userId, ...rest }: EraseUser, tx: EntityManager): Promise<ErasedUser> {
    rest satisfies Record<string, never>;
    const transaction = transactionOf(tx);
    const removed: Record<string, number> = { profiles: await transaction.execute(REMOVE_PROFILE, [workspaceId, userId]) };
    for (const [name, entity] of Object.entries(ENTITIES)) removed[name] = (await tx.delete(entity, { workspaceId, userId })).affected ?? 0;
    removed.tenants = await this.memberships.removeAll(tx, { workspaceId, userId });
    // Also without a profile: the tombstone removes an older record from the compacted topic.
    const key = profileChanged.keyOf({ workspaceId, userId, profile: {} });
    await this.outbox.add(transaction, profileChanged, { payload: null, key });
    return { done: true, removed };
  }
}
