import { PAGE_SIZE } from '../api/refresh';
import type { operations } from '../api/schema';
import { textFields } from '../search-params';

/** The filters of `GET /messages` that an address may have, as texts. */
export const FILTERS = [
  'status',
  'recipient',
  'provider',
  'notification',
  'event',
  'tags',
  'list',
  'tenant_id',
  'traceId',
  'messageId',
  'enqueued_after',
  'archived',
] as const;
export type FilterName = (typeof FILTERS)[number];
export type MessageFilter = Partial<Record<FilterName, string>>;

/** The part of an address of the Messages screen; `since` is the time from which on messages are new. */
export const messagesSearch = textFields('query', 'cursor', 'since', ...FILTERS);
export type MessagesSearch = ReturnType<typeof messagesSearch>;

type ListQuery = NonNullable<operations['messaging.messages.list']['parameters']['query']>;

/** Messages of a page. */

/** The filters of an address alone. */
export function filterOf(search: MessagesSearch): MessageFilter {
  return Object.fromEntries(FILTERS.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])));
}

/** The query of `GET /messages` for filters. */
export function listQuery({ status, tags, provider, archived, ...texts }: MessageFilter, cursor?: string, limit = PAGE_SIZE): ListQuery {
  const many = { status: split(status) as ListQuery['status'], tags: split(tags), provider: split(provider) };
  return { ...texts, ...many, archived: archived === 'true' || undefined, cursor, limit };
}

function split(values: string | undefined): string[] | undefined {
  const found = values?.split(',').filter(Boolean);
  return found?.length ? found : undefined;
}
