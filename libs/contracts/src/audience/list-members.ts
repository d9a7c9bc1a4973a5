import { OptionalLimit } from '../core/fields';
import { defineOperations } from '../core/operation';
import { CursorQuery } from '../core/paging';
import { RecipientPreferences } from '../core/preferences';
import { ListId } from './list-ids';

export const MEMBERS_PAGE_MAX = 1_000;

class MembersQuery extends CursorQuery {
  /** Maximum members of a page. Default `MEMBERS_PAGE_MAX`. */
  @OptionalLimit(MEMBERS_PAGE_MAX) limit?: number;
}

export class LoadListMembers extends MembersQuery {
  @ListId list_id: string;
}

export class LoadPatternMembers extends MembersQuery {
  @ListId pattern: string;
}

/** A subscriber of a list. */
export interface ListMember {
  user_id: string;

  /** The list; for a pattern, the first matching list by id that the user is subscribed to. */
  list_id: string;

  /** Preferences of the subscription to this list; absent if it has none. */
  preferences?: RecipientPreferences;
}

/** The preferences of a list that occurs in a page. */
export interface MembersList {
  list_id: string;

  preferences: RecipientPreferences;
}

export class ListMembersPage {
  /** Whether the list, or any list of the pattern, exists. If not, there are no members. */
  found: boolean;

  /** Sorted by user id, each user once. A page may have fewer members than requested, even none, and not be the last. */
  members: ListMember[];

  /** The lists of the members that have preferences. */
  lists: MembersList[];

  more: boolean;

  /** Cursor of the next page; present if `more`. */
  cursor?: string;
}

/**
 * The subscribers of a list, for sends. The pages contain every user who stays subscribed exactly once, however much the list changes
 * between the first page and the last, even if all subscribers are replaced.
 */
export const listMembers = defineOperations('audience.members', 'internal', {
  ofList: {
    summary: 'Page the subscribers of a list, with their preferences and those of the list',
    request: LoadListMembers,
    response: ListMembersPage,
    repeatable: true,
  },
  ofPattern: {
    summary: 'Page the subscribers of all lists that match a pattern',
    request: LoadPatternMembers,
    response: ListMembersPage,
    repeatable: true,
  },
});
