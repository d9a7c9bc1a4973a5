import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsDefined, IsObject, IsOptional, IsString, Length, MaxLength, ValidateNested } from 'class-validator';
import { defineOperation } from '../core/operation';

export const TAGS_MAX = 9;
export const TITLE_LENGTH_MAX = 10_000;
export const BODY_LENGTH_MAX = 400_000;
export const TAG_LENGTH_MAX = 30;
export const EVENT_LENGTH_MAX = 256;
export const TRACE_ID_LENGTH_MAX = 256;
/** Longer ones name nothing. */
const TEMPLATE_NAME_LENGTH_MAX = 256;
const BRAND_NAME_LENGTH_MAX = 256;

/** Inline content: a title (the subject of an e-mail) and a body in Markdown, both with variables. */
export class SimpleContent {
  @IsString()
  @MaxLength(TITLE_LENGTH_MAX)
  title!: string;

  @IsString()
  @MaxLength(BODY_LENGTH_MAX)
  body!: string;
}

export class MessageMetadata {
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
  @IsObject()
  utm?: object | null;
}

/** The `message` of a send. Fields that are not served yet are named here, so that they are refused and not lost. */
export class OutgoingMessage {
  /** One recipient: `user_id` or an address, and any profile fields beside it. */
  @IsDefined()
  to!: unknown;

  /** What is said: simple content, or Elemental. Either this or `template`. */
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

  /** A template's id or alias, or an event that is mapped to one. */
  @IsOptional()
  @IsString()
  @Length(1, TEMPLATE_NAME_LENGTH_MAX)
  template?: string | null;

  /** Instead of the template's brand. */
  @IsOptional()
  @IsString()
  @Length(1, BRAND_NAME_LENGTH_MAX)
  brand_id?: string | null;

  @IsOptional()
  channels?: unknown;

  @IsOptional()
  providers?: unknown;

  @IsOptional()
  routing?: unknown;

  @IsOptional()
  preferences?: unknown;

  @IsOptional()
  context?: unknown;

  @IsOptional()
  delay?: unknown;

  @IsOptional()
  timeout?: unknown;

  @IsOptional()
  expiry?: unknown;
}

/** The body of a send. Without `message` it is the older form of old SDKs, which is not served yet. */
export class Send {
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => OutgoingMessage)
  message?: OutgoingMessage | null;

  @IsOptional()
  event?: unknown;

  @IsOptional()
  recipient?: unknown;
}

export class SendAccepted {
  /** With one recipient this is the message id. */
  @IsString()
  requestId!: string;
}

export const send = {
  /** 202 means kept: the request is durable before the answer. */
  accept: defineOperation({
    pattern: 'gateway.send.accept',
    route: 'POST /send',
    status: 202,
    scope: 'write:send',
    summary: 'Send a message',
    once: true,
    servedInPart: true,
    request: Send,
    response: SendAccepted,
  }),
};
