import { IsIn } from 'class-validator';
import {
  AnyObject,
  Int,
  Optional,
  OptionalFlag,
  OptionalInt,
  OptionalLimit,
  OptionalListOf,
  OptionalObject,
  OptionalOneOf,
  OptionalText,
  OptionalTextOf,
  OptionalTexts,
  OptionalTextsOf,
  SomeOf,
  Text,
  TextOf,
} from '../core/fields';
import { STATUS_READS } from '../core/granted';
import { CursorQuery, PAGE_LIMIT_MAX, pageOf } from '../core/paging';
import { defineOperations } from '../core/operation';
import { HISTORY_TYPES, type HistoryType, MessageHistory } from './message-history';
import { MessageOutput, OUTPUT_PART_TYPES, OutputPart } from '../content/message-output';
import { MESSAGE_REASONS, MESSAGE_STATUSES, type MessageReason, type MessageStatus } from './message-states';

/** Long enough for every id of the interface; longer texts match none. */
const ID_LENGTH_MAX = 512;
const Id = TextOf(ID_LENGTH_MAX);
const Filter = OptionalTextOf(ID_LENGTH_MAX);
/** Maximum values of one multi-valued filter. */
const FILTER_VALUES_MAX = 100;
const Filters = OptionalTextsOf(FILTER_VALUES_MAX, ID_LENGTH_MAX);

export class ListMessages extends CursorQuery {
  /** Whether to include archived messages. Default `false`. */
  @OptionalFlag archived?: boolean;

  /** Only messages of this event. @example "order-shipped" */
  @Filter event?: string;

  /** Only messages sent to the list of this id. @example "team.readers" */
  @Filter list?: string;

  /** Only the message of this id. @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe" */
  @Filter messageId?: string;

  /** Only messages of the template with this id or alias. @example "nt_3Xo0aB1dQkS9fT2uVw5z" */
  @Filter notification?: string;

  /** Only messages to this user, or to this address. @example "ada" */
  @Filter recipient?: string;

  /** Only messages with one of these statuses: separated by commas, or repeated. @example ["UNDELIVERABLE"] */
  @Optional(SomeOf(MESSAGE_STATUSES, FILTER_VALUES_MAX)) status?: MessageStatus[];

  /** Only messages with one of these tags: separated by commas, or repeated. @example ["orders"] */
  @Filters tags?: string[];

  /** The same as `tags`, under the name that some clients use. @example ["orders"] */
  @Filters tag?: string[];

  /**
   * Only messages with a route by one of these providers: the key of a kind, the id or alias of a configuration, or `default`, the
   * operator's. A configuration that was removed is found by its id. Separated by commas, or repeated. @example ["smtp"]
   */
  @Filters provider?: string[];

  /** Only messages in the context of this tenant. @example "acme" */
  @Filter tenant_id?: string;

  /** Only messages accepted after this instant: ms since the epoch, or ISO 8601. @example "2026-03-01T00:00:00Z" */
  @OptionalTextOf(64) enqueued_after?: string;

  /**
   * Only messages with this `metadata.trace_id`, or of the request with this `requestId`.
   * @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe"
   */
  @Filter traceId?: string;

  /** The most messages of a page, 1 to 100. Default 10. @example 50 */
  @OptionalLimit(PAGE_LIMIT_MAX) limit?: number;
}

export class GetMessage {
  /** Id of the message; of a send to one recipient its `requestId`. @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe" */
  @Id message_id: string;
}

export class GetMessageHistory extends GetMessage {
  /** Only events of this type. Default: all. @example "SENT" */
  @OptionalOneOf(HISTORY_TYPES) type?: HistoryType;
}

/** The status of one provider's delivery of a message. */
const PROVIDER_STATUSES = ['CLICKED', 'DELIVERED', 'OPENED', 'SENT', 'UNDELIVERABLE'] as const;

/** A route of a message: its delivery by one provider. Routes that ended come first, in that order; then those in progress. */
export class ProviderStatus {
  /** The channel: `{key, template}`. @example { "key": "email", "template": "" } */
  @AnyObject channel: { key: string; template: string };

  /** Key of the provider; empty if none was chosen. @example "smtp" */
  @Text provider: string;

  /**
   * Id of the provider's configuration; `default`: the operator's. Absent where no provider was chosen, and in older records.
   * @example "prv_3Xo0aB1dQkS9fT2uVw5z"
   */
  @OptionalText configuration_id?: string;

  /**
   * Alias of the configuration, if it has one: while the route is in progress the present one, afterwards that of the last attempt; also
   * after the configuration was removed.
   * @example "office"
   */
  @OptionalText alias?: string;

