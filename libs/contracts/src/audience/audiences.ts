import { Int, IsoDate, MaybeNested, OptionalObject, OptionalOneOf, OptionalTextOf, Text, TextOf } from '../core/fields';
import { declaredFields, FieldsOfAnswer, type KnownFields, namedFields } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';

const AUDIENCE_ID_LENGTH_MAX = 256;
/** Id of the audience, chosen by you. @example "architects" */
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

/** The known fields of conditions and groups. */
export const FILTER_FIELDS: KnownFields = { fields: new Map(), dependingOn: () => GROUP_FIELDS };
const GROUP_FIELDS = namedFields('operator path value filters rules', { filters: FILTER_FIELDS, rules: FILTER_FIELDS });

export class NamedAudience {
  @AudienceId audience_id: string;
}

@FieldsOfAnswer(() => Audience)
export class PutAudience extends NamedAudience {
  /** Older clients repeat the id of the path here; it is ignored. @example "architects" */
  @OptionalTextOf(AUDIENCE_ID_LENGTH_MAX) id?: string | null;

  /** Display name. Absent: it stays; `null`: none. @example "Architects" */
  @OptionalTextOf(512) name?: string | null;

  /** What the audience is for. Absent: it stays; `null`: none. @example "Everyone who designs houses" */
  @OptionalTextOf(4_096) description?: string | null;

  /**
   * A condition `{operator, path, value}`, or a group `{operator, filters}` of conditions and groups. At most 100 conditions, 10 levels and
   * 64 KB. Absent: it stays; `null`: the audience has no members.
   * @example { "operator": "EQ", "path": "title", "value": "Architect" }
   */
  @OptionalObject filter?: AudienceFilter | null;

  /** The same as `filter.operator` of a group, beside the filter. Alone it combines the conditions of the stored filter. @example "AND" */
  @OptionalOneOf(AUDIENCE_LOGIC) operator?: AudienceLogic | null;
}

export class Audience {
  /** Id of the audience, chosen by you. @example "architects" */
  @Text id: string;

  /** Display name; empty if there is none. @example "Architects" */
  @Text name: string;

  /** What the audience is for; empty if there is no text. @example "" */
  @Text description: string;

  /** When it was created: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate created_at: string;

  /** When it was last changed: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate updated_at: string;

  /**
   * The filter as it was put; absent if there is none: then the audience has no members.
   * @example { "operator": "EQ", "path": "title", "value": "Architect" }
   */
  @OptionalObject filter?: AudienceFilter | null;

  /** The operator of a filter that is a group, in whichever field it was sent. @example "AND" */
  @OptionalOneOf(AUDIENCE_LOGIC) operator?: AudienceLogic;
}

class AudienceWritten {
  /** The audience as stored. */
  @MaybeNested(Audience) audience: Audience;
}

/** @property items The audiences of this page, at most 100, by id. */
class AudiencePage extends pageOf(Audience, 'items') {}

export class ListAudienceMembers extends CursorQuery {
  @AudienceId audience_id: string;
}

export class AudienceMember {
  /** Since when the user has been a member without interruption: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate added_at: string;

  /** Id of the audience. @example "architects" */
  @Text audience_id: string;

  /** Version of the filter, 1 for the first; each new filter has a higher one. @example 1 */
  @Int audience_version: number;

  /** Id of the user. @example "ada" */
  @Text member_id: string;

  /** The evaluated conditions. @example "EQ('title', 'Architect') => true" */
  @Text reason: string;
}

/** @property items The members of this page, at most 100, by id. */
class AudienceMemberPage extends pageOf(AudienceMember, 'items') {}

export const audiences = defineOperations('audience.audiences', 'audiences', {
  /** The audiences of the workspace, at most 1,000 in all. */
  list: {
    route: 'GET /audiences',
    summary: 'List audiences, by id',
    request: CursorQuery,
    response: AudiencePage,
  },
  /** Answers 404 for an audience that does not exist. The members have a route of their own. */
  retrieve: {
    route: 'GET /audiences/:audience_id',
    summary: 'Get an audience',
    request: NamedAudience,
    response: Audience,
  },
  /**
   * Fields that are left out stay. Members of a new filter are served when all are computed, those of the previous filter until then.
   * @example { "name": "Architects", "filter": { "operator": "EQ", "path": "title", "value": "Architect" } }
   */
  put: {
    audit: 'audience:replaced',
    command: true,
    route: 'PUT /audiences/:audience_id',
    summary: 'Create an audience, or change it',
    request: PutAudience,
    knownFields: declaredFields(PutAudience, { filter: FILTER_FIELDS }),
    response: AudienceWritten,
  },
  /** Later sends to the audience fail. A new audience with the id begins with version 1. */
  remove: {
    audit: 'audience:deleted',
    command: true,
    route: 'DELETE /audiences/:audience_id',
    summary: 'Delete an audience',
    request: NamedAudience,
  },
  /** The users whose profile or tenants match the filter. Answers 404 for an audience that does not exist. */
  members: {
    route: 'GET /audiences/:audience_id/members',
    summary: 'List the members of an audience, by id',
    request: ListAudienceMembers,
    response: AudienceMemberPage,
  },
});
