import { IsIn, IsInt, IsObject, IsOptional, IsString, Matches } from 'class-validator';
import type { Outcome } from '../core/idempotency';
import { defineOperation, Nothing } from '../core/operation';

/** `RequestKey.id`. */
const KEY_ID = /^[\w-]{43}$/;
const MESSAGE_ID = /^1-[0-9a-f]{8}-[0-9a-f]{24}$/;
/** Before the log is asked, which has ten seconds of its own. */
const RESERVE_DEADLINE_MS = 5_000;
const CONCLUDE_DEADLINE_MS = 2_000;

export class NamedSendKey {
  @Matches(KEY_ID)
  id!: string;
}

export class ReserveSendKey extends NamedSendKey {
  /** The id that the request shall have, unless an earlier one under the key has another. */
  @Matches(MESSAGE_ID)
  message_id!: string;
}

const SEND_KEY_STATES = ['new', 'replay', 'in_flight'] as const;

/** `new`: send under `message_id`. `replay`: it was answered with `outcome`. `in_flight`: another request is at it. */
export class ReservedSendKey {
  @IsIn(SEND_KEY_STATES)
  state!: (typeof SEND_KEY_STATES)[number];

  @IsOptional()
  @IsString()
  message_id?: string;

  @IsOptional()
  @IsObject()
  outcome?: Outcome;
}

export class CompleteSendKey extends NamedSendKey {
  @IsObject()
  outcome!: Outcome;

  /** Until when the outcome is kept, ms since the epoch. */
  @IsInt()
  expires_at!: number;
}

/**
 * Keys of sends. A send has its effect in the log, which no transaction of ours spans; so its id is fixed before, under the key: a
 * request that went into the log without anybody knowing goes there again under the same id, and is one message. The call id of the
 * context says whose reservation it is.
 */
export const sendKeys = {
  reserve: defineOperation({
    pattern: 'messaging.send-keys.reserve',
    scope: 'internal',
    summary: 'Reserve the key of a send, with the id of what is sent',
    request: ReserveSendKey,
    response: ReservedSendKey,
    deadlineMs: RESERVE_DEADLINE_MS,
  }),
  complete: defineOperation({
    pattern: 'messaging.send-keys.complete',
    scope: 'internal',
    summary: 'Keep the outcome of a send',
    request: CompleteSendKey,
    response: Nothing,
    deadlineMs: CONCLUDE_DEADLINE_MS,
  }),
  /** The id stays, for whoever asks next. */
  release: defineOperation({
    pattern: 'messaging.send-keys.release',
    scope: 'internal',
    summary: 'Give the key of a send back',
    request: NamedSendKey,
    response: Nothing,
    deadlineMs: CONCLUDE_DEADLINE_MS,
  }),
};
