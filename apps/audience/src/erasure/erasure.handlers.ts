import { audienceErasure } from '@tidings/contracts/audience/erasure';
import type { CallContext } from '@tidings/contracts/core/context';
import type { EraseUser } from '@tidings/contracts/identity/erasure';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, statement } from '@tidings/persistence/database';
import { remainingAnswers } from '@tidings/persistence/remaining-answers';
import { Handles } from '@tidings/rpc/handles';
import { removeAllSubscriptions } from '../subscriptions/subscription.rows';

// SQL because people have no entity: they are copies, which events change in batches.
/** Whether attributes of the user are stored for audiences; identity's deletion events remove them. */
const HAS_ATTRIBUTES = statement(
  'erasure-person',
  `select from people where workspace_id = $1 and user_id = $2 and (profile is not null or tenant_ids <> '{}')`,
);

/** Removes a user's data from audience. `done` once identity's own removal was applied here as well; call it after that one. */
@Handles(audienceErasure)
export class ErasureHandlers {
  constructor(
    private readonly database: Database,
    private readonly journal: CallJournal,
  ) {}

  /** Not a command: a repeated call must see anew whether identity's removal was applied. */
  async erase(context: CallContext, { user_id: userId }: EraseUser) {
    const { workspaceId } = context;
    const subscriptions = await this.journal.once(context, (tx) => removeAllSubscriptions(tx, workspaceId, userId));
    const remaining = await this.database.query(HAS_ATTRIBUTES, [workspaceId, userId]);
    return { done: remaining.length === 0, removed: { subscriptions } };
  }

  async remaining({ workspaceId }: CallContext, { user_id: userId }: EraseUser) {
    return { remaining: await remainingAnswers(this.database, workspaceId, userId) };
  }
}
