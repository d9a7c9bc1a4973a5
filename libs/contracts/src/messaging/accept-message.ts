import type { KeyMode } from '../core/context';
import { deepMerge } from '../core/deep-merge';
import { invalid } from '../core/refusals';
import { acceptRecipient } from './accept-recipient';
import { acceptSettings } from './accept-settings';
import { type NamedPlaces, ownNames } from './channel-names';
import type { MessageContent, MessageRequested } from './events';
import { acceptedContent } from './message-content';
import { type OutgoingMessage, RECIPIENTS_MAX, type UnaddressedMessage } from './send';
import type { Target } from './targets';
import { parseDelay } from './timing/delay';
import { parseExpiry } from './timing/expiry';
import { parseTimeouts } from './timing/timeouts';
import { saidUtm } from './utm';

/** What is fixed when a send is accepted. */
export interface Acceptance {
  workspaceId: string;
  mode: KeyMode;
  id: string;
  /** ms since the epoch */
  requestedAt: number;
  /** The client's `Idempotency-Key`. */
  idempotencyKey?: string;
  /** What is to be told of the request as it came. */
  warnings?: readonly string[];
  /** Refuses content for more than its shape, where whoever accepts can tell: throws `invalid_request` that begins with `path`. */
  checkContent?: (content: MessageContent, path: string) => void;
  /** Is told of names of channels that only the workspace's own configurations can have, where there are any: they are to be looked up. */
  onOwnNames?: (names: NamedPlaces) => void;
}

/** What the fields of a message are called in errors: where its sender wrote them. */
export interface FieldNames {
  readonly whole: string;
  readonly of: (field: string) => string;
}

/** Of a message that stands as a whole in one field. */
export function namesBelow(whole: string): FieldNames {
  return { whole, of: (field) => `${whole}.${field}` };
}

/**
 * The event that the `message` of a send becomes. Pure; the same rules wherever messages are accepted.
 * @throws ServiceError `invalid_request` naming the field.
 */
export function acceptMessage(message: OutgoingMessage, acceptance: Acceptance): MessageRequested {
  return addressed(requestOf(message, namesBelow('message'), acceptance), acceptTo(message.to));
}

/**
 * The event of a message that names no recipient yet (`addressed`).
 * @throws ServiceError `invalid_request` naming the field.
 */
export function requestOf(message: UnaddressedMessage, names: FieldNames, acceptance: Acceptance): MessageRequested {
  const { workspaceId, id, mode, requestedAt, idempotencyKey, warnings } = acceptance;
  const { metadata, delay, timeouts, timeout, expiry } = message;
  // Written field by field: spread together, the event would cost more than all its checks.
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
  const utm = saidUtm(metadata?.utm);
  if (utm) request.utm = utm;
  if (metadata?.trace_id) request.traceId = metadata.trace_id;
  if (message.preferences?.subscription_topic_id) request.topicId = message.preferences.subscription_topic_id;
  if (message.context?.tenant_id) request.tenantId = message.context.tenant_id;
  if (delay) request.delay = parseDelay(delay, names.of('delay'), requestedAt);
  if (timeouts) request.timeouts = parseTimeouts(timeouts, names.of('timeouts'));
  if (timeout) request.timeouts = parseTimeouts(timeout, names.of('timeout'));
  const own = ownNames(request, names, timeout ? 'timeout' : 'timeouts');
  if (own.size > 0) acceptance.onOwnNames?.(own);
  if (expiry) request.expiry = parseExpiry(expiry, names.of('expiry'));
  return request;
}

/**
 * The request with whom it goes to: one target or several (an array, even of one). What one user has for itself is written to the
 * request itself; any other target is expanded later, and has its own beside what the request says to all.
 */
export function addressed(request: MessageRequested, to: Target | Target[]): MessageRequested {
  if (Array.isArray(to) || to.kind !== 'user') {
    request.targets = [to].flat();
    return request;
  }
  request.recipient = to.recipient;
  request.profile = to.profile;
  if (to.userId !== undefined) request.userId = to.userId;
  if (to.tenantId !== undefined) request.tenantId = to.tenantId;
  if (to.preferences) request.preferences = to.preferences;
  if (to.data) request.data = deepMerge(request.data, to.data);
  return request;
}

function acceptTo(to: OutgoingMessage['to']): Target | Target[] {
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
): void {
  if (content && template) throw invalid(`${whole} has both template and content; send one of them`);
  if (brandId) request.brandId = brandId;
  if (template) request.template = template;
  else if (!content) throw invalid(`${whole} needs template, or content (an object with title and body, or with elements)`);
  else {
    request.content = acceptedContent(content, of('content'));
    checkContent?.(request.content, of('content'));
  }
}
