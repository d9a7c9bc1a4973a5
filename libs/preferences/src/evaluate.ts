import type { ChannelClass } from '@tidings/contracts/core/preferences';
import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { PreferenceInput } from './input';
import { effectivePreference, type PreferenceLayer } from './layers';
import { layersOf } from './layers-of';
import { snoozedUntil } from './snooze';

/** The error of a message that a preference excludes, now or always. */
export const OPTED_OUT_ERROR = 'Notification opted out by user';

/** The error of a message that requires an opt-in. */
export const OPT_IN_REQUIRED_ERROR = 'Notification requires an opt-in by user';

/** The message may go out. */
export interface PreferencesPass {
  readonly send: true;
  /** The chosen channel classes; absent without a choice. `allowedChannels` applies them. */
  readonly channels?: readonly ChannelClass[];
  /** Whether the conditions (`if`) of the channels count: a choice of channels overrides them. */
  readonly conditionsApply: boolean;
  /** The message must reach the recipient: a choice that leaves no routable channel is ignored. */
  readonly required: boolean;
  /** The source of the chosen channels, or that none apply, as readable text. */
  readonly rule: string;
}

/** The message is not sent. */
export interface PreferencesStop {
  readonly send: false;
  readonly status: Extract<MessageStatus, 'UNDELIVERABLE' | 'UNROUTABLE'>;
  readonly reason: Extract<MessageReason, 'UNSUBSCRIBED' | 'OPT_IN_REQUIRED'>;
  /** For the record of the message and its providers. */
  readonly error: string;
  /** The deciding preference as readable text: `own choice of user ada in tenant Acme`. Users are named by id only. */
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
 * Whether preferences allow a message to a recipient. Pure and total: the same input gives the same result, and no input throws.
 * Without preferences the message is sent.
 *
 * Sources by precedence: the send, the user in the tenant, the user, the tenant's default (then its parents'), the subscription,
 * the list, the topic's default. Status, channels and snoozes each come from the first source that defines them.
 * `REQUIRED` of a topic or tenant overrides opt-outs and snoozes; of another source it is an opt-in.
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
