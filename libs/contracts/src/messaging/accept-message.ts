import type { KeyMode } from '../core/context';
import { deepMerge } from '../core/deep-merge';
import { ServiceError } from '../core/errors';
import { UNSUBSCRIBED_SENDS } from '../core/granted';
import { invalid } from '../core/refusals';
import { keyPath } from '../core/text';
import { acceptRecipient } from './accept-recipient';
import { acceptSettings } from './accept-settings';
import { type NamePaths, ownNames } from './channel-names';
import type { MessageContent, MessageRequested } from './events';
import { type GivenSender, givenSender } from './given-sender';
import { assertMessageWithin, assertWithinLimits, type KeyLimits } from './key-limits';
import { acceptedContent } from './message-content';
import { type OutgoingMessage, RECIPIENTS_MAX, type UnaddressedMessage } from './send';
import type { Target } from './targets';
import { parseDelay } from './timing/delay';
import { parseExpiry } from './timing/expiry';
import { parseTimeouts } from './timing/timeouts';
import { givenUtm } from '../content/utm';
import { assertVisible } from './visible-content';

/** The values fixed when a send is accepted, and the hooks of the service that accepts it. */
export interface Acceptance {
  workspaceId: string;
  mode: KeyMode;
  id: string;
  /** ms since the epoch */
  requestedAt: number;
  /** The client's `Idempotency-Key`. */
  idempotencyKey?: string;
  /** The limits of the caller, kept with the request. */
  limits?: KeyLimits;
  /** Whether the caller may send to addresses that are suppressed as `unsubscribe`. */
  mayPassUnsubscribed?: boolean;
  /** Warnings about the request, for the history of its messages. */
  warnings?: readonly string[];
  /**
   * A deeper check of content, if the accepting service has one: returns further warnings, which follow `warnings`. Throws
   * `invalid_request` that begins with `path`.
   */
  checkContent?: (content: MessageContent, path: string) => readonly string[];
  /** Called with channel names that only the workspace's own configurations can have, if any; the service checks that they exist. */
  onOwnNames?: (names: NamePaths) => void;
  /** Called with the sender that the send gives to e-mails of the default provider, if any; the service checks that it is allowed. */
  onSender?: (sender: GivenSender) => void;
}

/** The names of message fields in errors: the paths at which the sender wrote them. */
export interface FieldNames {
  readonly whole: string;
  /** The path of `field`, or of the entry `key` in it: entries of one field may have been written in several. */
  readonly of: (field: string, key?: string) => string;
  /** The path of the override of a channel or a provider. */
  readonly ofOverride: (field: 'channels' | 'providers', key: string) => string;
}

/** The names of a message that is the value of the field `whole`; `''`: of the request itself. */
export function namesBelow(whole: string): FieldNames {
  const of: FieldNames['of'] = (field, key) => keyPath(keyPath(whole, field), key);
  return { whole, of, ofOverride: (field, key) => `${of(field, key)}.override` };
}

/**
 * The request of a send's `message`. Pure; every service that accepts messages uses these rules.
 * @throws ServiceError `invalid_request` naming the field.
 */
export function acceptMessage(message: OutgoingMessage, acceptance: Acceptance): MessageRequested {
  const request = withRecipients(requestOf(message, namesBelow('message'), acceptance), acceptTo(message.to));
  assertVisible(request, 'message.content');
  return request;
}

/**
 * The request of a message without its recipients (`withRecipients` adds them).
 * @throws ServiceError `invalid_request` naming the field, `forbidden` for what the limits do not allow.
 */
