import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { isGiven } from '@tidings/contracts/core/refusals';
import { USER_SCOPE_PREFIX } from '@tidings/contracts/identity/issued-tokens';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { ListMessages, MessageDetails } from '@tidings/contracts/messaging/messages';

/** Whether the caller has a token for pages of users: its scopes name them, those of an API key cannot. */
export function isUserToken({ scopes }: Pick<CallContext, 'scopes'>): boolean {
  return scopes.some((scope) => scope.startsWith(USER_SCOPE_PREFIX));
}

/** The record of a message as its user may see it: status and times. Fields that every record has are empty. */
export function recordForUser(record: MessageDetails): MessageDetails {
  const { id, recipient, status, reason, enqueued, sent, delivered, opened, clicked, canceledAt, providers } = record;
  const times = { enqueued, sent, delivered, opened, clicked, canceledAt };
  return {
    id,
    recipient,
    status,
    reason,
    ...times,
    event: '',
    notification: '',
    providers: providers?.map((route) => ({
      channel: { key: route.channel.key, template: '' },
      provider: '',
      status: route.status,
      sent: route.sent,
      delivered: route.delivered,
      opened: route.opened,
      clicked: route.clicked,
    })),
  };
}

/** An event of a message's history as its user may see it: what happened when, on which channel, and where its content is. */
export function eventForUser({ ts, type, channel, reason, until, output }: HistoryEvent): HistoryEvent {
  const { id } = (channel ?? {}) as { id?: string };
  return {
    ts,
    type,
    ...(id !== undefined && { channel: { id } }),
    ...(isGiven(reason) && { reason }),
    ...(type === 'DELAYED' && { until }),
    ...(id !== undefined && isForUser(id) && { output }),
  };
}

/** Whether the content rendered for a channel is for the user: that of a webhook is for systems. */
export function isForUser(channel: string): boolean {
  return channel !== 'webhook';
}

/** Filters by values that `recordForUser` shows. */
const USER_FILTERS: readonly string[] = [
  'recipient',
  'status',
  'messageId',
  'archived',
  'enqueued_after',
  'cursor',
  'limit',
] satisfies (keyof ListMessages)[];

/** Refuses filters by values that a user does not see: the result would reveal them. @throws ServiceError `forbidden`. */
export function assertUserFilters(request: ListMessages): void {
  const other = Object.entries(request).find(([name, value]) => isGiven(value) && !USER_FILTERS.includes(name));
  if (other) throw new ServiceError('forbidden', `The filter ${other[0]} needs an API key: tokens may use ${USER_FILTERS.join(', ')}`);
}
