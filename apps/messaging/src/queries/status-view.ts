import type { CallContext } from '@tidings/contracts/core/context';
import { hasScope, MESSAGE_READS } from '@tidings/contracts/core/granted';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageDetails } from '@tidings/contracts/messaging/messages';

/** Whether the caller may read what messages say; without it `read:messages:status` admitted the call. */
export function seesContent({ scopes }: Pick<CallContext, 'scopes'>): boolean {
  return hasScope(scopes, MESSAGE_READS);
}

/** The record of a message without what providers answered: some repeat the content. */
export function recordWithoutContent(record: MessageDetails): MessageDetails {
  return { ...record, providers: record.providers?.map(({ providerResponse: _response, ...route }) => route) };
}

/** The fields of events that say nothing of what the message says, and nothing of its profile and data. Others are left out. */
const FIELDS = [
  'ts',
  'type',
  'recipient',
  'event',
  'event_id',
  'notification_id',
  'channel',
  'integration',
  'delay',
  'until',
  'details',
  'reason',
  'reasonCode',
  'error_message',
  'rule',
  'reference',
  'warnings',
  'erased',
];

/** An event of a message's history without its content. */
export function eventWithoutContent(event: HistoryEvent): HistoryEvent {
  const fields = FIELDS.filter((name) => event[name] !== undefined).map((name) => [name, event[name]]);
  return Object.fromEntries(fields) as HistoryEvent;
}
