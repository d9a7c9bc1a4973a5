import type { JsonObject } from '../core/deep-merge';
import { Optional, OptionalNested, OptionalObject, OptionalText, OptionalTextOf, OptionalTextsOf, Text, TextOf } from '../core/fields';
import { Fits } from '../core/fits';
import { declaredFields } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { TopicId } from '../core/preferences';
import { LegacyListSend, LegacyListSent, LegacySend } from './legacy-send';
import { fieldsOfMessage, PREFERENCE_FIELDS } from './message-fields';
import { MessageContext, Recipient } from './recipient';
import { EVENT_LENGTH_MAX, OptionalBrandName, OptionalTemplateName } from './send-limits';
import { Utm } from './utm';

/** Maximum recipients of one send; each may be many users. */
export const RECIPIENTS_MAX = 10_000;

/** Inline content: a title (the subject of an e-mail) and a body in Markdown, both with variables. */
export class SimpleContent {
  @TextOf(10_000) title: string;

  @TextOf(400_000) body: string;
}

class MessageMetadata {
  @OptionalTextOf(EVENT_LENGTH_MAX) event?: string | null;

  @OptionalTextsOf(9, 30) tags?: string[] | null;

  @OptionalTextOf(256) trace_id?: string | null;

  @OptionalNested(Utm) utm?: Utm | null;
}

class MessagePreferences {
  /** Topic to use instead of the template's. */
  @Optional(TopicId) subscription_topic_id?: string | null;
}

/** The `message` of a send without its recipients. */
export class UnaddressedMessage {
  /** Simple content, or Elemental. Either this or `template`. */
  @OptionalObject content?: object | null;

  @OptionalObject data?: JsonObject | null;

  @OptionalNested(MessageMetadata) metadata?: MessageMetadata | null;

  /** A template's id or alias, or an event mapped to one. */
  @OptionalTemplateName template?: string | null;

  /** Brand to use instead of the template's. */
  @OptionalBrandName brand_id?: string | null;

  /** By channel: `if`, `override`, `providers`, `routing_method`, `brand_id`, `metadata.utm`, `timeouts`. */
  @OptionalObject channels?: JsonObject | null;

  /** By provider: `if`, `override`, `metadata.utm`, `timeouts`. */
  @OptionalObject providers?: JsonObject | null;

  /** `{ method, channels }`, instead of the template's; with a method alone, channels come from the template or the defaults. */
  @OptionalObject routing?: JsonObject | null;

  @OptionalNested(MessagePreferences) preferences?: MessagePreferences | null;

  @OptionalNested(MessageContext) context?: MessageContext | null;

  /** `{ duration }` in ms, or `{ until, timezone }`: an instant, or opening hours. */
  @OptionalObject delay?: JsonObject | null;

  /** `{ message, channel, provider, criteria, escalation }`, times in ms. */
  @OptionalObject timeout?: JsonObject | null;

  /** Another name of `timeout`, which wins. */
  @OptionalObject timeouts?: JsonObject | null;

  /** `{ expires_in, expires_at }`: when the inbox item expires. */
  @OptionalObject expiry?: JsonObject | null;
}

/** The `message` of a send. */
export class OutgoingMessage extends UnaddressedMessage {
  /** One recipient, or several of any kind. */
  @Fits(Recipient, { each: true }) to: Recipient | Recipient[];
}

/** The body of a send: `message`, or the fields of older clients. */
export class Send extends LegacySend {
  @OptionalNested(OutgoingMessage) message?: OutgoingMessage | null;
}

class SendAccepted {
  /** With a single recipient that is a user or an address, also the message id. */
  @Text requestId: string;

  /** The same id, for older clients: present if the send had no `message`. */
  @OptionalText messageId?: string;
}

export const send = defineOperations('gateway.send', 'send', {
  /** The request is durable before the answer. */
  accept: {
    route: 'POST /send',
    status: 202,
    statusHaving: { field: 'messageId', status: 200 },
    summary: 'Send a message',
    request: Send,
    knownFields: declaredFields(Send, { message: fieldsOfMessage(OutgoingMessage), preferences: PREFERENCE_FIELDS }),
    response: SendAccepted,
  },
  acceptForLists: {
    pattern: 'gateway.send.accept-for-lists',
    route: 'POST /send/list',
    generation: 'legacy',
    summary: 'Send to a list, or to all lists of a pattern, as older clients do',
    request: LegacyListSend,
    knownFields: declaredFields(LegacyListSend, { preferences: PREFERENCE_FIELDS }),
    response: LegacyListSent,
  },
});
