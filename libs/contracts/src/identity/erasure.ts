import { AnyObject, Flag } from '../core/fields';
import { defineOperations } from '../core/operation';
import { UserId } from './profiles';

/** Erases all stored data of a user. */
export class EraseUser {
  @UserId user_id: string;
}

/** The result of one bounded step of an erasure. Repeated calls erase the rest, then nothing. */
export class ErasedUser {
  /** Whether this service has no data of the user left. */
  @Flag done: boolean;

  /** Counts of removed rows by names such as `bulk_users`; `tidings erase --json` prints them unchanged. */
  @AnyObject removed: Record<string, number>;
}

/** Erases profile, push tokens, preferences and tenants of a user; events notify the services that store copies. */
export const identityErasure = defineOperations('identity.erasure', 'internal', {
  erase: {
    audit: 'user:erased',
    auditTarget: ['user_id'],
    command: true,
    summary: 'Erase the profile, tokens, preferences and tenants of a user',
    request: EraseUser,
    response: ErasedUser,
  },
});
