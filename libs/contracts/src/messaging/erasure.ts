import { EraseUser, ErasedUser } from '../identity/erasure';
import { defineOperation } from '../core/operation';

/** Cancels waiting messages of a user, and erases the content of all messages to the user. */
export const messagingErasure = {
  erase: defineOperation({
    pattern: 'messaging.erasure.erase',
    scope: 'internal',
    summary: 'Cancel waiting messages of a user, and erase the content of messages',
    request: EraseUser,
    response: ErasedUser,
  }),
};
