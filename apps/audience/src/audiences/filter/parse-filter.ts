import {
  AUDIENCE_FILTER_BYTES_MAX,
  AUDIENCE_LOGIC,
  AUDIENCE_OPERATORS,
  type AudienceFilter,
  type AudienceLogic,
  type AudienceOperator,
} from '@tidings/contracts/audience/audiences';
import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { NESTING_DEPTH_MAX, storableObject } from '@tidings/contracts/core/text';
import { invalid } from '@tidings/contracts/core/refusals';
import { LINEAR_SEARCH_LENGTH_MAX } from './evaluation-budget';
import { type Filter, type Rule, TENANT_PATH } from './filter';
import { parseInstant } from './iso-instant';

/** Groups around a condition, the outermost included. */
export const FILTER_DEPTH_MAX = 10;
/** Conditions of one filter, and the values in all of them. */
export const FILTER_RULES_MAX = 100;
export const FILTER_VALUES_MAX = 1_000;

export const RULE_PATH_LENGTH_MAX = 512;
export const RULE_VALUE_LENGTH_MAX = 4_096;
/** Of a value of `INCLUDES` and `OMIT`, for which texts are searched. */
export const RULE_PART_LENGTH_MAX = LINEAR_SEARCH_LENGTH_MAX;

/** Optional prefix of every path, without meaning: all paths are relative to the profile. */
const PREFIX = 'profile.';

/** Operators that accept several values, any of which counts. */
const TAKES_SEVERAL: ReadonlySet<AudienceOperator> = new Set(['INCLUDES', 'OMIT']);
const COMPARES_DATES: ReadonlySet<AudienceOperator> = new Set(['IS_BEFORE', 'IS_AFTER']);

/** Both names of a group's members; clients before v7 write `rules`. */
const MEMBERS = ['filters', 'rules'] as const;

const OPERATORS = [...AUDIENCE_LOGIC, ...AUDIENCE_OPERATORS].sort();

const VALUE_LENGTH_SHOWN_MAX = 100;

/** As a client sends them. */
export interface FilterInput {
  readonly filter?: unknown;
  /** Means the same as `filter.operator` of a group. */
  readonly operator?: unknown;
}

/** As it is stored; parsing `filter` and `operator` again yields the same rule. */
export interface ParsedFilter {
  /** `null` without filter: the audience has no members. */
  readonly rule: Filter | null;
  /** As received. */
  readonly filter: AudienceFilter | null;
  /** As received; a group's own operator comes first. */
  readonly operator: AudienceLogic | null;
}

/**
 * Parses a filter in any of its spellings: one condition `{operator, path, value}`; a group `{operator, filters}` or
 * `{operator, rules}`; a group whose operator is beside it. A group of one needs no operator. Operators are case-sensitive.
 * Unknown fields are stored and ignored.
 * @throws ServiceError `invalid_request` naming the path in the filter, as the client wrote it, and the error.
 */
export function parseFilter({ filter: given, operator }: FilterInput): ParsedFilter {
  const beside = operator ?? undefined;
  if (beside !== undefined) assertAllowed('operator', AUDIENCE_LOGIC, beside);
  if (given === undefined || given === null) return { rule: null, filter: null, operator: beside ?? null };
  if (!isJsonObject(given)) throw invalid(`filter should be an object (got ${shown(given)})`);

  storableObject('filter', given, AUDIENCE_FILTER_BYTES_MAX);
  const rule = new FilterParser().node(given, 'filter', 0, beside);
  return { rule, filter: given, operator: isLogic(given.operator) ? given.operator : (beside ?? null) };
}

/** Parses one filter and counts its conditions and values against the limits. */
class FilterParser {
  private rules = 0;
  private values = 0;

  node(node: unknown, path: string, depth: number, beside?: AudienceLogic): Filter {
    if (!isJsonObject(node)) throw invalid(`${path} should be an object (got ${shown(node)})`);
    const operator = node.operator ?? undefined;
    const members = membersOf(node, path);
    if (operator === undefined) {
      if (!members) throw invalid(`${path} should have required property operator`);
      return this.group(operator, members, path, depth, beside);
    }
    assertAllowed(`${path}.operator`, OPERATORS, operator);
    if (!isLogic(operator)) return this.rule(operator, node, path, members);
    if (!members) throw invalid(`${path} should have required property filters, since its operator is ${operator}`);
    return this.group(operator, members, path, depth, beside);
  }

  private rule(operator: AudienceOperator, node: JsonObject, path: string, members: Members | undefined): Rule {
    // Newer clients' types put an empty `filters` beside a condition.
    if (members?.nodes.length) throw invalid(`${members.path} should stand in a group, beside an operator AND or OR (got ${operator})`);
    if ((this.rules += 1) > FILTER_RULES_MAX) throw invalid(`${path} is one too many: a filter has at most ${FILTER_RULES_MAX} conditions`);
    const names = parsePath(operator, node.path, `${path}.path`);
    const values = parseValues(operator, node.value, `${path}.value`);
    if ((this.values += values.length) > FILTER_VALUES_MAX) {
      throw invalid(`${path}.value is one too many: the conditions of a filter have at most ${FILTER_VALUES_MAX} values`);
    }
    return { operator, path: names, values };
  }

