import { Type } from 'class-transformer';
import { IsArray, IsDefined, IsIn, IsInt, IsObject, IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import { defineEvent } from '../core/event';
import type { KeyMode } from '../core/context';
import { SimpleContent } from './send';

/** A send that was accepted: everything the router needs, nothing the client could still change. */
export class MessageRequested {
  @IsUUID()
  workspaceId!: string;

  /** Message id, fixed at acceptance. */
  @IsString()
  id!: string;

  /** The user id, or the address where the send names none. */
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

  /** Profile fields that came with the send. */
  @IsObject()
  profile!: Record<string, unknown>;

  @IsDefined()
  @ValidateNested()
  @Type(() => SimpleContent)
  content!: SimpleContent;

  @IsObject()
  data!: Record<string, unknown>;

  /** `metadata.event`, empty when none. */
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
});
