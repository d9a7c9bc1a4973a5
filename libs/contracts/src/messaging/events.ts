import { Min } from 'class-validator';
import { DAY_MS } from '../core/duration';
import { defineEvent } from '../core/event';
import type { KeyMode } from '../core/context';
import {
  AnyObject,
  Int,
  IsNested,
  Mode,
  ObjectsOf,
  Optional,
  OptionalFlag,
  OptionalObject,
  OptionalOneOf,
  OptionalText,
  OptionalTexts,
  Text,
  Texts,
  Uuid,
} from '../core/fields';
import type { KeyLimits } from './key-limits';
import { HistoryEvent } from './message-history';
import { MessageDetails } from './messages';
import type { ElementalContent } from '../content/elemental';
import type { MessageRouting, SettingsByChannel, SettingsByProvider } from '../content/routing';
import type { SimpleContent } from './send';
import { type Lane, LANES, type RuntimePreferences, type SourceList, type Target } from './targets';
import type { Delay } from './timing/delay';
import type { Expiry } from './timing/expiry';
import type { Timeouts } from './timing/timeouts';
import type { Utm } from '../content/utm';

/** Retention of a message's record after its last change. */
const MESSAGE_RETENTION_MS = 365 * DAY_MS;

/** Simple content has no `elements`. */
export type MessageContent = SimpleContent | ElementalContent;

/**
 * An accepted send, with all data for routing, independent of later requests. It goes to one user or address, unless it has
 * `targets`. Records outlive the version that wrote them, so new fields must be optional.
 */
export class MessageRequested {
  @Uuid workspaceId: string;

  /** Fixed at acceptance: the id of the message or, with `targets`, of the request. */
  @Text id: string;

  /** The user id, or else the address; with `targets` the id of the request. */
  @Text recipient: string;

  /** When the gateway accepted it, ms since the epoch. */
  @Int requestedAt: number;

  @Mode mode: KeyMode;

  @OptionalText userId?: string;

  /** Profile fields of the send; empty with `targets`. */
  @AnyObject profile: Record<string, unknown>;

  /** Preferences of the one recipient; `targets` have their own. */
  @OptionalObject preferences?: RuntimePreferences;

  /** The tenant in whose context the message is made; with `targets` the default for targets without one. */
  @OptionalText tenantId?: string;

  /** Present only if the send named several recipients, a list, a pattern, an audience or a tenant. */
  @Optional(ObjectsOf()) targets?: Target[];

  /** Inline content, validated at acceptance; absent with a template. */
  @OptionalObject content?: MessageContent;

  /** The name of the template: its id, its alias, or an event mapped to it. */
  @OptionalText template?: string;

  /** The brand to use instead of the template's. */
  @OptionalText brandId?: string;

  /** The routing to use instead of the template's. */
  @OptionalObject routing?: MessageRouting;

  @OptionalObject channels?: SettingsByChannel;

  @OptionalObject providers?: SettingsByProvider;

  /** The topic whose preferences count, instead of the template's. */
  @OptionalText topicId?: string;

  /** It is also sent to addresses that are suppressed as `unsubscribe`. */
  @OptionalFlag passUnsubscribed?: true;

  /** When to send it; absent: now. */
  @OptionalObject delay?: Delay;

  /** Time limits of the delivery. */
  @OptionalObject timeouts?: Timeouts;

  /** When the inbox item expires. */
  @OptionalObject expiry?: Expiry;

  @OptionalObject utm?: Utm;

  /** Default: `normal`. */
  @OptionalOneOf(LANES) lane?: Lane;

  /** Of a derived message: the request with the targets. */
  @OptionalText requestId?: string;

  /** Of a derived message: the only target of its request, as `list:readers`; absent if it has several, or names users. */
  @OptionalText requestTarget?: string;

  /** Of a derived message: the list through which the user was found. */
  @OptionalObject list?: SourceList;

  /** The bulk job of the message, if any. */
  @OptionalText jobId?: string;

  /** The client's `Idempotency-Key`. */
  @OptionalText idempotencyKey?: string;

  /** The limits of the API key that sent it. */
  @OptionalObject limits?: KeyLimits;

  /** Warnings for the first event of its messages: unknown fields of the request. */
  @OptionalTexts warnings?: string[];

  /** Variables of the send, merged with those of its one recipient; with `targets` those of the send. */
  @AnyObject data: Record<string, unknown>;

  /** The template's name as sent, else `metadata.event`, else empty. */
  @Text event: string;

  @Texts tags: string[];

  @OptionalText traceId?: string;

  /**
   * W3C trace context that later steps of the message continue. Only in a process that traces, and in what it stores of a sampled message:
   * the record of the log has its trace in headers.
   */
  trace?: { readonly traceparent: string; readonly tracestate?: string };
}

export const messageRequested = defineEvent({
  topic: 'tidings.message-requests.v1',
  key: ['workspaceId', 'recipient'],
  payload: MessageRequested,
  summary: 'A send was accepted',
  from: 'gateway',
  alsoFrom: ['messaging'], // a message that is sent again
  to: ['messaging'],
  isPersonal: true,
});

/** Whose sends wait for each other where one process accepts many: a workspace's; critical ones wait for none. */
export function senderOf({ workspaceId, lane }: Pick<MessageRequested, 'workspaceId' | 'lane'>): string {
  return lane === 'critical' ? 'critical' : workspaceId;
}

/**
 * An event of a message's history.
 *
 * A payload has at most 1,000,000 bytes. In a larger one, as many of the largest fields of `event` as necessary are replaced by a
 * reference: `{ "$ref": "/messages/<id>/history#/results/3/output" }`, a path of the HTTP interface with a JSON pointer into its
 * answer.
 */
export class HistoryEventRecorded {
  @Uuid workspaceId: string;

  @Text messageId: string;

  /** Running number within the message: 1, 2, 3 … without gaps. Drop a record not above the highest you have of the message. */
  @Int
  @Min(1)
  number: number;

  /** The event in the form of `GET /messages/:id/history`. */
  @IsNested(HistoryEvent) event: HistoryEvent;
}

export const messageHistory = defineEvent({
  topic: 'tidings.message-history.v1',
  key: ['workspaceId', 'messageId'],
  payload: HistoryEventRecorded,
  summary: 'An event was added to the history of a message',
  from: 'messaging',
  to: ['consumers'],
  isPersonal: true,
});

/**
 * The state of a message. Intermediate states may be skipped, the latest state always gets a record.
 *
 * Fields that would make the payload larger than 1,000,000 bytes are replaced as in the history:
 * `{ "$ref": "/messages/<id>#/providers" }`.
 */
export class MessageStatusRecorded {
  @Uuid workspaceId: string;

  @Text messageId: string;

  /** Running number of the last history event in this state. Drop a record below the highest you have of the message. */
  @Int
  @Min(1)
  number: number;

  /** The message in the form of `GET /messages/:id`, without its routes in progress. */
  @IsNested(MessageDetails) message: MessageDetails;
}

export const messageStatus = defineEvent({
  topic: 'tidings.message-status.v1',
  key: ['workspaceId', 'messageId'],
  payload: MessageStatusRecorded,
  summary: 'The record of a message changed',
  from: 'messaging',
  to: ['consumers'],
  isPersonal: true,
  compacted: true,
  retentionMs: MESSAGE_RETENTION_MS,
});