  private group(operator: AudienceLogic | undefined, members: Members, path: string, depth: number, beside: AudienceLogic | undefined) {
    const count = members.nodes.length;
    if (count === 0) throw invalid(`${members.path} should hold at least one filter`);
    if (count > FILTER_RULES_MAX) throw invalid(`${members.path} should hold at most ${FILTER_RULES_MAX} filters (got ${count})`);
    if (depth >= FILTER_DEPTH_MAX) throw invalid(`${path} is nested too deep: at most ${FILTER_DEPTH_MAX} groups stand in each other`);
    if (operator !== undefined && beside !== undefined && operator !== beside) {
      throw invalid(`operator should be equal to ${path}.operator, which means the same (got ${beside} and ${operator})`);
    }
    const logic = operator ?? beside;
    if (logic === undefined && count > 1) {
      throw invalid(`${path}.operator should be equal to one of the allowed values AND, OR, since the group holds ${count} filters`);
    }
    const filters = members.nodes.map((node, index) => this.node(node, `${members.path}[${index}]`, depth + 1)) as [Filter, ...Filter[]];
    // A group of one means the same as its member.
    return logic === undefined || count === 1 ? filters[0] : { operator: logic, filters };
  }
}

interface Members {
  readonly nodes: readonly unknown[];
  readonly path: string;
}

/** The value of `filters` or `rules`, whichever the client wrote. */
function membersOf(node: JsonObject, path: string): Members | undefined {
  const [name, second] = MEMBERS.filter((member) => node[member] !== undefined && node[member] !== null);
  if (name === undefined) return undefined;
  if (second !== undefined) throw invalid(`${path} should have filters or rules, which mean the same, and not both`);
  const nodes = node[name];
  if (!Array.isArray(nodes)) throw invalid(`${path}.${name} should be an array (got ${shown(nodes)})`);
  return { nodes, path: `${path}.${name}` };
}

function isLogic(value: unknown): value is AudienceLogic {
  return (AUDIENCE_LOGIC as readonly unknown[]).includes(value);
}

function parsePath(operator: AudienceOperator, given: unknown, path: string): Rule['path'] {
  if (operator === 'MEMBER_OF') {
    assertAllowed(path, [TENANT_PATH], given);
    return [TENANT_PATH];
  }
  if (typeof given !== 'string') throw invalid(`${path} should be a text: the path of a profile attribute (got ${shown(given)})`);
  assertLength(given, path, RULE_PATH_LENGTH_MAX);
  const names = (given.startsWith(PREFIX) ? given.slice(PREFIX.length) : given).split('.');
  if (names.includes('')) throw invalid(`${path} should be names with a dot between two (got ${shown(given)})`);
  if (names.length > NESTING_DEPTH_MAX) throw invalid(`${path} should have at most ${NESTING_DEPTH_MAX} names (got ${names.length})`);
  return names as [string, ...string[]];
}

function parseValues(operator: AudienceOperator, given: unknown, path: string): Rule['values'] {
  if (Array.isArray(given)) {
    if (!TAKES_SEVERAL.has(operator)) throw invalid(`${path} should be one value, since ${operator} takes no array`);
    if (given.length === 0) throw invalid(`${path} should hold at least one value`);
    return given.map((value, index) => parseValue(operator, value, `${path}[${index}]`)) as [string, ...string[]];
  }
  if (operator !== 'EXISTS') return [parseValue(operator, given, path)];
  // `EXISTS` needs no value.
  const text = typeof given === 'boolean' ? String(given) : (given ?? 'true');
  assertAllowed(path, ['true', 'false'], text);
  return [text];
}

function parseValue(operator: AudienceOperator, given: unknown, path: string) {
  if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'boolean') {
    const several = TAKES_SEVERAL.has(operator) && !path.endsWith(']') ? ', or an array of these' : '';
    throw invalid(`${path} should be a text, a number or a boolean${several} (got ${shown(given)})`);
  }
  const text = String(given);
  assertLength(text, path, TAKES_SEVERAL.has(operator) ? RULE_PART_LENGTH_MAX : RULE_VALUE_LENGTH_MAX);
  if (operator === 'MEMBER_OF' && text === '') throw invalid(`${path} should be the id of a tenant (got "")`);
  if (COMPARES_DATES.has(operator) && parseInstant(text) === undefined) {
    throw invalid(`${path} should be an ISO 8601 date or date with time, since ${operator} compares dates (got ${shown(given)})`);
  }
  return text;
}

function assertAllowed<Allowed extends string>(path: string, allowed: readonly Allowed[], value: unknown): asserts value is Allowed {
  if ((allowed as readonly unknown[]).includes(value)) return;
  throw invalid(`${path} should be equal to one of the allowed values ${allowed.join(', ')} (got ${shown(value)})`);
}

function assertLength(text: string, path: string, lengthMax: number) {
  if (text.length > lengthMax) throw invalid(`${path} should have at most ${lengthMax} characters (got ${text.length})`);
}

/** A value of a refused request for its message: scalars as JSON, arrays and objects by their kind. */
function shown(value: unknown) {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (isJsonObject(value)) return 'an object';
  return JSON.stringify(typeof value === 'string' ? value.slice(0, VALUE_LENGTH_SHOWN_MAX) : value);
}
