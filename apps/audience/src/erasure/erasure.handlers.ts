import { audienceErasure } from '@tidings/contracts/audience/erasure';
import type { CallContext } from '@tidings/contracts/core/context';
import type { ErasedUser, EraseUser } from '@tidings/contracts/core/erasure';
import { assertStorable } from '@tidings/contracts/core/text';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { removeAllSubscriptions } from '../subscriptions/subscription.rows';

/** Whether anything that audiences look at is kept of the user; it goes with what identity tells. */
const IS_KNOWN = statement(
  'erasure-person',
  `select from people where workspace_id = $1 and user_id = $2 and (profile is not null or tenant_ids <> '{}')`,
);

/** Removes all that audience keeps of a user; call it when identity has removed what it keeps. */
@Handles(audienceErasure)
export class ErasureHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
  ) {}

  async erase(context: CallContext, { user_id: userId, ...rest }: EraseUser): Promise<ErasedUser> {
    rest satisfies Record<string, never>;
    assertStorable(userId, 'user_id');
    const { workspaceId } = context;
    const subscriptions = await this.calls.once(context, (tx) => removeAllSubscriptions(tx, workspaceId, userId));
    const known = await this.db.query(IS_KNOWN, [workspaceId, userId]);
    return { done: known.length === 0, removed: { subscriptions } };
  }
}
