import { EraseUser, ErasedUser } from '../identity/erasure';
import { defineOperations } from '../core/operation';

/** Cancels waiting messages of a user, and erases the content of all messages to the user. */
export const messagingErasure = defineOperations('messaging.erasure', 'internal', {
  erase: {
    summary: 'Cancel waiting messages of a user, and erase the content of messages',
    request: EraseUser,
    response: ErasedUser,
  },
});
