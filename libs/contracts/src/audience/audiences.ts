import { Int, IsoDate, MaybeNested, OptionalObject, OptionalOneOf, OptionalTextOf, Text, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';

const AUDIENCE_ID_LENGTH_MAX = 256;
export const AudienceId = TextOf(1, AUDIENCE_ID_LENGTH_MAX);
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
  @AudienceId audience_id: string;
}

export class PutAudience extends NamedAudience {
  /** Older clients repeat the id of the path here; ignored. */
  @OptionalTextOf(AUDIENCE_ID_LENGTH_MAX) id?: string | null;

  @OptionalTextOf(512) name?: string | null;

  @OptionalTextOf(4_096) description?: string | null;

  @OptionalObject filter?: AudienceFilter | null;

  /** The same as `filter.operator`, sent here by newer clients. */
  @OptionalOneOf(AUDIENCE_LOGIC) operator?: AudienceLogic | null;
}

export class Audience {
  @Text id: string;

  /** Empty when unset. */
  @Text name: string;

  /** Empty when unset. */
  @Text description: string;

  @IsoDate created_at: string;

  @IsoDate updated_at: string;

  /** As stored by the client; `null` or absent if there is none. */
  @OptionalObject filter?: AudienceFilter | null;

  /** The operator of a filter that is a group, wherever the client sent it. */
  @OptionalOneOf(AUDIENCE_LOGIC) operator?: AudienceLogic;
}

class AudienceWritten {
  @MaybeNested(Audience) audience: Audience;
}

class AudiencePage extends pageOf(Audience, 'items') {}

export class ListAudienceMembers extends CursorQuery {
  @AudienceId audience_id: string;
}

export class AudienceMember {
  /** Since when the user has been a member without interruption. */
  @IsoDate added_at: string;

  @Text audience_id: string;

  /** Grows with each new filter of the audience. */
  @Int audience_version: number;

  /** Id of the user. */
  @Text member_id: string;

  /** The evaluated conditions: `EQ('title', 'Software Engineer') => true`. */
  @Text reason: string;
}

class AudienceMemberPage extends pageOf(AudienceMember, 'items') {}

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