  /** The furthest status of the message at this provider; absent while the route is in progress. @example "DELIVERED" */
  @OptionalOneOf(PROVIDER_STATUSES) status?: (typeof PROVIDER_STATUSES)[number];

  /** When the provider accepted it, ms since the epoch; absent before. @example 1772359200050 */
  @OptionalInt sent?: number;

  /** When the provider reported its delivery, ms since the epoch; absent before. @example 1772359200090 */
  @OptionalInt delivered?: number;

  /** When the provider reported that it was opened, ms since the epoch; absent before. @example 1772359260000 */
  @OptionalInt opened?: number;

  /** When the provider reported that a link was clicked, ms since the epoch; absent before. @example 1772359260000 */
  @OptionalInt clicked?: number;

  /** When the provider reported that it bounced, ms since the epoch; absent if it did not. @example 1772359260000 */
  @OptionalInt bounced?: number;

  /** When the recipient marked it as spam, ms since the epoch; absent if no report says so. The status stays. @example 1772359260000 */
  @OptionalInt complained?: number;

  /** When the recipient unsubscribed by it, ms since the epoch; absent if no report says so. The status stays. @example 1772359260000 */
  @OptionalInt unsubscribed?: number;

  /** Calls of the provider, including one in progress. @example 1 */
  @OptionalInt attempts?: number;

  /** When the next attempt is due, ms since the epoch; absent during a call, and where the route ended. @example 1772359260000 */
  @OptionalInt next_attempt?: number;

  /**
   * Why the route failed; of a route in progress, why its last attempt failed or the next one waits. Absent otherwise.
   * @example "The receiver answered 500: boom"
   */
  @OptionalText error?: string;

  /**
   * The provider's last answer: `{ status, body }`, at most 4 KB of it; `refused_tokens` if it refused push tokens. Not in lists.
   */
  @OptionalObject providerResponse?: object;

  /** Ids and codes of the provider for the message. @example { "reply": "250 2.0.0 Ok" } */
  @OptionalObject reference?: Record<string, string>;
}

/** A message with its status. Times are ms since the epoch; absent for stages not reached. */
export class MessageDetails {
  /** Id of the message, or of a request to several. @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe" */
  @Text id: string;

  /** The furthest status on any of its routes. @example "DELIVERED" */
  @IsIn(MESSAGE_STATUSES) status: MessageStatus;

  /** When the send was accepted, ms since the epoch. @example 1772359200000 */
  @Int enqueued: number;

  /** When a provider first accepted it, ms since the epoch; absent before. @example 1772359200050 */
  @OptionalInt sent?: number;

  /** When its delivery was first reported, ms since the epoch; absent before. @example 1772359200090 */
  @OptionalInt delivered?: number;

  /** When a provider first reported that it was opened, ms since the epoch; absent before. @example 1772359260000 */
  @OptionalInt opened?: number;

  /** When a provider first reported that a link was clicked, ms since the epoch; absent before. @example 1772359260000 */
  @OptionalInt clicked?: number;

  /** Id of the user, or else the address. @example "ada" */
  @Text recipient: string;

  /** Event of the send; empty if it named none. @example "order-shipped" */
  @Text event: string;

  /** Id of the template; empty without one. @example "nt_3Xo0aB1dQkS9fT2uVw5z" */
  @Text notification: string;

  /**
   * Why it was not sent or delivered, in one sentence; absent if it was.
   * @example "Mail server refused the recipient: 550 5.1.1 no such user"
   */
  @OptionalText error?: string;

  /** The same reason as one of nine words, for programs. @example "BOUNCED" */
  @OptionalOneOf(MESSAGE_REASONS) reason?: MessageReason;

  /** When it was canceled, ms since the epoch; absent if it was not. @example 1772359260000 */
  @OptionalInt canceledAt?: number;

  /** Of a request to several that was canceled: the number of its canceled messages. @example 180 */
  @OptionalInt canceled?: number;

  /** With `canceled`: the number of messages that could not be canceled: sent, being sent, or ended otherwise. @example 20 */
  @OptionalInt left?: number;

  /** Tags of the send; absent if it has none. @example ["orders"] */
  @OptionalTexts tags?: string[];

  /** Id of the list that the message was sent to. @example "team.readers" */
  @OptionalText listId?: string;

  /** Of a send to several: the id of its request, the same for all its messages. @example "1-68e5a1b0-3f0c1a2b4c5d6e7f80910213" */
  @OptionalText listMessageId?: string;

