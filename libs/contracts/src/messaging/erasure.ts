import { Max, Min } from 'class-validator';
import { EraseUser, ErasedUser } from '../identity/erasure';
import { Int, Optional } from '../core/fields';
import { defineOperations } from '../core/operation';

/** One step of an erasure in messaging. */
export class EraseMessages extends EraseUser {
  /** `accepted_up_to` of the first step's answer; absent in the first step. */
  @Optional(Int, Min(0), Max(Number.MAX_SAFE_INTEGER)) accepted_up_to?: number;
}

/** The result of one step. Name `accepted_up_to` in the next one: an erasure then waits for no request that was accepted later. */
export class ErasedMessages extends ErasedUser {
  /** What was accepted until then is waited for and erased: the time of the first step, in ms since the epoch, by messaging's clock. */
  @Int accepted_up_to: number;
}

/** Cancels waiting messages of a user, and erases the content of all messages to the user. */
export const messagingErasure = defineOperations('messaging.erasure', 'internal', {
  erase: {
    summary: 'Cancel waiting messages of a user, and erase the content of messages',
    request: EraseMessages,
    response: ErasedMessages,
  },
});
