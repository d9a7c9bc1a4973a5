import { AnyObject, Flag } from './core/fields';
import { defineOperations } from './core/operation';
import { UserId } from './identity/profiles';

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
    command: true,
    summary: 'Erase the profile, tokens, preferences and tenants of a user',
    request: EraseUser,
    response: ErasedUser,
  },
});

/** Erases subscriptions and memberships of a user. Audiences follow the events of identity; the erasure is not done before that. */
export const audienceErasure = defineOperations('audience.erasure', 'internal', {
  erase: {
    summary: 'Erase the subscriptions of a user, and wait until no audience has the user',
    request: EraseUser,
    response: ErasedUser,
  },
});

/** Cancels waiting messages of a user, and erases the content of all messages to the user. */
export const messagingErasure = defineOperations('messaging.erasure', 'internal', {
  erase: {
    summary: 'Cancel waiting messages of a user, and erase the content of messages',
    request: EraseUser,
    response: ErasedUser,
  },
});
