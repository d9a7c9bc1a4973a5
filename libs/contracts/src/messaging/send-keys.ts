import { Matches } from 'class-validator';
import { AnyObject, Int, Optional } from '../core/fields';
import type { Outcome } from '../core/idempotency';
import { defineOperations } from '../core/operation';

/** Runs before the append to the log, which has ten seconds of its own. */
const RESERVE_DEADLINE_MS = 5_000;
const CONCLUDE_DEADLINE_MS = 2_000;
const REQUEST_ID = /^1-[0-9a-f]{8}-[0-9a-f]{24}$/;
const HASH = /^[\w-]{43}$/;

export class NamedSendKey {
  /** `RequestKey.id`. */
  @Matches(HASH) id: string;
}

export class ReserveSendKey extends NamedSendKey {
  /** The id for the request, unless an earlier request under the key has one. */
  @Matches(REQUEST_ID) message_id: string;

  /** `RequestKey.bodyHash`. */
  @Optional(Matches(HASH)) body_hash?: string;
}

export class ReleaseSendKey extends NamedSendKey {
  /** An id under which nothing was sent: if it is the reserved one, the key is a new one again. */
  @Optional(Matches(REQUEST_ID)) message_id?: string;
}

/** `new`: send under `message_id`. `replay`: it was answered with `outcome`. `in_flight`: another request is running. */
export class ReservedSendKey {
  state: 'new' | 'replay' | 'in_flight';

  message_id?: string;

  outcome?: Outcome;
}

export class CompleteSendKey extends NamedSendKey {
  @AnyObject outcome: Outcome;

  /** Until when the outcome is stored, ms since the epoch. */
  @Int expires_at: number;
}

/**
 * Idempotency keys of sends. A send takes effect in the log, outside any database transaction, so its id is reserved under the key
 * before the append. If the result of the append is unknown, a repeated request is appended again under the same id and yields one
 * message. The call id of the context identifies the owner of a reservation; repeated calls of it change nothing more.
 */
export const sendKeys = defineOperations('messaging.send-keys', 'internal', {
  /** Throws `key_reused` for another body than that of the first request under the key. */
  reserve: {
    summary: 'Reserve the key of a send, with the id of its request',
    request: ReserveSendKey,
    response: ReservedSendKey,
    deadlineMs: RESERVE_DEADLINE_MS,
    repeatable: true,
  },
  complete: {
    summary: 'Store the outcome of a send',
    request: CompleteSendKey,
    deadlineMs: CONCLUDE_DEADLINE_MS,
    repeatable: true,
  },
  /** Unless nothing was sent under it, the id stays reserved for the next request under the key. */
  release: {
    summary: 'Release the key of a send',
    request: ReleaseSendKey,
    deadlineMs: CONCLUDE_DEADLINE_MS,
    repeatable: true,
  },
});
