import type { JsonObject } from '../core/deep-merge';
import {
  Optional,
  OptionalFlag,
  OptionalNested,
  OptionalObject,
  OptionalText,
  OptionalTextOf,
  OptionalTextsOf,
  Text,
  TextOf,
} from '../core/fields';
import { Fits } from '../core/fits';
import { declaredFields } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { PREFERENCE_FIELDS, TopicId } from '../core/preferences';
import { LegacyListSend, LegacyListSent, LegacySend } from './legacy-send';
import { fieldsOfMessage } from './message-fields';
import { MessageContext, Recipient } from './recipient';
import { EVENT_LENGTH_MAX, OptionalBrandName, OptionalTemplateName } from './send-limits';
import { Utm } from '../content/utm';

/** Maximum recipients of one send; each may be many users. */
export const RECIPIENTS_MAX = 10_000;

/** Inline content: a title (the subject of an e-mail) and a body in Markdown, both with variables. */
export class SimpleContent {
  /** Title: the subject of an e-mail. Variables: `{name}`, `{{name}}`. @example "Hello {name}" */
  @TextOf(10_000) title: string;

  /** Text in Markdown. Variables: `{name}`, `{{name}}`. @example "Your order **{order}** has shipped." */
  @TextOf(400_000) body: string;
}

class MessageMetadata {
  /** What led to the message; `GET /messages?event=` finds it by this name. @example "order-shipped" */
  @OptionalTextOf(EVENT_LENGTH_MAX) event?: string | null;

  /** Up to 9 tags of 30 characters; `GET /messages?tags=` finds the message by them. @example ["orders"] */
  @OptionalTextsOf(9, 30) tags?: string[] | null;

  /** Your own id of what led to the message; `GET /messages?traceId=` finds it. @example "4bf92f3577b34da6a3ce929d0e0e4736" */
  @OptionalTextOf(256) trace_id?: string | null;

  /** UTM parameters for the links of the message. */
  @OptionalNested(Utm) utm?: Utm | null;
}

class MessagePreferences {
  /** Topic whose preferences apply, instead of the template's. @example "tpc_7Hd2kQm3xYb5nVwZ4cRt" */
  @Optional(TopicId) subscription_topic_id?: string | null;

  /**
   * Whether it is also sent to addresses that are suppressed as `unsubscribe`, as a password reset may be; opt-outs of topics count
   * nevertheless. Needs the scope `write:send:unsubscribed`; not for bulk jobs. Default `false`.
   * @example true
   */
  @OptionalFlag pass_unsubscribed?: boolean | null;
}

/** The `message` of a send without its recipients. */
export class UnaddressedMessage {
  /**
   * Content of the message: `{title, body}`, or Elemental, `{version, elements}`. Either this or `template`.
   * @example { "title": "Hello {name}", "body": "Your order **{order}** has shipped." }
   */
  @OptionalObject content?: object | null;

  /** Variables of the content. @example { "name": "Ada", "order": "A-17" } */
  @OptionalObject data?: JsonObject | null;

  /** Data about the message for lists, and for its links. */
  @OptionalNested(MessageMetadata) metadata?: MessageMetadata | null;

  /** Template with the content: its id, its alias, or an event mapped to it. Either this or `content`. @example "order-shipped" */
  @OptionalTemplateName template?: string | null;

  /** Brand of the message, instead of the one of the template or the tenant. @example "acme" */
  @OptionalBrandName brand_id?: string | null;

  /**
   * Settings by channel: `if`, `override`, `providers`, `routing_method`, `brand_id`, `metadata.utm`, `timeouts`.
   * @example { "email": { "override": { "reply_to": "help@example.com" } } }
   */
  @OptionalObject channels?: JsonObject | null;

  /**
   * Settings by the key, alias or id of a provider: `if`, `override`, `metadata.utm`, `timeouts`.
   * @example { "smtp": { "timeouts": 60000 } }
   */
  @OptionalObject providers?: JsonObject | null;

