import { LRUCache } from 'lru-cache';
import type { AudienceLogic, AudienceOperator } from '@tidings/contracts/audience/audiences';

/** One condition. Plain data: rules of the same meaning are equal, whatever their spelling in the request. */
export interface Rule {
  readonly operator: AudienceOperator;
  /** The attribute's path in the profile; `['account_id']` for `MEMBER_OF`. */
  readonly path: readonly [string, ...string[]];
  /** As text, in request order; several only for `INCLUDES` and `OMIT`. */
  readonly values: readonly [string, ...string[]];
}

/** Conditions and groups combined by one operator; never empty. */
interface Group {
  readonly operator: AudienceLogic;
  readonly filters: readonly [Filter, ...Filter[]];
}

/** A client's filter as parsed by `parseFilter`. Bounded in depth, rules, values and lengths. */
export type Filter = Rule | Group;

/** Whether the filter combines others; otherwise it is a single rule. */
export function isGroup(filter: Filter): filter is Group {
  return 'filters' in filter;
}

/** Whether two filters mean the same, whatever their spelling. */
export function sameFilter(one: Filter | null, other: Filter | null) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** As many rules as a few workspaces with many audiences have. */
const parsed = new LRUCache<string, Filter>({ max: 5_000, memoMethod: (text) => JSON.parse(text) as Filter });

/** The rule stored as `text`, parsed once: the evaluator caches its checks by the object. `null`: no members. */
export function ruleOf(text: string | null) {
  return text === null ? null : parsed.memo(text);
}

/** The `path` of a `MEMBER_OF`, and its name among the attributes of a filter. */
export const TENANT_PATH = 'account_id';

/**
 * The attributes that the filter uses: the outermost names of profile paths, and `account_id` for tenants, each once. A change
 * of other attributes does not change the outcome.
 */
export function attributesOf(filter: Filter | null): readonly string[] {
  return filter === null ? [] : [...new Set(rulesOf(filter).map(({ path }) => path[0]))];
}

/** The conditions of a filter, in request order. */
const rulesOf = (filter: Filter): Rule[] => (isGroup(filter) ? filter.filters.flatMap(rulesOf) : [filter]);
