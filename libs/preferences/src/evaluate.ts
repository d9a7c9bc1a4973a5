import type { ChannelClass } from '@tidings/contracts/core/channels';
import type { PreferenceOrigin } from '@tidings/contracts/messaging/decisions';
import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { PreferenceInput } from './input';
import { effectivePreference, type PreferenceLayer } from './layers';
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
  /** The same for programs: the deciding preference; absent where none applies. */
  readonly by?: PreferenceOrigin;
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
  /** The same for programs. */
  readonly by?: PreferenceOrigin;
}

export type PreferencesDecision = PreferencesPass | PreferencesStop;

/**
 * Whether preferences allow a message to a recipient. Pure and total: the same input gives the same result, and no input throws.
 * Without preferences the message is sent.
 *
 * Sources by precedence: the send, the user in the tenant, the user, the tenant's default (then its parents'), the subscription,
 * the list, the topic's default. Status, channels and snoozes each come from the first source that defines them.
 * `REQUIRED` of a topic or tenant overrides opt-outs and snoozes; of another source it is an opt-in.
 */
export function evaluate(input: PreferenceInput): PreferencesDecision {
  const { statusFrom, channelsFrom, rulesFrom, required, requiredBy } = effectivePreference(input);

  if (!required) {
    if (statusFrom?.status === 'OPTED_OUT') return optedOut(statusFrom, input);
    const until = rulesFrom?.rules && snoozedUntil(rulesFrom.rules, input.now);
    if (until !== undefined) {
      const rule = `${describe(rulesFrom!, input)}: snoozed until ${new Date(until).toISOString()}`;
      return unsubscribed(rule, { ...originOf(rulesFrom!), until });
    }
  }
  if (!channelsFrom) {
    const from = requiredBy ?? statusFrom;
    return {
      send: true,
      conditionsApply: true,
      required,
      rule: required ? 'required by topic or tenant' : 'no preference stands against it',
      by: from && originOf(from),
    };
  }
  const rule = describe(channelsFrom, input);
  return { send: true, channels: channelsFrom.channels, conditionsApply: false, required, rule, by: originOf(channelsFrom) };
}

function optedOut(from: PreferenceLayer, input: PreferenceInput): PreferencesStop {
  const rule = describe(from, input);
  return from.source === 'tenant-default' || from.source === 'topic-default'
    ? { send: false, status: 'UNDELIVERABLE', reason: 'OPT_IN_REQUIRED', error: OPT_IN_REQUIRED_ERROR, rule, by: originOf(from) }
    : unsubscribed(rule, originOf(from));
}

function originOf({ source, id }: PreferenceLayer): PreferenceOrigin {
  return { source, id };
}

const unsubscribed = (rule: string, by: PreferenceOrigin): PreferencesStop => ({
  send: false,
  status: 'UNDELIVERABLE',
  reason: 'UNSUBSCRIBED',
  error: OPTED_OUT_ERROR,
  rule,
  by,
});

function describe({ source, name }: PreferenceLayer, { userId }: PreferenceInput) {
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
