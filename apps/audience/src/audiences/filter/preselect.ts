import type { AudienceOperator } from '@tidings/contracts/audience/audiences';
import { ARRAY_INDEX } from './attribute';
import { decimalKey, exactJsonNumber } from './decimal';
import { type Filter, isGroup, type Rule } from './filter';

/** A condition in SQL, and the parameters it names. */
interface Preselection {
  /** In parentheses; over the columns `profile jsonb` and `tenant_ids text[]`. Holds no text of the filter. */
  readonly condition: string;
  /** Of the parameters in the order of their numbers, as node-postgres takes them. */
  readonly values: readonly unknown[];
}

/**
 * Narrows down in SQL whom a filter can match: everyone whom `evaluateFilter` would match satisfies the condition, others
 * may as well. `null` where that would be everyone, or nearly so.
 *
 * Equality with a text and `MEMBER_OF` are written as containment, for GIN indexes on `profile jsonb_path_ops` and
 * `tenant_ids`; an `AND` needs one such member, an `OR` needs it of all. The rest spares PostgreSQL from sending profiles.
 * @param first the number of the first parameter that is free.
 */
export function preselect(filter: Filter | null, first = 1): Preselection | null {
  if (filter === null) return { condition: '(false)', values: [] };
  const draft = draftOf(filter);
  if (draft === null) return null;
  const values: unknown[] = [];
  return { condition: draft((value) => `$${first + values.push(value) - 1}`), values };
}

/** Makes a parameter of a value: its place in the statement. */
type Bind = (value: unknown) => string;

/** Writes a condition. Values are bound only then: PostgreSQL refuses parameters that no condition names. */
type Draft = (bind: Bind) => string;

function draftOf(filter: Filter): Draft | null {
  if (!isGroup(filter)) return PRESELECTIONS[filter.operator](filter);
  const drafts = filter.filters.map(draftOf);
  const known = drafts.filter((draft) => draft !== null);
  if (known.length === 0 || (filter.operator === 'OR' && known.length < drafts.length)) return null;
  const conjunction = filter.operator === 'AND' ? ' and ' : ' or ';
  return (bind) => `(${known.map((draft) => draft(bind)).join(conjunction)})`;
}

const EVERYONE = (): null => null;

const PRESELECTIONS: Readonly<Record<AudienceOperator, (rule: Rule) => Draft | null>> = {
  EQ: (rule) => (bind) => equals(rule, bind),
  NEQ: EVERYONE,
  GT: (rule) => (bind) => ordered(rule, bind, '>'),
  GTE: (rule) => (bind) => ordered(rule, bind, '>='),
  LT: (rule) => (bind) => ordered(rule, bind, '<'),
  LTE: (rule) => (bind) => ordered(rule, bind, '<='),
  INCLUDES: (rule) => (bind) => includes(rule, bind),
  OMIT: EVERYONE,
  EXISTS: exists,
  STARTS_WITH: (rule) => (bind) => bounded(rule, bind, (text, value) => `starts_with(${text}, ${value})`),
  ENDS_WITH: (rule) => (bind) => bounded(rule, bind, (text, value) => `right(${text}, char_length(${value})) = ${value}`),
  IS_BEFORE: (rule) => (bind) => dated(rule, bind),
  IS_AFTER: (rule) => (bind) => dated(rule, bind),
  MEMBER_OF:
    ({ values: [tenant] }) =>
    (bind) =>
      `(tenant_ids @> ${bind([tenant])}::text[])`,
};

/** Texts that may be numbers; a superset. */
const NUMBER_LIKE = "'^[-+.0-9]'";
const BOOLEANS: readonly string[] = ['true', 'false'];

function equals({ path, values: [value] }: Rule, bind: Bind): string {
  const alternatives = [holds(path, value, bind)];
  if (BOOLEANS.includes(value)) alternatives.push(holds(path, value === 'true', bind));
  if (decimalKey(value) !== undefined) {
    const number = exactJsonNumber(value);
    if (number !== undefined) alternatives.push(holds(path, number, bind));
    const at = attribute(path, bind);
    // "05" and "5.0" are the number 5 as well; there is no end of spellings.
    alternatives.push(`${at.is('string')} and ${at.text} ~ ${NUMBER_LIKE}`);
  }
  return `(${alternatives.join(' or ')})`;
}

