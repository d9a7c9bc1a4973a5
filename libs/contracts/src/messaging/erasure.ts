import { EraseUser, ErasedUser } from '../core/erasure';
import { defineOperation } from '../core/operation';

/** Of messages: what waits is canceled, what was said is removed. */
export const messagingErasure = {
  erase: defineOperation({
    pattern: 'messaging.erasure.erase',
    scope: 'internal',
    summary: 'Cancel what waits for a user, and erase what messages said',
    request: EraseUser,
    response: ErasedUser,
  }),
};
