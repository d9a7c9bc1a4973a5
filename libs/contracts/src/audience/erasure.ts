import { EraseUser, ErasedUser } from '../core/erasure';
import { defineOperation } from '../core/operation';

/** Of subscriptions and audiences. Audiences follow what identity tells: until they have, there is something left. */
export const audienceErasure = {
  erase: defineOperation({
    pattern: 'audience.erasure.erase',
    scope: 'internal',
    summary: 'Erase the subscriptions of a user, and wait until no audience has them',
    request: EraseUser,
    response: ErasedUser,
  }),
};
