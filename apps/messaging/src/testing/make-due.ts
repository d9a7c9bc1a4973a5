import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { OpenMessagesBell } from '../routing/open-messages-bell';
import type { Messaging } from './start-messaging';

const HOUR_MS = 3_600_000;

/** A delay that ends when the spec says so (`makeDue`), however long it takes until the message waits. */
export const untilMadeDue = (): { untilMs: number } => ({ untilMs: Date.now() + HOUR_MS });

/** Has messages that wait come to their time now. */
export async function makeDue(messaging: Messaging, ...ids: readonly string[]): Promise<void> {
  await messaging.rows('update messaging.open_messages set due_at = now() where message_id = any($1::uuid[])', [ids.map(messageIdToUuid)]);
  messaging.get<OpenMessagesBell>(OpenMessagesBell).wakeIn(0);
}
