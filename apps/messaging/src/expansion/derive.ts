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

function nameOf(target: Target) {
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

/** Why a target has no recipients: it does not exist, it has no members, or no member meets the filters. */
export type NoRecipients = 'missing' | 'empty' | 'filtered';

/** Targets that an error names; reasons of further targets are not stored. */
export const NAMED_MAX = 5;

/** The error of a request without recipients: one reason per target. `reasons` are in the order of the targets. */
export function noRecipientsError(targets: readonly Target[], reasons: readonly NoRecipients[]): string {
  const [first = '', ...others] = targets.slice(0, NAMED_MAX).map((target, index) => sentenceOf(target, reasons[index] ?? 'empty'));
  const further = targets.length - NAMED_MAX;
  const more = further > 0 ? [`and ${further} more ${further === 1 ? 'target has' : 'targets have'} no recipients`] : [];
  return [first, ...others.map((sentence) => sentence[0]!.toLowerCase() + sentence.slice(1)), ...more].join('; ');
}

function sentenceOf(target: Target, reason: NoRecipients): string {
  const { name, members, isPlural, missing } = wordsOf(target);
  switch (reason) {
    case 'missing':
      return missing;
    case 'empty':
      return `The ${name} ${isPlural ? 'have' : 'has'} no ${members}s`;
    case 'filtered':
      return `No ${members} of the ${name} meets the filters`;
  }
}

interface Words {
  readonly name: string;
  /** The word for one member of the target, in the singular. */
  readonly members: string;
  readonly isPlural?: boolean;
  readonly missing: string;
}

function wordsOf(target: Target): Words {
  switch (target.kind) {
    case 'list':
      return singular('list', target.listId, 'subscriber');
    case 'pattern': {
      const pattern = `the pattern ${JSON.stringify(target.pattern)}`;
      return { name: `lists that match ${pattern}`, members: 'subscriber', isPlural: true, missing: `No list matches ${pattern}` };
    }
    case 'audience':
      return singular('audience', target.audienceId, 'member');
    case 'tenant': {
      const tenant = singular('tenant', target.tenantId, 'member');
      return target.includeChildren ? { ...tenant, name: `${tenant.name} and its children`, isPlural: true } : tenant;
    }
    case 'job':
      return singular('bulk job', target.jobId, 'user');
    case 'user':
      return singular('user', target.recipient, 'address');
  }
}

function singular(kind: string, id: string, members: string): Words {
  const name = `${kind} ${JSON.stringify(id)}`;
  return { name, members, missing: `No ${name} exists` };
}
