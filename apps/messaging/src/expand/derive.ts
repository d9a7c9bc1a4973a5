import { deepMerge, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { USER_ID_LENGTH_MAX } from '@tidings/contracts/identity/profiles';
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
  return Object.assign(shared, {
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
  });
}

/** The target of a request as its record names it; undefined where it names users or several targets. */
export function targetName({ targets = [] }: Pick<MessageRequested, 'targets'>): string | undefined {
  const [target, another] = targets;
  if (!target || another || target.kind === 'job' || target.kind === 'user') return undefined;
  return `${target.kind}:${idOf(target)}`;
}

/** The targets of a request, as the record of one without recipients names them: `NAMED_MAX` at most, as long as a user id. */
export function targetNames({ targets = [] }: Pick<MessageRequested, 'targets'>): string {
  const names = targets.slice(0, NAMED_MAX).map((target) => `${target.kind}:${idOf(target)}`);
  const further = targets.length - names.length;
  const all = [...names, ...(further > 0 ? [`and ${further} more`] : [])].join(', ');
  return all.slice(0, USER_ID_LENGTH_MAX).toWellFormed();
}

function idOf(target: Target) {
  switch (target.kind) {
    case 'list':
      return target.listId;
    case 'pattern':
      return target.pattern;
    case 'audience':
      return target.audienceId;
    case 'tenant':
      return target.tenantId;
    case 'job':
      return target.jobId;
    case 'user':
      return target.recipient;
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

/** The word for one member of a target, in the singular. */
const MEMBER: Readonly<Record<Target['kind'], string>> = {
  list: 'subscriber',
  pattern: 'subscriber',
  audience: 'member',
  tenant: 'member',
  job: 'user',
  user: 'address',
};

function sentenceOf(target: Target, reason: NoRecipients) {
  const one = `${target.kind === 'job' ? 'bulk job' : target.kind} ${JSON.stringify(idOf(target))}`;
  const isPattern = target.kind === 'pattern';
  if (reason === 'missing') return isPattern ? `No list matches the ${one}` : `No ${one} exists`;
  const hasChildren = target.kind === 'tenant' && target.includeChildren;
  const name = `${isPattern ? 'lists that match the ' : ''}${one}${hasChildren ? ' and its children' : ''}`;
  if (reason === 'filtered') return `No ${MEMBER[target.kind]} of the ${name} meets the filters`;
  return `The ${name} ${isPattern || hasChildren ? 'have' : 'has'} no ${MEMBER[target.kind]}s`;
}
