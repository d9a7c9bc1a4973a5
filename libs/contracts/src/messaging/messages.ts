import { IsIn } from 'class-validator';
import {
  AnyObject,
  Int,
  Optional,
  OptionalFlag,
  OptionalInt,
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
import { CursorQuery, pageOf } from '../core/paging';
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
  /** Whether to include archived messages. */
  @OptionalFlag archived?: boolean;

  @Filter event?: string;

  @Filter list?: string;

  @Filter messageId?: string;

  @Filter notification?: string;

  @Filter recipient?: string;

  /** Any of these statuses. */
  @Optional(SomeOf(MESSAGE_STATUSES, FILTER_VALUES_MAX)) status?: MessageStatus[];

  /** Any of these tags. */
  @Filters tags?: string[];

  /** The same as `tags`: some SDKs use this name. */
  @Filters tag?: string[];

  /** Any of these providers. */
  @Filters provider?: string[];

  @Filter tenant_id?: string;

  /** Accepted after this instant: ms since the epoch, or ISO 8601. */
  @OptionalTextOf(64) enqueued_after?: string;

  /** `metadata.trace_id` of the send, or its `requestId`. */
  @Filter traceId?: string;
}

export class GetMessage {
  @Id message_id: string;
}

export class GetMessageHistory extends GetMessage {
  @OptionalOneOf(HISTORY_TYPES) type?: HistoryType;
}

/** The status of one provider's delivery of a message. */
const PROVIDER_STATUSES = ['CLICKED', 'DELIVERED', 'OPENED', 'SENT', 'UNDELIVERABLE'] as const;

/** The delivery of a message by one provider. */
export class ProviderStatus {
  /** `{ key, template }` of the channel. */
  @AnyObject channel: { key: string; template: string };

  @Text provider: string;

  @IsIn(PROVIDER_STATUSES) status: (typeof PROVIDER_STATUSES)[number];

  @OptionalInt sent?: number;

  @OptionalInt delivered?: number;

  @OptionalInt opened?: number;

  @OptionalInt clicked?: number;

  @OptionalText error?: string;

  /** The provider's answer: `{ status, body }`, at most 4 KB of it; `refused_tokens` if it refused push tokens. */
  @OptionalObject providerResponse?: object;

  /** The provider's own ids and codes for the message. */
  @OptionalObject reference?: Record<string, string>;
}

/** A message with its status. Times are ms since the epoch; absent for stages not reached. */
export class MessageDetails {
  @Text id: string;

  @IsIn(MESSAGE_STATUSES) status: MessageStatus;

  @Int enqueued: number;

  @OptionalInt sent?: number;

  @OptionalInt delivered?: number;

  @OptionalInt opened?: number;

  @OptionalInt clicked?: number;

  @Text recipient: string;

  /** The event of the send, or empty. */
  @Text event: string;

  /** Id of the notification template, or empty. */
  @Text notification: string;

  @OptionalText error?: string;

  @OptionalOneOf(MESSAGE_REASONS) reason?: MessageReason;

  @OptionalInt canceledAt?: number;

  /** For a request to several after a cancel: the number of its canceled messages. */
  @OptionalInt canceled?: number;

  /** With `canceled`: the number of messages that could not be canceled: sent, being sent, or ended otherwise. */
  @OptionalInt left?: number;

  @OptionalTexts tags?: string[];

  /** The list it was sent to. */
  @OptionalText listId?: string;

  /** For a send to several: the id of its request, the same for all its messages. */
  @OptionalText listMessageId?: string;

  /** The bulk job it belongs to. */
  @OptionalText jobId?: string;

  /** The `Idempotency-Key` of the send. */
  @OptionalText idempotencyKey?: string;

  @OptionalListOf(ProviderStatus) providers?: ProviderStatus[];
}

export class MessagePage extends pageOf(MessageDetails) {}

export class GetOutputPart extends GetMessage {
  /** The running number of the RENDERED event. */
  @Id render_id: string;

  /** One of `OUTPUT_PARTS`; `not_found` for others. */
  @Id part: string;
}

/** The recipient in the answer of `retrieve` is the user whose data it is. */
const RECIPIENT = { by: 'messaging.messages.retrieve', field: 'recipient' };

export const messages = defineOperations('messaging.messages', 'messages', {
  list: {
    route: 'GET /messages',
    ofUser: 'recipient',
    summary: 'List messages, newest first',
    request: ListMessages,
    response: MessagePage,
  },
  retrieve: {
    route: 'GET /messages/:message_id',
    ofUserAnswered: RECIPIENT,
    summary: 'Get a message with its status',
    request: GetMessage,
    response: MessageDetails,
    waits: true,
  },
  history: {
    route: 'GET /messages/:message_id/history',
    ofUserAnswered: RECIPIENT,
    summary: 'Get the history of a message, in order',
    request: GetMessageHistory,
    response: MessageHistory,
    waits: true,
  },
  output: {
    route: 'GET /messages/:message_id/output',
    ofUserAnswered: RECIPIENT,
    summary: 'Get the rendered content of a message, by channel',
    request: GetMessage,
    response: MessageOutput,
    waits: true,
  },
  part: {
    route: 'GET /messages/:message_id/output/:render_id/:part',
    generation: 'own',
    ofUserAnswered: RECIPIENT,
    summary: 'Get a part of a rendered message, raw',
    request: GetOutputPart,
    response: OutputPart,
    textAnswer: 'text',
    textTypes: { field: 'media_type', types: OUTPUT_PART_TYPES },
    waits: true,
  },
});

class ResentMessage {
  /** Id of the new message. */
  @Text messageId: string;
}

/** Actions on an accepted message. */
export const messageActions = defineOperations('messaging.messages', 'messages', {
  cancel: {
    route: 'POST /messages/:message_id/cancel',
    summary: 'Cancel a message, or the unsent messages of a request to several, before a provider is called',
    request: GetMessage,
    response: MessageDetails,
    mayConflict: true,
    conflictAnswer: MessageDetails,
    waits: true,
  },
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
