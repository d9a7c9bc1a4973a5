import { EraseUser, ErasedUser } from '../core/erasure';
import { defineOperation } from '../core/operation';

/** Erases profile, push tokens, preferences and tenants of a user; events notify the services that store copies. */
export const identityErasure = {
  erase: defineOperation({
    pattern: 'identity.erasure.erase',
    command: true,
    scope: 'internal',
    summary: 'Erase the profile, tokens, preferences and tenants of a user',
    request: EraseUser,
    response: ErasedUser,
  }),
};
