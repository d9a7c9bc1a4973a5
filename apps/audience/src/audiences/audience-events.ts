import { type AudienceEventData, type AudienceEventType, audienceHappened } from '@tidings/contracts/audience/events';
import type { Transaction } from '@tidings/persistence/database';
import type { Outbox } from '@tidings/persistence/outbox';

/** The record key of an audience's events. */
export function keyOfAudience(workspaceId: string, audienceId: string) {
  const data = { audience_id: audienceId, user_count: 0, total_users: 0, total_users_filtered: 0 };
  return audienceHappened.keyOf({ workspaceId, audienceId, type: 'audiences:calculated', data });
}

/** Publishes an event of an audience through the outbox, in the order of commits. */
export async function publishAudienceEvent<Type extends AudienceEventType>(
  tx: Transaction,
  outbox: Outbox,
  workspaceId: string,
  type: Type,
  data: AudienceEventData[Type],
) {
  await outbox.add(tx, audienceHappened, { payload: { workspaceId, audienceId: data.audience_id, type, data } });
}
