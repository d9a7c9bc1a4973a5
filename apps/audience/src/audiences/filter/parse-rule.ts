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
/** Of a value of `INCLUDES` and `OMIT`, which texts are searched for. */
export const RULE_PART_LENGTH_MAX = LINEAR_SEARCH_LENGTH_MAX;

/** May stand before every path and means nothing: paths lead into the profile anyway. */
const PREFIX = 'profile.';

/** Operators that take several values, any of which counts. */
const TAKES_SEVERAL: ReadonlySet<AudienceOperator> = new Set(['INCLUDES', 'OMIT']);
const COMPARES_DATES: ReadonlySet<AudienceOperator> = new Set(['IS_BEFORE', 'IS_AFTER']);

/**
 * Reads the condition that stands at `place` of a filter.
 * @throws ServiceError `invalid_request` naming the field and what it should be.
 */
export function parseRule(operator: AudienceOperator, node: JsonObject, place: string): Rule {
  return { operator, path: parsePath(operator, node.path, `${place}.path`), values: parseValues(operator, node.value, `${place}.value`) };
}

function parsePath(operator: AudienceOperator, given: unknown, place: string): Rule['path'] {
  if (operator === 'MEMBER_OF') {
    if (given !== TENANT_PATH) throw notAllowed(place, TENANT_PATH, given);
    return [TENANT_PATH];
  }
  if (typeof given !== 'string') throw invalid(`${place} should be a text: the path of a profile attribute (got ${shown(given)})`);
  if (given.length > RULE_PATH_LENGTH_MAX)
    throw invalid(`${place} should have at most ${RULE_PATH_LENGTH_MAX} characters (got ${given.length})`);
  const names = (given.startsWith(PREFIX) ? given.slice(PREFIX.length) : given).split('.');
  if (names.includes('')) throw invalid(`${place} should be names with a dot between two (got ${shown(given)})`);
  if (names.length > NESTING_DEPTH_MAX) throw invalid(`${place} should have at most ${NESTING_DEPTH_MAX} names (got ${names.length})`);
  return names as [string, ...string[]];
}

function parseValues(operator: AudienceOperator, given: unknown, place: string): Rule['values'] {
  if (Array.isArray(given)) {
    if (!TAKES_SEVERAL.has(operator)) throw invalid(`${place} should be one value, since ${operator} takes no array`);
    if (given.length === 0) throw invalid(`${place} should hold at least one value`);
    return given.map((value, index) => parseValue(operator, value, `${place}[${index}]`)) as [string, ...string[]];
  }
  // To ask whether something exists needs no value.
  if (operator === 'EXISTS') return [parseExistence(given ?? true, place)];
  return [parseValue(operator, given, place)];
}

function parseValue(operator: AudienceOperator, given: unknown, place: string): string {
  if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'boolean') {
    const several = TAKES_SEVERAL.has(operator) && !place.endsWith(']') ? ', or an array of these' : '';
    throw invalid(`${place} should be a text, a number or a boolean${several} (got ${shown(given)})`);
  }
  const text = String(given);
  const lengthMax = TAKES_SEVERAL.has(operator) ? RULE_PART_LENGTH_MAX : RULE_VALUE_LENGTH_MAX;
  if (text.length > lengthMax) throw invalid(`${place} should have at most ${lengthMax} characters (got ${text.length})`);
  if (operator === 'MEMBER_OF' && text === '') throw invalid(`${place} should be the id of a tenant (got "")`);
  if (COMPARES_DATES.has(operator) && parseInstant(text) === undefined) {
    throw invalid(`${place} should be an ISO 8601 date or date with time, since ${operator} compares dates (got ${shown(given)})`);
  }
  return text;
}

function parseExistence(given: unknown, place: string): string {
  const text = typeof given === 'boolean' ? String(given) : given;
  if (text !== 'true' && text !== 'false') throw notAllowed(place, 'true, false', given);
  return text;
}
