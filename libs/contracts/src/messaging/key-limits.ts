import type { CallContext } from '../core/context';
import { isJsonObject, type JsonObject } from '../core/deep-merge';
import { ServiceError } from '../core/errors';
import { STORED_SENDS } from '../core/granted';
import { isGiven, shown } from '../core/refusals';
import { ADDRESS_FIELDS } from './address-id';
import type { MessageRequested } from './events';
import { parseMailboxes, toMailbox } from './mailbox';
import type { Target } from './targets';

/** What an API key may send. A request keeps it, so that the service that processes the request applies it as well. */
export interface KeyLimits {
  /** Only published templates, and only to stored addresses. */
  readonly stored?: true;
  /** The guest list: the only user ids and addresses. */
  readonly recipients?: readonly string[];
}

/** The limits of a caller; undefined without any. */
export function limitsOf({ scopes, recipients }: Pick<CallContext, 'scopes' | 'recipients'>): KeyLimits | undefined {
  const isStored = scopes.includes(STORED_SENDS);
  if (!isStored && !recipients) return undefined;
  return { ...(isStored && { stored: true as const }), ...(recipients && { recipients }) };
}

/** Whether two limits allow the same. */
export function areSameLimits(one: KeyLimits | null | undefined, other: KeyLimits | null | undefined): boolean {
  const textOf = (limits: KeyLimits = {}) => JSON.stringify([limits.stored ?? false, limits.recipients?.toSorted()]);
  return textOf(one ?? undefined) === textOf(other ?? undefined);
}

/** Refuses a request that its own limits do not allow. @throws ServiceError `forbidden`, naming the field or the recipient. */
export function assertWithinLimits(request: MessageRequested): void {
  if (!request.limits) return;
  assertMessageWithin(request.limits, request);
  for (const target of request.targets ?? [{ ...request, kind: 'user' as const }]) assertTargetWithin(request.limits, target);
}

/** As `assertWithinLimits`, without the recipients. */
export function assertMessageWithin(limits: KeyLimits, { content, channels, providers }: Partial<MessageRequested>): void {
  if (limits.stored && content) throw notStored('content');
  if (limits.recipients && content && hasRaw(content)) throw notToGuests("raw in the content, which changes the provider's call");
  for (const [field, settings] of Object.entries({ channels, providers })) {
    for (const [name, { override }] of Object.entries(settings ?? {})) {
      if (!isGiven(override)) continue;
      const path = `${field}.${name}.override`;
      if (limits.stored) throw notStored(path);
      if (limits.recipients) assertOverrideToGuests(override!, path, limits.recipients);
    }
  }
}

/** Fields of a profile that choose language and time only: they carry nothing out. */
const TIME_AND_LANGUAGE = ['locale', 'timezone', 'zoneinfo'];

/** As `assertWithinLimits`, for one target. */
export function assertTargetWithin({ stored, recipients }: KeyLimits, target: Target): void {
  if (target.kind !== 'user') {
    if (recipients && target.kind !== 'job')
      throw notToGuests(`${target.kind === 'pattern' ? 'lists' : target.kind}, with members of its own`);
    return;
  }
  const { userId, recipient, profile } = target;
  const fields = Object.keys(profile);
  if (stored) {
    if (userId === undefined) throw notStored(`the address ${shown(recipient)} without a user_id`);
    const other = fields.find((field) => !TIME_AND_LANGUAGE.includes(field));
    if (other !== undefined) throw notStored(`${other} beside the user_id ${shown(userId)}`);
  }
  if (!recipients) return;
  if (userId !== undefined && !recipients.includes(userId)) throw notToGuests(shown(userId));
  for (const field of fields) {
    const value = profile[field];
    if (!ADDRESS_FIELDS.includes(field) || !isGiven(value)) continue;
    if (field !== 'email' && field !== 'phone_number')
      throw notToGuests(`an address in ${field}: store it in the profile of a user on the list`);
    if (!isGuest(recipients, String(value))) throw notToGuests(shown(value));
  }
}

/** Whether an address is on a guest list: e-mail addresses are, in whatever case. */
export function isGuest(recipients: readonly string[], address: string): boolean {
  const wanted = canonical(address);
  return recipients.some((one) => canonical(one) === wanted);
}

function canonical(address: string) {
  return (toMailbox(address)?.address ?? address).toLowerCase();
}

/** Fields of an override that change only what is shown; others choose receivers, or change the provider's call. */
const SHOWN_OVERRIDES = ['subject', 'html', 'text', 'from', 'reply_to', 'attachments', 'brand', 'tracking'];
const SHOWN_PUSH_OVERRIDES = ['title', 'body', 'clickAction', 'click_action', 'icon', 'data'];

function assertOverrideToGuests(override: JsonObject, path: string, recipients: readonly string[]) {
  for (const [name, value] of Object.entries(override)) {
    if (!isGiven(value) || SHOWN_OVERRIDES.includes(name)) continue;
    if (path === 'channels.push.override' && SHOWN_PUSH_OVERRIDES.includes(name)) continue;
    if (name !== 'cc' && name !== 'bcc') throw notToGuests(`${path}.${name}, which may change the receiver`);
    const other = [value].flat().find((text) => !namesOnlyGuests(recipients, text));
    if (other !== undefined) throw notToGuests(`${shown(other)} in ${path}.${name}`);
  }
}

function namesOnlyGuests(recipients: readonly string[], text: unknown) {
  const mailboxes = typeof text === 'string' ? parseMailboxes(text) : { wrong: '' };
  return !('wrong' in mailboxes) && mailboxes.every(({ address }) => isGuest(recipients, address));
}

/** Whether content has the `raw` of a channel, at any depth. */
function hasRaw(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasRaw);
  if (!isJsonObject(value)) return false;
  return isGiven(value.raw) || Object.values(value).some(hasRaw);
}

function notStored(got: string) {
  return forbidden(`The scope ${STORED_SENDS} allows only published templates and stored addresses (got ${got})`);
}

function notToGuests(got: string) {
  return forbidden(`The API key sends only to the recipients on its list (got ${got})`);
}

const forbidden = (sentence: string) => new ServiceError('forbidden', sentence);
