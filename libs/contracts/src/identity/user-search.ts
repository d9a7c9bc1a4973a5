import { OptionalLimit, OptionalOneOf, OptionalText, OptionalTextOf, Text } from '../core/fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, PAGE_LIMIT_MAX, pageOf } from '../core/paging';
import { PUSH_TOKEN_LENGTH_MAX } from './user-tokens';

/** What a search matched. */
const MATCHES = ['id', 'address', 'token'] as const;

export class SearchUsers extends CursorQuery {
  /**
   * The beginning of a user id, or the whole e-mail address, phone number or push token. Absent or empty: all users, the last changed first.
   * @example "ada@example.com"
   */
  @OptionalTextOf(PUSH_TOKEN_LENGTH_MAX) query?: string;

  /** The most items of a page, 1 to 100. Default 20. @example 50 */
  @OptionalLimit(PAGE_LIMIT_MAX) limit?: number;
}

/** A user of a search. */
export class FoundUser {
  /** Id of the user. @example "ada" */
  @Text id: string;

  /** `profile.email`, if it is a text. @example "ada@example.com" */
  @OptionalText email?: string;

  /** `profile.phone_number`, if it is a text. @example "+4915123456789" */
  @OptionalText phone_number?: string;

  /** `profile.name`, else `given_name` and `family_name`. @example "Ada" */
  @OptionalText name?: string;

  /** When the profile was last changed, ISO 8601; absent for a user who has only a push token. @example "2026-03-01T10:00:00.000Z" */
  @OptionalText updated?: string;
}

/** @property items The users of this page. */
export class UserPage extends pageOf(FoundUser, 'items') {
  /** What the query is of them; `null` without a query, and where it found none. @example "address" */
  @OptionalOneOf(MATCHES) matched?: (typeof MATCHES)[number] | null;
}

export const userSearch = defineOperations(
  'identity.user-search',
  'profiles',
  {
    /**
     * An address or token finds its users, in the order of their ids; else the query is the beginning of ids. E-mail addresses are compared
     * without regard to case, phone numbers as they are stored.
     */
    search: {
      route: 'GET /console/api/users',
      summary: 'Find users by id, e-mail address, phone number or push token',
      request: SearchUsers,
      response: UserPage,
    },
  },
  { generation: 'own' },
);
