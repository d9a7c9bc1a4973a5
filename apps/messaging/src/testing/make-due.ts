import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { OpenMessagesNotifier } from '../record/notifiers';
import type { Messaging } from './start-messaging';

const HOUR_MS = 3_600_000;

/** A delay that ends when the spec calls `makeDue`; long enough for the message to be stored before. */
export const untilMadeDue = (): { untilMs: number } => ({ untilMs: Date.now() + HOUR_MS });

/** Makes delayed messages due in `delayMs`. */
export async function makeDue(messaging: Messaging, ids: readonly string[], delayMs = 0): Promise<void> {
  await messaging.rows(
    `update messaging.open_messages set due_at = clock_timestamp() + $2 * interval '1 millisecond' where message_id = any($1::uuid[])`,
    [ids.map(messageIdToUuid), delayMs],
  );
  messaging.get<OpenMessagesNotifier>(OpenMessagesNotifier).notifyDueIn(delayMs);
}
