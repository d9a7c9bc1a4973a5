import type { AudienceLogic, AudienceOperator } from '@tidings/contracts/audience/audiences';

/** One condition. Plain data: two rules that say the same are equal however their clients wrote them. */
export interface Rule {
  readonly operator: AudienceOperator;
  /** Where the attribute stands in the profile, from the outside in; `['account_id']` for `MEMBER_OF`. */
  readonly path: readonly [string, ...string[]];
  /** As text, in the order they were given; several only for `INCLUDES` and `OMIT`. */
  readonly values: readonly [string, ...string[]];
}

/** Conditions and groups that count together; never empty. */
interface Group {
  readonly operator: AudienceLogic;
  readonly filters: readonly [Filter, ...Filter[]];
}

/** What `parseFilter` made of a client's filter. Bounded in depth, rules, values and lengths. */
export type Filter = Rule | Group;

export function isGroup(filter: Filter): filter is Group {
  return 'filters' in filter;
}

/** Whether two filters say the same, whichever way their clients spelled them. */
export function sameFilter(one: Filter | null, other: Filter | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The `path` of a `MEMBER_OF`, and its name among the attributes a filter looks at. */
export const TENANT_PATH = 'account_id';

/**
 * What the filter looks at: the outermost names of profile attributes, and `account_id` where it asks for a tenant. Each
 * once. A person whose change touches none of them stays what they are.
 */
export function attributesOf(filter: Filter | null): readonly string[] {
  return filter === null ? [] : [...new Set(rulesOf(filter).map(({ path }) => path[0]))];
}

/** The conditions of a filter, in the order they were written. */
function rulesOf(filter: Filter): Rule[] {
  return isGroup(filter) ? filter.filters.flatMap(rulesOf) : [filter];
}
