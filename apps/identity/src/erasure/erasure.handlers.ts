import type { CallContext } from '@tidings/contracts/core/context';
import type { ErasedUser, EraseUser } from '@tidings/contracts/core/erasure';
import { identityErasure } from '@tidings/contracts/identity/erasure';
import { profileChanged } from '@tidings/contracts/identity/events';
import { CallJournal } from '@tidings/persistence/call-journal';
import { statement, type Transaction } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { Handles } from '@tidings/rpc/handles';
import { Memberships } from '../tenants/memberships';

/** In the lock order of other calls; each deletion uses a key or an index of the user. */
const TABLES = {
  profiles: 'profiles',
  tokens: 'push_tokens',
  preferences: 'user_preferences',
  recipient_preferences: 'recipient_preferences',
};
const REMOVE = Object.entries(TABLES).map(
  ([name, table]) => [name, statement(`erasure-${table}`, `delete from ${table} where workspace_id = $1 and user_id = $2`)] as const,
);

/** Removes everything identity stores of a user, in one step: the data of one user is bounded. */
@Handles(identityErasure)
export class ErasureHandlers {
  constructor(
    private readonly calls: CallJournal,
    private readonly outbox: Outbox,
    private readonly memberships: Memberships,
  ) {}

  async erase(context: CallContext, { user_id: userId, ...rest }: EraseUser): Promise<ErasedUser> {
    rest satisfies Record<string, never>;
    return this.calls.once(context, (tx) => this.eraseIn(tx, context.workspaceId, userId));
  }

  private async eraseIn(tx: Transaction, workspaceId: string, userId: string): Promise<ErasedUser> {
    const removed: Record<string, number> = {};
    for (const [name, remove] of REMOVE) removed[name] = await tx.execute(remove, [workspaceId, userId]);
    removed.tenants = await this.memberships.removeAll(tx.manager, { workspaceId, userId });
    // Also without a profile: the tombstone removes an older record from the compacted topic.
    const key = profileChanged.keyOf({ workspaceId, userId, profile: {} });
    await this.outbox.add(tx, profileChanged, { payload: null, key });
    return { done: true, removed };
  }
}
