import type { KeyMode } from '../core/context';
import { assertElemental } from '../content/assert-elemental';
import { ServiceError } from '../core/errors';
import { validate } from '../core/validator';
import { PROFILE_BYTES_MAX, USER_ID_LENGTH_MAX } from '../identity/profiles';
import type { MessageRequested } from './events';
import { type OutgoingMessage, type Send, SimpleContent } from './send';

/** Fields of `message` that the interface knows and this version refuses with 501, rather than to ignore what was asked. */
const MESSAGE_FIELDS_NOT_SERVED = [
  'channels',
  'providers',
  'routing',
  'preferences',
  'context',
  'delay',
  'timeout',
  'expiry',
] as const satisfies readonly (keyof OutgoingMessage)[];

/** Keys of `message.to` that name something other than one user's profile. */
const RECIPIENT_FIELDS_NOT_SERVED = [
  'list_id',
  'list_pattern',
  'audience_id',
  'tenant_id',
  'account_id',
  'context',
  'preferences',
  'filters',
  'include_children',
  // Addresses on channels that are not there yet: nothing would be sent to them.
  'slack',
  'ms_teams',
  'discord',
  'pagerduty',
  'webhook',
  'apn',
  'firebaseToken',
  'expo',
  'oneSignalPlayerID',
];

export interface Acceptance {
  workspaceId: string;
  mode: KeyMode;
  id: string;
  /** ms since the epoch */
  requestedAt: number;
}

/**
 * The event that a valid send becomes. Pure; the same rules wherever sends are accepted.
 * Throws `invalid_request` naming the field, or `not_served` for what the interface knows and this version does not do.
 */
export function acceptMessage(
  { message, event, recipient: legacyRecipient }: Send,
  { workspaceId, mode, id, requestedAt }: Acceptance,
): MessageRequested {
  if (!message)
    throw event || legacyRecipient ? notServed('A send without message (event and recipient instead)') : invalid('message is required');
  for (const field of MESSAGE_FIELDS_NOT_SERVED) {
    if (message[field] !== undefined && message[field] !== null) throw notServed(`message.${field}`);
  }
  if (message.metadata?.utm) throw notServed('message.metadata.utm');

  const { userId, recipient, profile, data } = acceptRecipient(message.to);
  return {
    workspaceId,
    id,
    recipient,
    requestedAt,
    mode,
    ...(userId !== undefined && { userId }),
    profile,
    ...acceptContent(message),
    data: { ...message.data, ...data },
    event: message.template ?? message.metadata?.event ?? '',
    tags: message.metadata?.tags ?? [],
    ...(message.metadata?.trace_id && { traceId: message.metadata.trace_id }),
  };
}

function acceptRecipient(to: unknown): { userId?: string; recipient: string; profile: Record<string, unknown>; data?: object } {
  if (Array.isArray(to)) throw notServed('message.to as an array');
  if (typeof to !== 'object' || to === null) throw invalid('message.to must be an object');
  const { user_id: userId, data, ...profile } = to as Record<string, unknown>;
  for (const field of RECIPIENT_FIELDS_NOT_SERVED) {
    if (profile[field] !== undefined && profile[field] !== null) throw notServed(`message.to.${field}`);
  }
  const { email, phone_number: phoneNumber } = profile;
  const named = { user_id: userId, email, phone_number: phoneNumber };
  for (const [field, value] of Object.entries(named)) {
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string' || value === '') throw invalid(`message.to.${field} must be a text that is not empty`);
    if (value.length > USER_ID_LENGTH_MAX)
      throw invalid(`message.to.${field} has ${value.length} characters, at most ${USER_ID_LENGTH_MAX} are allowed`);
  }
  const profileBytes = Buffer.byteLength(JSON.stringify(profile));
  if (profileBytes > PROFILE_BYTES_MAX)
    throw invalid(`message.to has ${profileBytes} bytes of profile fields, at most ${PROFILE_BYTES_MAX} are allowed`);
  if (data !== undefined && data !== null && (typeof data !== 'object' || Array.isArray(data)))
    throw invalid('message.to.data must be an object');

  const recipient = (userId ?? email ?? phoneNumber) as string | null | undefined;
  if (recipient === undefined || recipient === null) throw invalid('message.to needs user_id, email or phone_number');
  return { ...(typeof userId === 'string' && { userId }), recipient, profile, ...(data ? { data } : {}) };
}

function acceptContent({
  content,
  template,
  brand_id: brandId,
}: OutgoingMessage): Pick<MessageRequested, 'content' | 'template' | 'brandId'> {
  if (content && template) throw invalid('message has both template and content; send one of them');
  const brand = brandId ? { brandId } : {};
  if (template) return { template, ...brand };
  if (!content) throw invalid('message needs template, or content (an object with title and body, or with elements)');
  if ('elements' in content) {
    assertElemental(content, 'message.content');
    return { content, ...brand };
  }
  try {
    return { content: validate(SimpleContent, content), ...brand };
  } catch (error) {
    throw error instanceof ServiceError ? invalid(`message.content: ${error.message}`) : error;
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}

function notServed(what: string): ServiceError {
  return new ServiceError('not_served', `${what} is not served yet`, { shouldRetry: false });
}
