import { Max, Min } from 'class-validator';
import { EraseUser, ErasedUser, ErasureRemains, RemainingData } from '../identity/erasure';
import { Int, IsListOf, Optional, OptionalText, OptionalTextOf, Texts, TextsOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { PUSH_TOKEN_LENGTH_MAX } from '../identity/user-tokens';

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

/** One step of an erasure from the event log, after the services have erased their rows. */
export class EraseFromLog extends EraseUser {
  /** `next` of the step before; absent in the first one. */
  @OptionalTextOf(1, 100) after?: string;
}

export class ErasedFromLog extends ErasedUser {
  /** Where the next step continues; absent in the last one. */
  @OptionalText next?: string;

  /** What this step leaves in topics. */
  @IsListOf(RemainingData) remaining: RemainingData[];
}

/** E-mail addresses of a user. */
export class Addresses {
  @TextsOf(100, 1, 512) addresses: string[];
}

/** Addresses of a user on the channels where they may be suppressed. */
export class EraseSuppressions extends Addresses {
  @TextsOf(100, 1, 512) phone_numbers: string[];

  @TextsOf(1_000, 1, PUSH_TOKEN_LENGTH_MAX) tokens: string[];
}

/** One step of the search for copies. */
export class FindCopies extends Addresses {
  /** `next` of the step before; absent in the first one. */
  @OptionalTextOf(1, 100) after?: string;
}

/** Messages to others that were sent to the addresses as `cc` or `bcc`. They are not changed. */
export class FoundCopies {
  @Texts message_ids: string[];

  /** Where the next step continues; absent in the last one. */
  @OptionalText next?: string;
}

/** Cancels waiting messages of a user, and erases the content of all messages to the user. */
export const messagingErasure = defineOperations('messaging.erasure', 'internal', {
  erase: {
    summary: 'Cancel waiting messages of a user, and erase the content of messages',
    request: EraseMessages,
    response: ErasedMessages,
  },
});

/** What an erasure does beside the rows of the services: the event log, copies of mails, what remains. */
export const erasureTraces = defineOperations('messaging.erasure-traces', 'internal', {
  log: {
    summary: 'Remove the records of a user from the event log, where it can, and name those that stay',
    request: EraseFromLog,
    response: ErasedFromLog,
  },
  copies: {
    summary: 'Find the messages to others that went to an address as a copy',
    request: FindCopies,
    response: FoundCopies,
  },
  mailbox: {
    summary: 'Remove the mails to the addresses from the development mailbox, where there is one',
    request: Addresses,
    response: ErasedUser,
  },
  /** They stay suppressed, by a keyed hash of each. */
  suppressions: {
    command: true,
    summary: 'Erase the addresses of a user from the suppressions',
    request: EraseSuppressions,
    response: ErasedUser,
  },
  remaining: {
    summary: 'What messaging stores of an erased user for some time',
    request: EraseUser,
    response: ErasureRemains,
  },
});