  /**
   * Channels of the message and how they are used: `single`, the first that succeeds, or `all`. With a `method` alone the channels are
   * those of the template, or the default. Default: that of the template, else `single` over all channels.
   * @example { "method": "single", "channels": ["push", "email"] }
   */
  @OptionalObject routing?: JsonObject | null;

  /** Which preferences apply to the message. */
  @OptionalNested(MessagePreferences) preferences?: MessagePreferences | null;

  /** The tenant in whose context the message is sent. */
  @OptionalNested(MessageContext) context?: MessageContext | null;

  /**
   * When to send: `{duration}`, in ms and rounded up to whole minutes, or `{until, timezone}`, an ISO 8601 instant or opening hours. At
   * most 366 days ahead. Default: at once.
   * @example { "until": "Mo-Fr 09:00-17:00", "timezone": "Europe/Paris" }
   */
  @OptionalObject delay?: JsonObject | null;

  /**
   * Time limits in ms, at most 30 days: `message` (default 72 h), `channel` (30 min), `provider` (5 min); `criteria` and `escalation` for
   * the next channel.
   * @example { "message": 3600000, "provider": 60000 }
   */
  @OptionalObject timeout?: JsonObject | null;

  /** Another name of `timeout`, which wins. */
  @OptionalObject timeouts?: JsonObject | null;

  /**
   * When the message expires in an inbox: `expires_in`, in ms or as an ISO 8601 duration, or `expires_at`, an instant. At most 10 years. It
   * is stored; the inbox is not served.
   * @example { "expires_in": "P1DT4H" }
   */
  @OptionalObject expiry?: JsonObject | null;
}

/** The `message` of a send. */
export class OutgoingMessage extends UnaddressedMessage {
  /**
   * One recipient, or an array of 1 to 10,000 of any kind: a user, an address, a list, a pattern of lists, an audience or a tenant.
   * @example { "user_id": "ada" }
   */
  @Fits(Recipient, { each: true }) to: Recipient | Recipient[];
}

/** The body of a send: `message`, or the fields of older clients. */
export class Send extends LegacySend {
  /** The message. Without it the other fields are those of a send of older clients. */
  @OptionalNested(OutgoingMessage) message?: OutgoingMessage | null;
}

class SendAccepted {
  /**
   * Id of the request. Of a send to one user or one address it is also the id of the message.
   * @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe"
   */
  @Text requestId: string;

  /** The same id, for older clients; present if the send had no `message`. @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe" */
  @OptionalText messageId?: string;
}

export const send = defineOperations('gateway.send', 'send', {
  /**
   * Stores the request and answers 202 before it is processed: `GET /messages/:message_id` shows what became of it. Exactly one of
   * `template` and `content` is required. Unknown fields are ignored, and named in the first event of each message.
   * @example {
   *   "message": {
   *     "to": { "user_id": "ada" },
   *     "content": { "title": "Hello {name}", "body": "Your order **{order}** has shipped." },
   *     "data": { "name": "Ada", "order": "A-17" }
   *   }
   * }
   */
  accept: {
    route: 'POST /send',
    status: 202,
    statusHaving: { field: 'messageId', status: 200 },
    summary: 'Send a message',
    request: Send,
    requiresBody: true,
    unknownFields: 'reported',
    knownFields: declaredFields(Send, { message: fieldsOfMessage(OutgoingMessage), preferences: PREFERENCE_FIELDS }),
    response: SendAccepted,
    gathered: true,
  },
  /**
   * As `POST /send` to `list_id` or `list_pattern`. `event`, and `list` or `pattern`, are required.
   * @example { "list": "team.readers", "event": "order-shipped", "data": { "order": "A-17" } }
   */
  acceptForLists: {
    pattern: 'gateway.send.accept-for-lists',
    route: 'POST /send/list',
    generation: 'legacy',
    summary: 'Send to a list, or to all lists of a pattern, as older clients do',
    request: LegacyListSend,
    requiresBody: true,
    unknownFields: 'reported',
    knownFields: declaredFields(LegacyListSend, { preferences: PREFERENCE_FIELDS }),
    response: LegacyListSent,
  },
});
