import { AnyObject, Flag, IsListOf, OptionalFlag, OptionalInt, OptionalText, Text, Texts } from '../core/fields';
import { defineOperations } from '../core/operation';
import { UserId } from './profiles';

/** Erases all stored data of a user. */
export class EraseUser {
  @UserId user_id: string;
}

/** Erases the data of a user in identity. */
export class EraseIdentity extends EraseUser {
  /**
   * Whether the same erasure has called this before, as at its end: then only a call that removes something leaves an audit event.
   * Default: `false`.
   */
  @OptionalFlag repeated?: boolean;
}

/** The result of one bounded step of an erasure. Repeated calls erase the rest, then nothing. */
export class ErasedUser {
  /** Whether this service has no data of the user left. */
  @Flag done: boolean;

  /** Counts of removed rows by names such as `bulk_users`; `tidings erase --json` prints them unchanged. */
  @AnyObject removed: Record<string, number>;
}

/** Data of a user that an erasure leaves, for some time. */
export class RemainingData {
  /** What remains: a table or a topic. */
  @Text what: string;

  /** How many rows or records. Absent: not counted. */
  @OptionalInt count?: number;

  /** When the last of it is removed: ISO 8601. Absent: no time is known. */
  @OptionalText until?: string;

  /** What the time depends on, or why none is known. */
  @OptionalText reason?: string;
}

export class ErasureRemains {
  @IsListOf(RemainingData) remaining: RemainingData[];
}

/** The addresses of a user: of the profile, and of those in tenants. */
export class UserAddresses {
  /** E-mail addresses. */
  @Texts addresses: string[];

  @Texts phone_numbers: string[];

  /** Push tokens of the user's devices. */
  @Texts tokens: string[];
}

/** Erases profile, push tokens, preferences and tenants of a user; events notify the services that store copies. */
export const identityErasure = defineOperations('identity.erasure', 'internal', {
  erase: {
    audit: 'user:erased',
    auditTarget: ['user_id'],
    auditsChangesIf: 'repeated',
    command: true,
    summary: 'Erase the profile, tokens, preferences and tenants of a user',
    request: EraseIdentity,
    response: ErasedUser,
  },
  addresses: {
    summary: 'The e-mail addresses of the profile of a user, for the search for copies',
    request: EraseUser,
    response: UserAddresses,
  },
  remaining: {
    summary: 'What identity stores of an erased user for some time',
    request: EraseUser,
    response: ErasureRemains,
  },
});
