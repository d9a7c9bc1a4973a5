import { Type } from 'class-transformer';
import { IsIn, IsInt, IsISO8601, IsString, ValidateNested } from 'class-validator';
import { IsListOf, IsText, Optional, OptionalObject, OptionalText } from '../core/fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, Paging } from '../core/paging';

export const AUDIENCE_ID_LENGTH_MAX = 256;
const AUDIENCE_NAME_LENGTH_MAX = 512;
const AUDIENCE_DESCRIPTION_LENGTH_MAX = 4_096;
export const AUDIENCES_PAGE_SIZE = 100;
export const AUDIENCE_MEMBERS_PAGE_SIZE = 100;
/** Size of a filter as JSON. */
export const AUDIENCE_FILTER_BYTES_MAX = 64 * 1024;

/** How the conditions of a group are combined. */
export const AUDIENCE_LOGIC = ['AND', 'OR'] as const;
export type AudienceLogic = (typeof AUDIENCE_LOGIC)[number];

/** Operators of a condition on an attribute; `MEMBER_OF` is a condition on a tenant. */
export const AUDIENCE_OPERATORS = [
  'EQ',
  'NEQ',
  'GT',
  'GTE',
  'LT',
  'LTE',
  'INCLUDES',
  'OMIT',
  'EXISTS',
  'STARTS_WITH',
  'ENDS_WITH',
  'IS_BEFORE',
  'IS_AFTER',
  'MEMBER_OF',
] as const;
export type AudienceOperator = (typeof AUDIENCE_OPERATORS)[number];

/**
 * A filter as a client writes it: a condition `{operator, path, value}`, or a group with its conditions and groups in `filters`
 * (older name: `rules`). The service parses it (`parseFilter`) and names its errors.
 */
export type AudienceFilter = Record<string, unknown>;

export class NamedAudience {
  @IsText(1, AUDIENCE_ID_LENGTH_MAX) audience_id!: string;
}

export class PutAudience extends NamedAudience {
  /** Older clients repeat the id of the path here; ignored. */
  @OptionalText(AUDIENCE_ID_LENGTH_MAX) id?: string | null;

  @OptionalText(AUDIENCE_NAME_LENGTH_MAX) name?: string | null;

  @OptionalText(AUDIENCE_DESCRIPTION_LENGTH_MAX) description?: string | null;

  @OptionalObject() filter?: AudienceFilter | null;

  /** The same as `filter.operator`, sent here by newer clients. */
  @Optional(IsIn(AUDIENCE_LOGIC)) operator?: AudienceLogic | null;
}

export class Audience {
  @IsString() id!: string;

  /** Empty when unset. */
  @IsString() name!: string;

  /** Empty when unset. */
  @IsString() description!: string;

  @IsISO8601() created_at!: string;

  @IsISO8601() updated_at!: string;

  /** As stored by the client; `null` or absent if there is none. */
  @OptionalObject() filter?: AudienceFilter | null;

  /** The operator of a filter that is a group, wherever the client sent it. */
  @Optional(IsIn(AUDIENCE_LOGIC)) operator?: AudienceLogic;
}

export class AudienceWritten {
  @ValidateNested()
  @Type(() => Audience)
  audience!: Audience;
}

export class AudiencePage {
  @ValidateNested()
  @Type(() => Paging)
  paging!: Paging;

  @IsListOf(() => Audience) items!: Audience[];
}

export class ListAudienceMembers extends CursorQuery {
  @IsText(1, AUDIENCE_ID_LENGTH_MAX) audience_id!: string;
}

export class AudienceMember {
  /** Since when the user has been a member without interruption. */
  @IsISO8601() added_at!: string;

  @IsString() audience_id!: string;

  /** Grows with each new filter of the audience. */
  @IsInt() audience_version!: number;

  /** Id of the user. */
  @IsString() member_id!: string;

  /** The evaluated conditions: `EQ('title', 'Software Engineer') => true`. */
  @IsString() reason!: string;
}

export class AudienceMemberPage {
  @ValidateNested()
  @Type(() => Paging)
  paging!: Paging;

  @IsListOf(() => AudienceMember) items!: AudienceMember[];
}

export const audiences = defineOperations('audience.audiences', 'audiences', {
  list: {
    route: 'GET /audiences',
    summary: 'List audiences, by id',
    request: CursorQuery,
    response: AudiencePage,
  },
  retrieve: {
    route: 'GET /audiences/:audience_id',
    summary: 'Get an audience',
    request: NamedAudience,
    response: Audience,
  },
  put: {
    command: true,
    route: 'PUT /audiences/:audience_id',
    summary: 'Create an audience, or change it',
    request: PutAudience,
    response: AudienceWritten,
  },
  remove: {
    command: true,
    route: 'DELETE /audiences/:audience_id',
    summary: 'Delete an audience',
    request: NamedAudience,
  },
  members: {
    route: 'GET /audiences/:audience_id/members',
    summary: 'List the members of an audience, by id',
    request: ListAudienceMembers,
    response: AudienceMemberPage,
  },
});
