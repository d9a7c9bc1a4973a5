import { EraseUser, ErasedUser } from '../core/erasure';
import { defineOperation } from '../core/operation';

/** Of profiles, push tokens, preferences and tenants; who keeps copies is told. */
export const identityErasure = {
  erase: defineOperation({
    pattern: 'identity.erasure.erase',
    scope: 'internal',
    summary: 'Erase the profile, tokens, preferences and tenants of a user',
    request: EraseUser,
    response: ErasedUser,
  }),
};
