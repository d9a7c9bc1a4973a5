import { EraseUser, ErasedUser, ErasureRemains } from '../identity/erasure';
import { defineOperations } from '../core/operation';

/** Erases subscriptions and memberships of a user. Audiences follow the events of identity; the erasure is not done before that. */
export const audienceErasure = defineOperations('audience.erasure', 'internal', {
  erase: {
    summary: 'Erase the subscriptions of a user, and wait until no audience has the user',
    request: EraseUser,
    response: ErasedUser,
  },
  remaining: {
    summary: 'What audience stores of an erased user for some time',
    request: EraseUser,
    response: ErasureRemains,
  },
});
