import { ServiceError } from '@tidings/contracts/core/errors';
import type { ListMessages } from '@tidings/contracts/messaging/messages';
import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { decodeCursor } from '@tidings/persistence/page';
import { MESSAGE_COLUMNS } from '../store/message-row';

/** Messages of one page (sending.md §13). */
export const MESSAGES_PAGE_SIZE = 10;
export const MESSAGES_CURSOR = 'messages';

/** A listing as SQL: the text is made of fixed pieces, everything a client said is a parameter. */
export interface ListingQuery {
  text: string;
  values: unknown[];
}

/** The query of one page, newest first, one row more than the page so that `more` is exact. */
export function listingQuery(workspaceId: string, request: ListMessages): ListingQuery {
  const {
    archived,
    cursor,
    event,
    list,
    messageId,
    notification,
    recipient,
    status,
    tags,
    tag,
    provider,
    tenant_id,
    enqueued_after,
    traceId,
    ...rest
  } = request;
  rest satisfies Record<string, never>;

  const values: unknown[] = [];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const where = [`workspace_id = ${parameter(workspaceId)}`];
  if (!archived) where.push('not archived');
  if (cursor !== undefined) where.push(`id < ${parameter(decodeListCursor(cursor))}`);
  if (event !== undefined) where.push(`event = ${parameter(event)} and event <> ''`);
  if (list !== undefined) where.push(`list_id = ${parameter(list)}`);
  if (messageId !== undefined) where.push(`id = ${parameter(messageIdToUuid(messageId) ?? null)}`);
  if (notification !== undefined) where.push(`notification = ${parameter(notification)}`);
  if (recipient !== undefined) where.push(`recipient = ${parameter(recipient)}`);
  if (status !== undefined && status.length > 0) where.push(`status = any(${parameter(status)}::text[])`);
  const anyTag = [...(tags ?? []), ...(tag ?? [])];
  if (anyTag.length > 0) where.push(`tags ?| ${parameter(anyTag)}::text[]`);
  if (provider !== undefined && provider.length > 0) {
    where.push(
      `exists (select from jsonb_array_elements(providers) as one where one ->> 'provider' = any(${parameter(provider)}::text[]))`,
    );
  }
  if (tenant_id !== undefined) where.push(`tenant_id = ${parameter(tenant_id)}`);
  if (enqueued_after !== undefined) {
    const after = parseInstant(enqueued_after);
    where.push(`enqueued_at > ${parameter(after)} and id >= ${parameter(lowestIdAt(after))}`);
  }
  if (traceId !== undefined) where.push(traceCondition(traceId, parameter));

  const text = `select ${MESSAGE_COLUMNS} from messages where ${where.join(' and ')} order by id desc limit ${MESSAGES_PAGE_SIZE + 1}`;
  return { text, values };
}

function traceCondition(traceId: string, parameter: (value: unknown) => string): string {
  const ofMetadata = `trace_id = ${parameter(traceId)}`;
  const uuid = messageIdToUuid(traceId);
  return uuid ? `(${ofMetadata} or id = ${parameter(uuid)})` : ofMetadata;
}

function decodeListCursor(cursor: string): string {
  const [id] = decodeCursor(MESSAGES_CURSOR, cursor);
  const uuid = typeof id === 'string' ? messageIdToUuid(id) : undefined;
  if (!uuid) throw new ServiceError('invalid_request', 'cursor is not valid');
  return uuid;
}

/** Latest instant a message id can carry. */
const INSTANT_MS_MAX = 0xffff_ffff * 1000;

/** ms since the epoch or ISO 8601, as ms. */
function parseInstant(text: string): number {
  const instant = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(instant) || instant < 0 || instant > INSTANT_MS_MAX) {
    throw new ServiceError('invalid_request', `enqueued_after must be milliseconds since the epoch or an ISO 8601 date (got "${text}")`);
  }
  return instant;
}

/** No id of that instant or later is lower: lets the listing skip older partitions. */
function lowestIdAt(instantMs: number): string {
  return `${Math.floor(instantMs / 1000)
    .toString(16)
    .padStart(8, '0')}-0000-0000-0000-000000000000`;
}
