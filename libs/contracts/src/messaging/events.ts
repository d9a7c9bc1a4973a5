import { Type } from 'class-transformer';
import { IsArray, IsDefined, IsIn, IsInt, IsObject, IsOptional, IsString, IsUUID, Min, ValidateNested } from 'class-validator';
import { DAY_MS, defineEvent } from '../core/event';
import type { KeyMode } from '../core/context';
import { HistoryEvent } from './message-history';
import { MessageDetails } from './messages';
import type { ElementalContent } from '../content/elemental';
import type { ChannelSettings, MessageRouting, ProviderSettings } from '../content/routing';
import type { SimpleContent } from './send';
import { type Lane, LANES, type RuntimePreferences, type SourceList, type Target } from './targets';
import type { Delay } from './timing/delay';
import type { Expiry } from './timing/expiry';
import type { Timeouts } from './timing/timeouts';
import type { Utm } from './utm';

/** How long a message's record is kept after its last change. */
const MESSAGE_RETENTION_MS = 365 * DAY_MS;

/** Simple content has no `elements`. */
export type MessageContent = SimpleContent | ElementalContent;

/**
 * A send that was accepted: everything the router needs, nothing the client could still change. It goes to one user or address,
 * unless `targets` is there. Records outlive the version that wrote them: a field that is new here is optional.
 */
export class MessageRequested {
  @IsUUID()
  workspaceId!: string;

  /** Fixed at acceptance: of the message or, where there are `targets`, of the request. */
  @IsString()
  id!: string;

  /** The user id, or the address where the send names none; with `targets` the id of the request. */
  @IsString()
  recipient!: string;

  /** When the gateway accepted it, ms since the epoch. */
  @IsInt()
  requestedAt!: number;

  @IsIn(['production', 'test'])
  mode!: KeyMode;

  @IsOptional()
  @IsString()
  userId?: string;

  /** Profile fields that came with the send; empty with `targets`. */
  @IsObject()
  profile!: Record<string, unknown>;

  /** Of the one recipient; `targets` have their own. */
  @IsOptional()
  @IsObject()
  preferences?: RuntimePreferences;

  /** The tenant in whose context the message is made; with `targets` that of those which name none. */
  @IsOptional()
  @IsString()
  tenantId?: string;

  /** There only when the send named several recipients, a list, a pattern, an audience or a tenant. */
  @IsOptional()
  @IsArray()
  @IsObject({ each: true })
  targets?: Target[];

  /** What is said; absent where a template says it. It was found valid when it was accepted. */
  @IsOptional()
  @IsObject()
  content?: MessageContent;

  /** The name of the template: its id, its alias, or an event that is mapped to it. */
  @IsOptional()
  @IsString()
  template?: string;

  /** The brand to be taken whatever the template says. */
  @IsOptional()
  @IsString()
  brandId?: string;

  /** Which channels may be taken, instead of the template's. */
  @IsOptional()
  @IsObject()
  routing?: MessageRouting;

  @IsOptional()
  @IsObject()
  channels?: Record<string, ChannelSettings>;

  @IsOptional()
  @IsObject()
  providers?: Record<string, ProviderSettings>;

  /** The topic whose preferences count, instead of the template's. */
  @IsOptional()
  @IsString()
  topicId?: string;

  /** When it is to be sent; absent: now. */
  @IsOptional()
  @IsObject()
  delay?: Delay;

  /** How long trying may go on. */
  @IsOptional()
  @IsObject()
  timeouts?: Timeouts;

  /** When it vanishes from the inbox. */
  @IsOptional()
  @IsObject()
  expiry?: Expiry;

  @IsOptional()
  @IsObject()
  utm?: Utm;

  /** Absent: `normal`. */
  @IsOptional()
  @IsIn(LANES)
  lane?: Lane;

  /** Of a message that was derived: the request with the targets it comes from. */
  @IsOptional()
  @IsString()
  requestId?: string;

  /** Of a derived message: the only target of its request, as `list:readers`; absent where that has several, or names users. */
  @IsOptional()
  @IsString()
  requestTarget?: string;

  /** Of a derived message: the list that brought it to the user. */
  @IsOptional()
  @IsObject()
  list?: SourceList;

  /** Of a message of a bulk job. */
  @IsOptional()
  @IsString()
  jobId?: string;

  /** The client's `Idempotency-Key`. */
  @IsOptional()
  @IsString()
  idempotencyKey?: string;

  /** What the first event of its messages warns of: fields of the request that have no meaning. */
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  warnings?: string[];

  /** Variables: those of the send with those of its one recipient over them; with `targets` those of the send. */
  @IsObject()
  data!: Record<string, unknown>;

  /** The template's name as it was given, else `metadata.event`; empty when there is neither. */
  @IsString()
  event!: string;

  @IsArray()
  @IsString({ each: true })
  tags!: string[];

  @IsOptional()
  @IsString()
  traceId?: string;
}

export const messageRequested = defineEvent({
  topic: 'tidings.message-requests.v1',
  key: ['workspaceId', 'recipient'],
  payload: MessageRequested,
  summary: 'A send was accepted',
  from: 'gateway',
  to: ['messaging'],
});

/**
 * Something happened to a message.
 *
 * A payload has at most 1,000,000 bytes. In a larger one the largest fields of `event` are replaced, as many as necessary, by a
 * reference to where they can be read: `{ "$ref": "/messages/<id>/history#/results/3/output" }`, a path of the HTTP interface
 * with a JSON pointer into its answer.
 */
export class HistoryEventRecorded {
  @IsUUID()
  workspaceId!: string;

  @IsString()
  messageId!: string;

  /** The message's own running number: 1, 2, 3 … without gaps. Drop what is not above the highest you have of the message. */
  @IsInt()
  @Min(1)
  number!: number;

  /** As `GET /messages/:id/history` shows it. */
  @IsDefined()
  @ValidateNested()
  @Type(() => HistoryEvent)
  event!: HistoryEvent;
}

export const messageHistory = defineEvent({
  topic: 'tidings.message-history.v1',
  key: ['workspaceId', 'messageId'],
  payload: HistoryEventRecorded,
  summary: 'An event was added to the history of a message',
  from: 'messaging',
  to: ['consumers'],
});

/**
 * Where a message stands. Not every state in between gets a record, the latest one always does.
 *
 * What would make the payload larger than 1,000,000 bytes is replaced as in the history:
 * `{ "$ref": "/messages/<id>#/providers" }`.
 */
export class MessageStatusRecorded {
  @IsUUID()
  workspaceId!: string;

  @IsString()
  messageId!: string;

  /** Running number of the last history event that the record takes account of. Drop what is below the highest you have of the message. */
  @IsInt()
  @Min(1)
  number!: number;

  /** As `GET /messages/:id` shows it. */
  @IsDefined()
  @ValidateNested()
  @Type(() => MessageDetails)
  message!: MessageDetails;
}

export const messageStatus = defineEvent({
  topic: 'tidings.message-status.v1',
  key: ['workspaceId', 'messageId'],
  payload: MessageStatusRecorded,
  summary: 'The record of a message changed',
  from: 'messaging',
  to: ['consumers'],
  compacted: true,
  retentionMs: MESSAGE_RETENTION_MS,
});
