import { IsArray, IsBoolean, IsInt, IsOptional, IsString, Length, Max, MaxLength, Min } from 'class-validator';
import { defineOperation } from '../core/operation';
import { USER_ID_LENGTH_MAX } from '../identity/profiles';
import { AUDIENCE_ID_LENGTH_MAX } from './audiences';

/** Members that are looked at for one page. */
export const MEMBERS_OF_AUDIENCE_MAX = 1_000;

export class MembersOfAudience {
  @IsString()
  @Length(1, AUDIENCE_ID_LENGTH_MAX)
  audience_id!: string;

  /** Where the page before ended (`next`). */
  @IsOptional()
  @IsString()
  @MaxLength(USER_ID_LENGTH_MAX)
  after?: string;

  /** Most members to look at. Default `MEMBERS_OF_AUDIENCE_MAX`. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MEMBERS_OF_AUDIENCE_MAX)
  limit?: number;
}

export class AudienceMembersPage {
  /** False: there is no such audience (any more); the send fails. */
  @IsBoolean()
  found!: boolean;

  /** In the order of their ids; may be fewer than were asked for, or none, with more to come. */
  @IsArray()
  @IsString({ each: true })
  user_ids!: string[];

  /** Where the next page begins; absent after the last. */
  @IsOptional()
  @IsString()
  next?: string;
}

export const audienceMembers = {
  ofAudience: defineOperation({
    pattern: 'audience.audience-members.ofAudience',
    scope: 'internal',
    summary: 'The members of an audience by user id, for a send: who is a member all the while is met exactly once',
    request: MembersOfAudience,
    response: AudienceMembersPage,
    repeatable: true,
  }),
};
