import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsInt, IsOptional, IsString, Length, Max, Min, ValidateNested } from 'class-validator';
import { defineOperation } from '../core/operation';
import { CursorQuery } from '../core/paging';
import { RecipientPreferences } from '../core/preferences';
import { LIST_ID_BYTES_MAX } from './list-ids';

export const MEMBERS_PAGE_MAX = 1_000;

class MembersQuery extends CursorQuery {
  /** Most members of a page. Default `MEMBERS_PAGE_MAX`. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MEMBERS_PAGE_MAX)
  limit?: number;
}

export class LoadListMembers extends MembersQuery {
  @IsString()
  @Length(1, LIST_ID_BYTES_MAX)
  list_id!: string;
}

export class LoadPatternMembers extends MembersQuery {
  @IsString()
  @Length(1, LIST_ID_BYTES_MAX)
  pattern!: string;
}

/** Somebody a list reaches. */
export class ListMember {
  @IsString()
  user_id!: string;

  /** The list; of those a pattern stands for, the first by id that the user is subscribed to. */
  @IsString()
  list_id!: string;

  /** Of the subscription to this list; absent where it has none. */
  @IsOptional()
  @ValidateNested()
  @Type(() => RecipientPreferences)
  preferences?: RecipientPreferences;
}

/** Preferences of a list that members of a page have. */
export class MembersList {
  @IsString()
  list_id!: string;

  @ValidateNested()
  @Type(() => RecipientPreferences)
  preferences!: RecipientPreferences;
}

export class ListMembersPage {
  /** Whether there is such a list now, or any of the pattern. Without one there are no members. */
  @IsBoolean()
  found!: boolean;

  /** By user id, each once. A page may have fewer than asked, or none, and yet not be the last. */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ListMember)
  members!: ListMember[];

  /** Of the members' lists, those with preferences. */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => MembersList)
  lists!: MembersList[];

  @IsBoolean()
  more!: boolean;

  /** Of the next page; there when `more` is. */
  @IsOptional()
  @IsString()
  cursor?: string;
}

/**
 * Who is on a list, for sends. From the first page to the last, whoever is subscribed all the while is met exactly once, however
 * much the list changes meanwhile, also where all subscribers are replaced.
 */
export const listMembers = {
  ofList: defineOperation({
    pattern: 'audience.members.ofList',
    scope: 'internal',
    summary: 'A page of the subscribers of a list, with what they and the list prefer',
    request: LoadListMembers,
    response: ListMembersPage,
    repeatable: true,
  }),
  ofPattern: defineOperation({
    pattern: 'audience.members.ofPattern',
    scope: 'internal',
    summary: 'A page of the subscribers of all lists that a pattern stands for',
    request: LoadPatternMembers,
    response: ListMembersPage,
    repeatable: true,
  }),
};
