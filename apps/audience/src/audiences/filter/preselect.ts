import type { AudienceOperator } from '@tidings/contracts/audience/audiences';
import { ARRAY_INDEX } from './attribute';
import { decimalKey, exactJsonNumber } from './decimal';
import { type Filter, isGroup, type Rule } from './filter';

/**
 * A necessary condition of a filter in SQL: everyone that `evaluateFilter` matches satisfies it, others may as well. `null` where
 * it would select everyone, or nearly everyone.
 *
 * Equality with a text and `MEMBER_OF` are containment, for GIN indexes on `profile jsonb_path_ops` and `tenant_ids`; an `AND`
 * needs one such member, an `OR` needs all. The other conditions save PostgreSQL from sending profiles.
 *
 * The condition is in parentheses, over the columns `profile jsonb` and `tenant_ids text[]`, and contains no text of the filter. Its
 * values are in the order of their numbers, for node-postgres.
 * @param first the number of the first free parameter.
 */
export function preselect(filter: Filter | null, first = 1) {
  if (filter === null) return { condition: '(false)', values: [] };
  if (!isSelective(filter)) return null;
  const values: unknown[] = [];
  return { condition: conditionOf(filter, (value) => `$${first + values.push(value) - 1}`), values };
}

/** Adds a parameter; returns its name in the statement, such as `$1`. */
type Bind = (value: unknown) => string;

/** Whether few people satisfy what `conditionOf` writes. */
function isSelective(filter: Filter): boolean {
  if (isGroup(filter)) return filter.operator === 'AND' ? filter.filters.some(isSelective) : filter.filters.every(isSelective);
  const { operator, path, values } = filter;
  if (operator !== 'EXISTS' || values[0] === 'true') return PRESELECTIONS[operator] !== null;
  // PostgreSQL accepts -1 and 01 as array indexes; `attributeAt` does not: such a value may be absent and found all the same.
  return !path.some((name) => isIntegerLike(name) && !ARRAY_INDEX.test(name));
}

/** The condition of a selective filter. Values of other members are not bound: PostgreSQL refuses parameters that no condition uses. */
function conditionOf(filter: Filter, bind: Bind): string {
  if (!isGroup(filter)) return PRESELECTIONS[filter.operator]!(filter, bind);
  const conditions = filter.filters.filter(isSelective).map((member) => conditionOf(member, bind));
  return `(${conditions.join(filter.operator === 'AND' ? ' and ' : ' or ')})`;
}

/** `null`: nearly everyone satisfies the condition. */
const PRESELECTIONS: Readonly<Record<AudienceOperator, ((rule: Rule, bind: Bind) => string) | null>> = {
  EQ: equals,
  NEQ: null,
  GT: ordered('>'),
  GTE: ordered('>='),
  LT: ordered('<'),
  LTE: ordered('<='),
  INCLUDES: includes,
  OMIT: null,
  EXISTS: exists,
  STARTS_WITH: bounded((text, value) => `starts_with(${text}, ${value})`),
  ENDS_WITH: bounded((text, value) => `right(${text}, char_length(${value})) = ${value}`),
  IS_BEFORE: dated,
  IS_AFTER: dated,
  MEMBER_OF: ({ values: [tenant] }, bind) => `(tenant_ids @> ${bind([tenant])}::text[])`,
};

/** Texts that may be numbers; a superset. */
const NUMBER_LIKE = "'^[-+.0-9]'";
const BOOLEANS: readonly string[] = ['true', 'false'];

function equals({ path, values: [value] }: Rule, bind: Bind) {
  const alternatives = [equalsValue(path, value, bind)];
  if (BOOLEANS.includes(value)) alternatives.push(equalsValue(path, value === 'true', bind));
  if (decimalKey(value) !== undefined) {
    const number = exactJsonNumber(value);
    if (number !== undefined) alternatives.push(equalsValue(path, number, bind));
    const at = attribute(path, bind);
    // "05" and "5.0" are the number 5 as well; a number has any number of spellings.
    alternatives.push(`${at.is('string')} and ${at.text} ~ ${NUMBER_LIKE}`);
  }
  return `(${alternatives.join(' or ')})`;
}

