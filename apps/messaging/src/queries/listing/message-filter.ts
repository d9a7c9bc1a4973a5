import { invalid } from '@tidings/contracts/core/refusals';
import { readInstant } from '@tidings/contracts/core/instant';
import type { ListMessages } from '@tidings/contracts/messaging/messages';
import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { type NamedProviders, NO_PROVIDERS } from './named-providers';

/** Parsed filter of a listing. Undefined or an empty list: no condition. */
export interface MessageFilter extends Pick<ListMessages, 'event' | 'list' | 'notification' | 'recipient'> {
  readonly archived: boolean;
  readonly statuses: readonly string[];
  readonly tags: readonly string[];
  /** Keys of the kinds of all named providers. */
  readonly providers: readonly string[];
  /** Keys of named kinds. */
  readonly kinds: readonly string[];
  /** Ids of named configurations. */
  readonly configurations: readonly string[];
  /** Ids of all configurations that are meant: deliveries of messages in progress have them. */
  readonly integrations: readonly string[];
  readonly tenant?: string;
  /** ms since the epoch. */
  readonly enqueuedAfter?: number;
  readonly trace?: string;
  /** `trace` as uuid, where it is the id of a request. */
  readonly traceUuid?: string;
  readonly messageUuid?: string;
  /** No message matches: the given message id is invalid. */
  readonly nothing: boolean;
}

/**
 * @param providers what the names in `provider` mean.
 * @throws ServiceError `invalid_request` naming the invalid field
 */
export function parseMessageFilter(request: ListMessages, named: NamedProviders = NO_PROVIDERS): MessageFilter {
  const { kinds, configurations, keys, integrations } = named;
  const { archived = false, messageId, status, tags, tag, provider: _provider, tenant_id: tenant, ...others } = request;
  const { enqueued_after, traceId: trace, ...same } = others;
  const messageUuid = messageId === undefined ? undefined : messageIdToUuid(messageId);
  return {
    ...same,
    archived,
    statuses: distinct(status),
    tags: distinct(tags, tag),
    providers: keys,
    kinds,
    configurations,
    integrations,
    tenant,
    enqueuedAfter: enqueued_after === undefined ? undefined : readEnqueuedAfter(enqueued_after),
    trace,
    traceUuid: trace === undefined ? undefined : messageIdToUuid(trace),
    messageUuid,
    nothing: messageId !== undefined && messageUuid === undefined,
  };
}

export const distinct = (...lists: (readonly string[] | undefined)[]) => [...new Set(lists.flatMap((list) => list ?? []))];

/** Latest instant of a message id. */
const INSTANT_MS_MAX = 0xffff_ffff * 1000;

/** ms since the epoch or ISO 8601, as ms. */
function readEnqueuedAfter(text: string) {
  const instant = /^\d+$/.test(text) ? Number(text) : readInstant(text)?.getTime();
  if (instant === undefined || instant > INSTANT_MS_MAX) {
    const latest = new Date(INSTANT_MS_MAX).toISOString();
    throw invalid(`enqueued_after must be milliseconds since the epoch or an ISO 8601 date, not after ${latest} (got "${text}")`);
  }
  return instant;
}
