import { Flag, Int, OptionalObject, OptionalOneOf, Texts } from '../core/fields';
import { declaredFields } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { AUDIENCE_LOGIC, type AudienceFilter, type AudienceLogic, FILTER_FIELDS } from './audiences';

/** Matching users that are counted. */
export const AUDIENCE_COUNTED_MAX = 1_000;
/** Ids of matching users in an answer. */
export const AUDIENCE_EXAMPLES_MAX = 5;

export class CountAudience {
  /** A filter as in `PUT /audiences/:audience_id`. Absent or `null`: it matches no one. @example { "operator": "EQ", "path": "title", "value": "Architect" } */
  @OptionalObject filter?: AudienceFilter | null;

  /** The same as `filter.operator` of a group, beside the filter. @example "AND" */
  @OptionalOneOf(AUDIENCE_LOGIC) operator?: AudienceLogic | null;
}

export class AudienceCount {
  /** Users that match, at most 1,000. @example 12 */
  @Int matched: number;

  /** Users with a profile that were evaluated, in the order of their ids. @example 340 */
  @Int evaluated: number;

  /** Whether all users were evaluated. If not, at least `matched` users match: counting ends after 1,000 matches, or a second. @example true */
  @Flag complete: boolean;

  /** The first of those that match, at most 5. @example ["ada"] */
  @Texts users: string[];
}

export const audienceCounts = defineOperations('audience.audience-counts', 'audiences', {
  /**
   * For a filter that is not stored yet, as the console does while one is edited. Needs the scope `read:profiles` or `write:audiences` too.
   * @example { "filter": { "operator": "EQ", "path": "title", "value": "Architect" } }
   */
  count: {
    route: 'POST /console/api/audiences/count',
    generation: 'own',
    scope: 'read:audiences',
    summary: 'Count the users whom a filter matches; nothing is stored',
    request: CountAudience,
    requiresBody: true,
    knownFields: declaredFields(CountAudience, { filter: FILTER_FIELDS }),
    response: AudienceCount,
    repeatable: true,
  },
});
