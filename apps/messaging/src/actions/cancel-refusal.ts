import { ServiceError } from '@tidings/contracts/core/errors';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageDetails, ProviderStatus } from '@tidings/contracts/messaging/messages';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { Queryable } from '@tidings/persistence/database';
import { HISTORY, type HistoryRow, shownEvents } from '../queries/messages.handlers';

/** The 409 of a cancel: the record, with why as its `message`. */
export function cancelRefusal(record: MessageDetails, message: string): ServiceError {
  return new ServiceError('conflict', message, { shouldRetry: false, answer: { ...record, message } });
}

/** Why message `uuid` cannot be canceled: which providers were called, and when. */
export async function whyTooLate(tx: Queryable, workspaceId: string, uuid: string, record: MessageDetails): Promise<string> {
  const { status, canceledAt, providers = [] } = record;
  const id = uuidToMessageId(uuid);
  if (status === 'CANCELED') return `Message ${id} is canceled already, since ${shownTime(canceledAt!)}`;
  const rows = await tx.query<HistoryRow | { number: null }>(HISTORY, [workspaceId, uuid]);
  const events = shownEvents(
    id,
    rows.filter((row) => row.number !== null),
  );
  const calls = providers.flatMap((one) => (one.provider === '' || one.attempts === 0 ? [] : callOf(one, events)));
  return `Message ${id} is ${status}: it is too late to cancel it; ${calls.join('; ') || 'no provider was called'}`;
}

/** Which provider was called, how often, and when first. */
function callOf(
  { channel, provider, configuration_id, alias, attempts = 1, sent, status }: ProviderStatus,
  events: readonly HistoryEvent[],
) {
  const name = configuration_id === undefined ? provider : `${provider} (${alias ?? configuration_id})`;
  const first = events.find((event) => event.type === 'DELIVERING' && isOf(event, channel.key, configuration_id));
  const at = first?.ts ?? sent;
  if (at === undefined) return `${channel.key} provider ${name} ${status === undefined ? 'is being called now' : 'was called'}`;
  return `${channel.key} provider ${name} was called ${attempts === 1 ? 'at' : `${attempts} times since`} ${shownTime(at)}`;
}

/** Older records do not name the configuration. */
function isOf({ channel, integration }: HistoryEvent, key: string, configurationId: string | undefined) {
  const idOf = (named: unknown) => (named as { id?: string } | undefined)?.id;
  return idOf(channel) === key && (configurationId === undefined || idOf(integration) === configurationId);
}

function shownTime(ms: number) {
  return new Date(ms).toISOString();
}
