import type { ChannelClass } from '@tidings/contracts/core/channels';
import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { PreferenceInput } from './input';
import { effectivePreference, type PreferenceLayer } from './layers';
import { layersOf } from './layers-of';
import { snoozedUntil } from './snooze';

/** The error of a message that somebody does not want, now or at all. */
export const OPTED_OUT_ERROR = 'Notification opted out by user';

/** The error of a message that is sent only to those who asked for it. */
export const OPT_IN_REQUIRED_ERROR = 'Notification requires an opt-in by user';

/** The message may go out. */
export interface PreferencesPass {
  readonly send: true;
  /** The only channel classes that somebody allowed; absent where nobody chose. To be applied by `allowedChannels`. */
  readonly channels?: readonly ChannelClass[];
  /** Whether the conditions (`if`) of the channels count: who chose channels gets those, whatever the conditions say. */
  readonly conditionsApply: boolean;
  /** Must reach the recipient: a choice of channels that leaves none is ignored. */
  readonly required: boolean;
  /** Who chose the channels, or that nobody did, as a person would say it. */
  readonly rule: string;
}

/** The message ends here. */
export interface PreferencesStop {
  readonly send: false;
  readonly status: Extract<MessageStatus, 'UNDELIVERABLE' | 'UNROUTABLE'>;
  readonly reason: Extract<MessageReason, 'UNSUBSCRIBED' | 'OPT_IN_REQUIRED'>;
  /** For the record of the message and its providers. */
  readonly error: string;
  /** Who decided, as a person would say it: `own choice of user ada in tenant Acme`. Names nobody but by id. */
  readonly rule: string;
}

type PreferencesDecision = PreferencesPass | PreferencesStop;

const PASS: PreferencesPass = Object.freeze({
  send: true,
  conditionsApply: true,
  required: false,
  rule: 'no preference stands against it',
});
const PASS_REQUIRED: PreferencesPass = Object.freeze({
  send: true,
  conditionsApply: true,
  required: true,
  rule: 'required by topic or tenant',
});

/**
 * Whether preferences let a message go to a recipient. Pure and total: the same input gives the same answer, and none throws.
 * Where nothing was said anywhere, the message goes.
 *
 * Sources from high to low: the send, the user in the tenant, the user, the tenant's default (then its parents'), the
 * subscription, the list, the topic's default; status, channels and snoozes each from the highest that says something of it.
 * `REQUIRED` of a topic or tenant lets no opt-out and no snooze count; of anybody else it is an opt-in.
 */
export function evaluate(input: PreferenceInput): PreferencesDecision {
  const layers = layersOf(input);
  if (layers.length === 0) return PASS;
  const { status, channels, rules, required } = effectivePreference(layers);

  if (!required) {
    if (status?.value === 'OPTED_OUT') return optedOut(status.from, input);
    const until = rules && snoozedUntil(rules.value, input.now);
    if (until !== undefined) return snoozed(rules!.from, until, input);
  }
  if (!channels) return required ? PASS_REQUIRED : PASS;
  return { send: true, channels: channels.value, conditionsApply: false, required, rule: describe(channels.from, input) };
}

function optedOut(from: PreferenceLayer, input: PreferenceInput): PreferencesStop {
  const rule = describe(from, input);
  return from.source === 'tenant-default' || from.source === 'topic-default'
    ? { send: false, status: 'UNDELIVERABLE', reason: 'OPT_IN_REQUIRED', error: OPT_IN_REQUIRED_ERROR, rule }
    : { send: false, status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED', error: OPTED_OUT_ERROR, rule };
}

function snoozed(from: PreferenceLayer, until: number, input: PreferenceInput): PreferencesStop {
  const rule = `${describe(from, input)}: snoozed until ${new Date(until).toISOString()}`;
  return { send: false, status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED', error: OPTED_OUT_ERROR, rule };
}

function describe({ source, name }: PreferenceLayer, { userId }: PreferenceInput): string {
  switch (source) {
    case 'send':
      return 'preferences given with the send';
    case 'user-in-tenant':
      return `own choice of user ${userId} in tenant ${name}`;
    case 'user':
      return `own choice of user ${userId}`;
    case 'tenant-default':
      return `default of tenant ${name}`;
    case 'subscription':
      return name === undefined ? `subscription of user ${userId}` : `subscription of user ${userId} to list ${name}`;
    case 'list':
      return `preferences of list ${name}`;
    case 'topic-default':
      return `default of topic ${name}`;
  }
}
