import { IsIn } from 'class-validator';
import { defineEvent } from '../core/event';
import { Int, OptionalFlag, OptionalInt, OptionalOneOf, OptionalText, OptionalTextOf, Text, TextOf, Uuid } from '../core/fields';

/**
 * What a provider reports of a message it accepted.
 *
 * - `DELIVERED`: to the mail server, the handset or the application of the recipient.
 * - `BOUNCED`: the address accepts nothing, now (`SOFT`) or ever (`HARD`).
 * - `FAILED`: it was not delivered for another reason, or was never sent.
 * - `OPENED`, `CLICKED`: by the recipient.
 * - `COMPLAINED`: the recipient marked it as spam. `UNSUBSCRIBED`: the recipient wants no more of them.
 */
export const PROVIDER_EVENT_KINDS = ['DELIVERED', 'BOUNCED', 'FAILED', 'OPENED', 'CLICKED', 'COMPLAINED', 'UNSUBSCRIBED'] as const;
export type ProviderEventKind = (typeof PROVIDER_EVENT_KINDS)[number];

/** Bounds of texts that vendors choose: what is longer is cut. */
export const PROVIDER_EVENT_LENGTHS = { reference: 256, address: 320, details: 500, code: 100, url: 2_048 } as const;

/**
 * A verified event of a provider. It may come twice, late, and before the message is stored; the events of a message come in the order in
 * which the provider reported them, which need not be that of their times.
 */
export class ProviderEventReported {
  @Uuid workspaceId: string;

  /** The message of the delivery; where the provider does not name it, its own reference; else the event's id. */
  @TextOf(1, PROVIDER_EVENT_LENGTHS.reference) subject: string;

  /** Id of the event: the same when the provider reports it again. */
  @Text eventId: string;

  /** Key of the provider. */
  @Text provider: string;

  /** Id of the provider's configuration. */
  @Text configurationId: string;

  @IsIn(PROVIDER_EVENT_KINDS) kind: ProviderEventKind;

  /** When it happened by the provider's clock, ms since the epoch. */
  @Int at: number;

  /** The message, where the provider names its delivery. */
  @OptionalText messageId?: string;

  /** Number of the route in the message's routing, with `messageId`. */
  @OptionalInt leaf?: number;

  /** The provider's own id of the message. */
  @OptionalTextOf(PROVIDER_EVENT_LENGTHS.reference) reference?: string;

  /** The address that it is about, where the provider names it. */
  @OptionalTextOf(PROVIDER_EVENT_LENGTHS.address) address?: string;

  /** With `BOUNCED`. */
  @OptionalOneOf(['HARD', 'SOFT']) reasonCode?: 'HARD' | 'SOFT';

  /** With `FAILED`: the message was not sent because the recipient had opted out at the provider. */
  @OptionalFlag optedOut?: boolean;

  /** The provider's words about it. */
  @OptionalTextOf(PROVIDER_EVENT_LENGTHS.details) details?: string;

  /** The provider's code of the reason. */
  @OptionalTextOf(PROVIDER_EVENT_LENGTHS.code) code?: string;

  /** With `CLICKED`: the address of the link. */
  @OptionalTextOf(PROVIDER_EVENT_LENGTHS.url) url?: string;
}

export const providerEventReported = defineEvent({
  topic: 'tidings.provider-events.v1',
  key: ['workspaceId', 'subject'],
  payload: ProviderEventReported,
  summary: 'A provider reported what became of a message',
  from: 'gateway',
  alsoFrom: ['messaging'], // bounces of mail servers, receipts of push messages
  to: ['messaging', 'consumers'],
  isPersonal: true,
});
