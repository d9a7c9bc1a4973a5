import { deepMerge, type JsonObject } from '@tidings/contracts/core/deep-merge';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { derivedMessageId } from '@tidings/contracts/messaging/message-id';
import type { RuntimePreferences, SourceList, Target } from '@tidings/contracts/messaging/targets';

/** Maximum number of recipients of a page, which is one transaction. */
export const PAGE_SIZE = 200;
/** Maximum bytes of the messages of a page together; a larger message is a page of one. */
export const PAGE_BYTES_MAX = 8_000_000;

/**
 * Number of recipients of one page. Each message stores its whole request, so a large request has small pages. The data of single
 * recipients is bounded where it is accepted.
 */
export function recipientsAtOnce(request: MessageRequested): number {
  return Math.min(PAGE_SIZE, Math.max(1, Math.floor(PAGE_BYTES_MAX / bytesOfEach(request))));
}

/** Bytes of the request that each of its messages stores. */
export function bytesOfEach({ targets: _targets, ...shared }: MessageRequested): number {
  return Buffer.byteLength(JSON.stringify(shared));
}

/** One recipient of a target of a request. */
export interface Derived {
  readonly userId?: string;
  /** The user id, or the address where there is none. */
  readonly recipient: string;
  readonly profile?: JsonObject;
  /** Variables of this recipient; they override those of the send. */
  readonly data?: JsonObject;
  readonly preferences?: RuntimePreferences;
  readonly tenantId?: string;
  readonly list?: SourceList;
}

/** The message that a request sends to one recipient of one of its targets. */
export function deriveRequest(request: MessageRequested, target: number, derived: Derived): MessageRequested {
  const { targets: _targets, idempotencyKey: _key, userId: _user, preferences: _preferences, ...shared } = request;
  const { userId, recipient, profile = {}, data, preferences, tenantId = request.tenantId, list } = derived;
  return {
    ...shared,
    id: derivedMessageId(request.id, target, recipient),
    requestId: request.jobId ?? request.id, // every run of a job belongs to one request
    recipient,
    profile,
    data: data ? deepMerge(request.data, data) : request.data,
    lane: request.lane ?? 'bulk',
    userId,
    preferences,
    tenantId,
    list,
    requestTarget: targetName(request),
  };
}

/** The target of a request as its record names it; undefined where it names users or several targets. */
export function targetName({ targets = [] }: Pick<MessageRequested, 'targets'>): string | undefined {
  const [target, another] = targets;
  return target && !another ? nameOf(target) : undefined;
}

function nameOf(target: Target): string | undefined {
  switch (target.kind) {
    case 'list':
      return `list:${target.listId}`;
    case 'pattern':
      return `pattern:${target.pattern}`;
    case 'audience':
      return `audience:${target.audienceId}`;
    case 'tenant':
      return `tenant:${target.tenantId}`;
    case 'job':
    case 'user':
      return undefined;
  }
}