export function requestOf(message: UnaddressedMessage, names: FieldNames, acceptance: Acceptance): MessageRequested {
  const { workspaceId, id, mode, requestedAt, idempotencyKey, warnings, limits } = acceptance;
  const { metadata, delay, timeouts, timeout, expiry } = message;
  // Assigned field by field: spreading objects would cost more than all checks.
  const request: MessageRequested = {
    workspaceId,
    id,
    recipient: id,
    requestedAt,
    mode,
    profile: {},
    data: message.data ?? {},
    event: message.template ?? metadata?.event ?? '',
    tags: metadata?.tags ?? [],
  };
  if (idempotencyKey !== undefined) request.idempotencyKey = idempotencyKey;
  if (warnings?.length) request.warnings = [...warnings];
  acceptContent(request, message, names, acceptance);
  acceptSettings(request, message, names);
  const utm = givenUtm(metadata?.utm);
  if (utm) request.utm = utm;
  if (metadata?.trace_id) request.traceId = metadata.trace_id;
  if (message.preferences?.subscription_topic_id) request.topicId = message.preferences.subscription_topic_id;
  if (message.preferences?.pass_unsubscribed) {
    assertMayPass(acceptance, keyPath(names.of('preferences'), 'pass_unsubscribed'));
    request.passUnsubscribed = true;
  }
  if (message.context?.tenant_id) request.tenantId = message.context.tenant_id;
  if (delay) request.delay = parseDelay(delay, names.of('delay'), requestedAt);
  if (timeouts) request.timeouts = parseTimeouts(timeouts, names.of('timeouts'));
  if (timeout) request.timeouts = parseTimeouts(timeout, names.of('timeout'));
  const own = ownNames(request, names.of, timeout ? 'timeout' : 'timeouts');
  if (own.size > 0) acceptance.onOwnNames?.(own);
  const sender = acceptance.onSender && givenSender(request, names);
  if (sender) acceptance.onSender!(sender);
  if (expiry) request.expiry = parseExpiry(expiry, names.of('expiry'));
  if (limits) assertMessageWithin((request.limits = limits), request);
  return request;
}

function assertMayPass({ mayPassUnsubscribed }: Acceptance, path: string) {
  if (mayPassUnsubscribed) return;
  throw new ServiceError('forbidden', `${path} needs an API key with the scope ${UNSUBSCRIBED_SENDS}, and no bulk job may have it`);
}

/**
 * Adds the recipients to the request: one target, or several (an array, even of one). The fields of a single user are written to
 * the request itself; other targets are expanded later, and have their own fields in `targets`.
 * @throws ServiceError `forbidden` for a recipient that the limits of the request do not allow.
 */
export function withRecipients(request: MessageRequested, to: Target | Target[]): MessageRequested {
  if (Array.isArray(to) || to.kind !== 'user') {
    request.targets = [to].flat();
    assertWithinLimits(request);
    return request;
  }
  request.recipient = to.recipient;
  request.profile = to.profile;
  if (to.userId !== undefined) request.userId = to.userId;
  if (to.tenantId !== undefined) request.tenantId = to.tenantId;
  if (to.preferences) request.preferences = to.preferences;
  if (to.data) request.data = deepMerge(request.data, to.data);
  assertWithinLimits(request);
  return request;
}

function acceptTo(to: OutgoingMessage['to']) {
  if (!Array.isArray(to)) return acceptRecipient(to, 'message.to');
  if (to.length === 0) throw invalid('message.to must name a recipient at least (got an empty array)');
  if (to.length > RECIPIENTS_MAX) {
    throw invalid(`message.to has ${to.length} recipients, at most ${RECIPIENTS_MAX} are allowed: a list or a bulk job takes more`);
  }
  return to.map((recipient, index) => acceptRecipient(recipient, `message.to[${index}]`));
}

function acceptContent(
  request: MessageRequested,
  { content, template, brand_id: brandId }: Pick<OutgoingMessage, 'content' | 'template' | 'brand_id'>,
  { whole, of }: FieldNames,
  { checkContent }: Acceptance,
) {
  if (content && template) throw invalid(`${whole} has both template and content; send one of them`);
  if (brandId) request.brandId = brandId;
  if (template) request.template = template;
  else if (!content) throw invalid(`${whole} needs template, or content (an object with title and body, or with elements)`);
  else {
    request.content = acceptedContent(content, of('content'));
    const found = checkContent?.(request.content, of('content'));
    if (found?.length) request.warnings = [...(request.warnings ?? []), ...found];
  }
}
