import type { AudienceOperator } from '@tidings/contracts/audience/audiences';
import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { NESTING_DEPTH_MAX } from '@tidings/contracts/core/text';
import { invalid } from '@tidings/contracts/core/refusals';
import { type Rule, TENANT_PATH } from './filter';
import { parseInstant } from './iso-instant';
import { notAllowed, shown } from './refusals';
import { LINEAR_SEARCH_LENGTH_MAX } from './evaluation-budget';

export const RULE_PATH_LENGTH_MAX = 512;
export const RULE_VALUE_LENGTH_MAX = 4_096;
/** Of a value of `INCLUDES` and `OMIT`, for which texts are searched. */
export const RULE_PART_LENGTH_MAX = LINEAR_SEARCH_LENGTH_MAX;

/** Optional prefix of every path, without meaning: all paths are relative to the profile. */
const PREFIX = 'profile.';

/** Operators that accept several values, any of which counts. */
const TAKES_SEVERAL: ReadonlySet<AudienceOperator> = new Set(['INCLUDES', 'OMIT']);
const COMPARES_DATES: ReadonlySet<AudienceOperator> = new Set(['IS_BEFORE', 'IS_AFTER']);

/**
 * Parses the condition at `path` of a filter.
 * @throws ServiceError `invalid_request` naming the field and its allowed values.
 */
export function parseRule(operator: AudienceOperator, node: JsonObject, path: string): Rule {
  return { operator, path: parsePath(operator, node.path, `${path}.path`), values: parseValues(operator, node.value, `${path}.value`) };
}

function parsePath(operator: AudienceOperator, given: unknown, path: string): Rule['path'] {
  if (operator === 'MEMBER_OF') {
    if (given !== TENANT_PATH) throw notAllowed(path, TENANT_PATH, given);
    return [TENANT_PATH];
  }
  if (typeof given !== 'string') throw invalid(`${path} should be a text: the path of a profile attribute (got ${shown(given)})`);
  if (given.length > RULE_PATH_LENGTH_MAX)
    throw invalid(`${path} should have at most ${RULE_PATH_LENGTH_MAX} characters (got ${given.length})`);
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
  // `EXISTS` needs no value.
  if (operator === 'EXISTS') return [parseExistence(given ?? true, path)];
  return [parseValue(operator, given, path)];
}

function parseValue(operator: AudienceOperator, given: unknown, path: string): string {
  if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'boolean') {
    const several = TAKES_SEVERAL.has(operator) && !path.endsWith(']') ? ', or an array of these' : '';
    throw invalid(`${path} should be a text, a number or a boolean${several} (got ${shown(given)})`);
  }
  const text = String(given);
  const lengthMax = TAKES_SEVERAL.has(operator) ? RULE_PART_LENGTH_MAX : RULE_VALUE_LENGTH_MAX;
  if (text.length > lengthMax) throw invalid(`${path} should have at most ${lengthMax} characters (got ${text.length})`);
  if (operator === 'MEMBER_OF' && text === '') throw invalid(`${path} should be the id of a tenant (got "")`);
  if (COMPARES_DATES.has(operator) && parseInstant(text) === undefined) {
    throw invalid(`${path} should be an ISO 8601 date or date with time, since ${operator} compares dates (got ${shown(given)})`);
  }
  return text;
}

function parseExistence(given: unknown, path: string): string {
  const text = typeof given === 'boolean' ? String(given) : given;
  if (text !== 'true' && text !== 'false') throw notAllowed(path, 'true, false', given);
  return text;
}