/** The attribute is exactly this value: as containment where no name could also be the number of an array's element. */
function holds(path: Rule['path'], value: string | number | boolean, bind: Bind): string {
  if (path.some(isIntegerLike)) return `${attribute(path, bind).json} = ${bind(JSON.stringify(value))}::jsonb`;
  const nested = path.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value);
  return `profile @> ${bind(JSON.stringify(nested))}::jsonb`;
}

function ordered({ path, values: [value] }: Rule, bind: Bind, comparison: string): string {
  const at = attribute(path, bind);
  if (decimalKey(value) === undefined) return `(${at.is('string', 'boolean')})`;
  const number = exactJsonNumber(value);
  const bound = number === undefined ? '' : ` and ${at.json} ${comparison} ${bind(JSON.stringify(number))}::jsonb`;
  return `(${at.is('number')}${bound} or ${at.is('string')} and ${at.text} ~ ${NUMBER_LIKE})`;
}

/** Units of all values of a condition together for which PostgreSQL looks through texts, and the characters of such a text. */
export const SEARCHED_VALUES_LENGTH_MAX = 256;
export const SEARCHED_TEXT_LENGTH_MAX = 1_000;
/** Values of a condition that PostgreSQL looks for in an array, one after the other. */
export const LOOKED_UP_VALUES_MAX = 32;

/** Where looking would take PostgreSQL long (its searches and look-ups multiply the lengths), everybody who has anything there is selected. */
function includes({ path, values }: Rule, bind: Bind): string {
  const at = attribute(path, bind);
  const hasNumber = values.some((value) => decimalKey(value) !== undefined);
  const hasBoolean = values.some((value) => BOOLEANS.includes(value));
  const isSearched = values.reduce((sum, value) => sum + value.length, 0) <= SEARCHED_VALUES_LENGTH_MAX;
  // Elements that are numbers or booleans are not looked for by their text.
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

/** `offset 0`: the text is taken out of the profile once, and not for each value. */
function searched(text: string, values: string): string {
  return `(select char_length(looked.text) > ${SEARCHED_TEXT_LENGTH_MAX} or exists (
             select from unnest(${values}) as included (value) where strpos(looked.text, included.value) > 0)
             from (select ${text} as text offset 0) as looked)`;
}

function exists({ path, values: [value] }: Rule): Draft | null {
  if (value === 'true') return (bind) => `(${attribute(path, bind).json} <> 'null'::jsonb)`;
  // PostgreSQL finds elements by -1 and 01, where we say that there is nothing.
  if (path.some(isOddIndex)) return null;
  return (bind) => `(coalesce(${attribute(path, bind).json}, 'null'::jsonb) = 'null'::jsonb)`;
}

/** PostgreSQL writes some numbers differently from JavaScript, so their text is not looked at. */
function bounded({ path, values: [value] }: Rule, bind: Bind, texts: (text: string, value: string) => string): string {
  const at = attribute(path, bind);
  return `(${at.is('number', 'boolean')} or ${at.is('string')} and ${texts(at.text, `${bind(value)}::text`)})`;
}

function dated({ path }: Rule, bind: Bind): string {
  const at = attribute(path, bind);
  return `(${at.is('string')} and ${at.text} ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}')`;
}

/** What stands at a path, in SQL. */
function attribute(path: readonly string[], bind: Bind) {
  const place = `${bind(path)}::text[]`;
  const json = `profile #> ${place}`;
  return {
    json: `(${json})`,
    text: `(profile #>> ${place})`,
    is: (...kinds: string[]): string => `jsonb_typeof(${json}) in (${kinds.map((kind) => `'${kind}'`).join(', ')})`,
  };
}

/** PostgreSQL reads such a name as the number of an element, where it meets an array. */
function isIntegerLike(name: string): boolean {
  return /^\s*[-+]?\d+$/.test(name);
}

function isOddIndex(name: string): boolean {
  return isIntegerLike(name) && !ARRAY_INDEX.test(name);
}