/** The attribute equals this value; as containment where no name could also be an array index. */
function equalsValue(path: Rule['path'], value: string | number | boolean, bind: Bind) {
  if (path.some(isIntegerLike)) return `${attribute(path, bind).json} = ${bind(JSON.stringify(value))}::jsonb`;
  const nested = path.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value);
  return `profile @> ${bind(JSON.stringify(nested))}::jsonb`;
}

function ordered(comparison: string) {
  return ({ path, values: [value] }: Rule, bind: Bind) => {
    const at = attribute(path, bind);
    if (decimalKey(value) === undefined) return `(${at.is('string', 'boolean')})`;
    const number = exactJsonNumber(value);
    const bound = number === undefined ? '' : ` and ${at.json} ${comparison} ${bind(JSON.stringify(number))}::jsonb`;
    return `(${at.is('number')}${bound} or ${at.is('string')} and ${at.text} ~ ${NUMBER_LIKE})`;
  };
}

/** Bounds of searches in PostgreSQL: UTF-16 units of all values of a condition, and characters of the text. */
export const SEARCHED_VALUES_LENGTH_MAX = 256;
export const SEARCHED_TEXT_LENGTH_MAX = 1_000;
/** Values of a condition that PostgreSQL looks up in an array, one after the other. */
export const LOOKED_UP_VALUES_MAX = 32;

/** Where PostgreSQL would take long (its searches and lookups multiply the lengths), all people with a value there are selected. */
function includes({ path, values }: Rule, bind: Bind) {
  const at = attribute(path, bind);
  const hasNumber = values.some((value) => decimalKey(value) !== undefined);
  const hasBoolean = values.some((value) => BOOLEANS.includes(value));
  const isSearched = values.reduce((sum, value) => sum + value.length, 0) <= SEARCHED_VALUES_LENGTH_MAX;
  // `?|` does not find elements that are numbers or booleans.
  const isLookedUp = !hasNumber && !hasBoolean && values.length <= LOOKED_UP_VALUES_MAX;
  const texts = isSearched || isLookedUp ? `${bind(values)}::text[]` : '';
  const alternatives = [
    `${at.is('string')}${isSearched ? ` and ${searched(at.text, texts)}` : ''}`,
    `${at.is('array')}${isLookedUp ? ` and ${at.json} ?| ${texts}` : ''}`,
  ];
  if (hasNumber) alternatives.push(at.is('number'));
  if (hasBoolean) alternatives.push(at.is('boolean'));
  return `(${alternatives.join(' or ')})`;
}

/** `offset 0`: the text is extracted once, not for each value. */
function searched(text: string, values: string) {
  return `(select char_length(extracted.text) > ${SEARCHED_TEXT_LENGTH_MAX} or exists (
             select from unnest(${values}) as included (value) where strpos(extracted.text, included.value) > 0)
             from (select ${text} as text offset 0) as extracted)`;
}

function exists({ path, values: [value] }: Rule, bind: Bind) {
  const { json } = attribute(path, bind);
  return value === 'true' ? `(${json} <> 'null'::jsonb)` : `(coalesce(${json}, 'null'::jsonb) = 'null'::jsonb)`;
}

/** PostgreSQL writes some numbers differently from JavaScript, so numbers and booleans are not compared by text. */
function bounded(texts: (text: string, value: string) => string) {
  return ({ path, values: [value] }: Rule, bind: Bind) => {
    const at = attribute(path, bind);
    return `(${at.is('number', 'boolean')} or ${at.is('string')} and ${texts(at.text, `${bind(value)}::text`)})`;
  };
}

function dated({ path }: Rule, bind: Bind) {
  const at = attribute(path, bind);
  return `(${at.is('string')} and ${at.text} ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}')`;
}

/** The value at a path, in SQL. */
function attribute(path: readonly string[], bind: Bind) {
  const names = `${bind(path)}::text[]`;
  const json = `profile #> ${names}`;
  return {
    json: `(${json})`,
    text: `(profile #>> ${names})`,
    is: (...kinds: string[]) => `jsonb_typeof(${json}) in (${kinds.map((kind) => `'${kind}'`).join(', ')})`,
  };
}

/** PostgreSQL reads such a name as an index where the value is an array. */
const isIntegerLike = (name: string) => /^\s*[-+]?\d+$/.test(name);