  /** Id of the bulk job that the message belongs to. @example "1-68e5a1b0-3f0c1a2b4c5d6e7f80910213" */
  @OptionalText jobId?: string;

  /** `Idempotency-Key` of a send to one recipient. @example "order-A-17-shipped" */
  @OptionalText idempotencyKey?: string;

  /**
   * Its routes: those that ended, in that order, then those in progress. In lists they have no `providerResponse`.
   * @example [{ "channel": { "key": "email", "template": "" }, "provider": "smtp", "status": "DELIVERED", "attempts": 1 }]
   */
  @OptionalListOf(ProviderStatus) providers?: ProviderStatus[];
}

/** @property results The messages of this page, the newest first. */
export class MessagePage extends pageOf(MessageDetails) {}

export class GetOutputPart extends GetMessage {
  /** Number of the rendering, as in the addresses of the `RENDERED` events. @example "1" */
  @Id render_id: string;

  /** Part of the output: `html`, `title`, `body`, `subject`, `text` or `blocks`; 404 for others. @example "html" */
  @Id part: string;

  /** `remote`: where a browser shows the part, it loads the images of other hosts, whose owners see that it was opened. @example "remote" */
  @OptionalOneOf(['remote']) images?: 'remote' | null;
}

/** The recipient in the answer of `retrieve` is the user whose data it is. */
const RECIPIENT = { by: 'messaging.messages.retrieve', field: 'recipient' };

export const messages = defineOperations('messaging.messages', 'messages', {
  /** All filters that are given must match. A message is listed a moment after its send. */
  list: {
    route: 'GET /messages',
    limitedScope: STATUS_READS,
    ofUser: 'recipient',
    summary: 'List messages, newest first',
    request: ListMessages,
    response: MessagePage,
  },
  /** May be called as soon as the send is answered: it waits up to 2 s for a message in flight, then answers 503 with `Retry-After`. */
  retrieve: {
    route: 'GET /messages/:message_id',
    limitedScope: STATUS_READS,
    ofUserAnswered: RECIPIENT,
    summary: 'Get a message with its status',
    request: GetMessage,
    response: MessageDetails,
    waits: true,
  },
  /** Every event of the message: what was loaded, decided, rendered, sent and reported. */
  history: {
    route: 'GET /messages/:message_id/history',
    limitedScope: STATUS_READS,
    ofUserAnswered: RECIPIENT,
    summary: 'Get the history of a message, in order',
    request: GetMessageHistory,
    response: MessageHistory,
    waits: true,
  },
  /** The content that was rendered, for each channel; empty before the rendering. */
  output: {
    route: 'GET /messages/:message_id/output',
    ofUserAnswered: RECIPIENT,
    summary: 'Get the rendered content of a message, by channel',
    request: GetMessage,
    response: MessageOutput,
    waits: true,
  },
  /** The part as it is, with its own media type. The `RENDERED` events of the history have the addresses. */
  part: {
    route: 'GET /messages/:message_id/output/:render_id/:part',
    generation: 'own',
    ofUserAnswered: RECIPIENT,
    summary: 'Get a part of a rendered message, raw',
    request: GetOutputPart,
    response: OutputPart,
    textAnswer: 'text',
    textTypes: { field: 'media_type', types: OUTPUT_PART_TYPES, images: 'images' },
    waits: true,
  },
});

/** Why a message, or a request to several, cannot be canceled any more. */
class CancelConflict extends MessageDetails {
  /**
   * One sentence: which providers were called, and when.
   * @example "Message 1-69a40ce0-5f2b9c01d3e84a7766aa10fe is DELIVERED: it is too late to cancel it; email provider smtp is being called now"
   */
  @Text message: string;
}

class ResentMessage {
  /** Id of the new message. @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe" */
  @Text messageId: string;
}

/** Actions on an accepted message. */
export const messageActions = defineOperations('messaging.messages', 'messages', {
  /** Answers 409 with the message as body when it is too late. */
  cancel: {
    route: 'POST /messages/:message_id/cancel',
    summary: 'Cancel a message, or the unsent messages of a request to several, before a provider is called',
    request: GetMessage,
    response: MessageDetails,
    mayConflict: true,
    conflictAnswer: CancelConflict,
    waits: true,
  },
  /**
   * It is processed like a new send with the recipient, content and data of the old one: profile, preferences and the published template
   * are read again. Answers 404 when the history of the old one is no longer stored.
   */
  resend: {
    route: 'POST /messages/:message_id/resend',
    generation: 'later',
    status: 202,
    summary: 'Send a message again, as a new one',
    request: GetMessage,
    response: ResentMessage,
    waits: true,
  },
});
