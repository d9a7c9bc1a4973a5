import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsDefined, IsObject, IsOptional, IsString, Length, MaxLength, ValidateNested } from 'class-validator';
import { Fits } from '../core/fits';
import { declaredFields } from '../core/known-fields';
import { defineOperation } from '../core/operation';
import { TOPIC_ID_LENGTH_MAX } from '../core/preferences';
import { LegacyListSend, LegacyListSent, LegacySend } from './legacy-send';
import { fieldsOfMessage, PREFERENCE_FIELDS } from './message-fields';
import { MessageContext, Recipient } from './recipient';
import { BRAND_NAME_LENGTH_MAX, EVENT_LENGTH_MAX, TEMPLATE_NAME_LENGTH_MAX } from './send-limits';
import { Utm } from './utm';

const TAGS_MAX = 9;
const TITLE_LENGTH_MAX = 10_000;
const BODY_LENGTH_MAX = 400_000;
const TAG_LENGTH_MAX = 30;
const TRACE_ID_LENGTH_MAX = 256;
/** Maximum recipients of one send; each may be many users. */
export const RECIPIENTS_MAX = 10_000;

/** Inline content: a title (the subject of an e-mail) and a body in Markdown, both with variables. */
export class SimpleContent {
  @IsString()
  @MaxLength(TITLE_LENGTH_MAX)
  title!: string;

  @IsString()
  @MaxLength(BODY_LENGTH_MAX)
  body!: string;
}

class MessageMetadata {
  @IsOptional()
  @IsString()
  @MaxLength(EVENT_LENGTH_MAX)
  event?: string | null;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(TAGS_MAX)
  @IsString({ each: true })
  @MaxLength(TAG_LENGTH_MAX, { each: true })
  tags?: string[] | null;

  @IsOptional()
  @IsString()
  @MaxLength(TRACE_ID_LENGTH_MAX)
  trace_id?: string | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => Utm)
  utm?: Utm | null;
}

class MessagePreferences {
  /** Topic to use instead of the template's. */
  @IsOptional()
  @IsString()
  @Length(1, TOPIC_ID_LENGTH_MAX)
  subscription_topic_id?: string | null;
}

/** The `message` of a send without its recipients. */
export class UnaddressedMessage {
  /** Simple content, or Elemental. Either this or `template`. */
  @IsOptional()
  @IsObject()
  content?: object | null;

  @IsOptional()
  @IsObject()
  data?: Record<string, unknown> | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => MessageMetadata)
  metadata?: MessageMetadata | null;

  /** A template's id or alias, or an event mapped to one. */
  @IsOptional()
  @IsString()
  @Length(1, TEMPLATE_NAME_LENGTH_MAX)
  template?: string | null;

  /** Brand to use instead of the template's. */
  @IsOptional()
  @IsString()
  @Length(1, BRAND_NAME_LENGTH_MAX)
  brand_id?: string | null;

  /** By channel: `if`, `override`, `providers`, `routing_method`, `brand_id`, `metadata.utm`, `timeouts`. */
  @IsOptional()
  @IsObject()
  channels?: Record<string, unknown> | null;

  /** By provider: `if`, `override`, `metadata.utm`, `timeouts`. */
  @IsOptional()
  @IsObject()
  providers?: Record<string, unknown> | null;

  /** `{ method, channels }`, instead of the template's; with a method alone, channels come from the template or the defaults. */
  @IsOptional()
  @IsObject()
  routing?: Record<string, unknown> | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => MessagePreferences)
  preferences?: MessagePreferences | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => MessageContext)
  context?: MessageContext | null;

  /** `{ duration }` in ms, or `{ until, timezone }`: an instant, or opening hours. */
  @IsOptional()
  @IsObject()
  delay?: Record<string, unknown> | null;

  /** `{ message, channel, provider, criteria, escalation }`, times in ms. */
  @IsOptional()
  @IsObject()
  timeout?: Record<string, unknown> | null;

  /** Another name of `timeout`, which wins. */
  @IsOptional()
  @IsObject()
  timeouts?: Record<string, unknown> | null;

  /** `{ expires_in, expires_at }`: when the inbox item expires. */
  @IsOptional()
  @IsObject()
  expiry?: Record<string, unknown> | null;
}

/** The `message` of a send. */
export class OutgoingMessage extends UnaddressedMessage {
  /** One recipient, or several of any kind. */
  @IsDefined()
  @Fits(Recipient, { each: true })
  to!: Recipient | Recipient[];
}

/** The body of a send: `message`, or the fields of older clients. */
export class Send extends LegacySend {
  @IsOptional()
  @ValidateNested()
  @Type(() => OutgoingMessage)
  message?: OutgoingMessage | null;
}

export class SendAccepted {
  /** With a single recipient that is a user or an address, also the message id. */
  @IsString()
  requestId!: string;

  /** The same id, for older clients: present if the send had no `message`. */
  @IsOptional()
  @IsString()
  messageId?: string;
}

export const send = {
  /** The request is durable before the answer. */
  accept: defineOperation({
    pattern: 'gateway.send.accept',
    route: 'POST /send',
    status: 202,
    statusHaving: { field: 'messageId', status: 200 },
    scope: 'write:send',
    summary: 'Send a message',
    request: Send,
    knownFields: declaredFields(Send, { message: fieldsOfMessage(OutgoingMessage), preferences: PREFERENCE_FIELDS }),
    response: SendAccepted,
  }),
  acceptForLists: defineOperation({
    pattern: 'gateway.send.accept-for-lists',
    route: 'POST /send/list',
    generation: 'legacy',
    scope: 'write:send',
    summary: 'Send to a list, or to all lists of a pattern, as older clients do',
    request: LegacyListSend,
    knownFields: declaredFields(LegacyListSend, { preferences: PREFERENCE_FIELDS }),
    response: LegacyListSent,
  }),
};
