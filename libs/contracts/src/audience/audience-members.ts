import { OptionalLimit, OptionalTextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { USER_ID_LENGTH_MAX } from '../identity/profiles';
import { AudienceId } from './audiences';

/** Maximum members checked for one page. */
export const MEMBERS_OF_AUDIENCE_MAX = 1_000;

export class MembersOfAudience {
  @AudienceId audience_id: string;

  /** `next` of the previous page. */
  @OptionalTextOf(USER_ID_LENGTH_MAX) after?: string;

  /** Maximum members to check. Default `MEMBERS_OF_AUDIENCE_MAX`. */
  @OptionalLimit(MEMBERS_OF_AUDIENCE_MAX) limit?: number;
}

export class AudienceMembersPage {
  /** False if the audience does not exist or was deleted; the send fails. */
  found: boolean;

  /** Sorted by id; may be fewer than requested, even none, before the last page. */
  user_ids: string[];

  /** `after` of the next page; absent on the last page. */
  next?: string;
}

export const audienceMembers = defineOperations('audience.audience-members', 'internal', {
  ofAudience: {
    summary: 'Page the members of an audience by user id, for a send; a user who stays a member occurs exactly once',
    request: MembersOfAudience,
    response: AudienceMembersPage,
    repeatable: true,
  },
});
