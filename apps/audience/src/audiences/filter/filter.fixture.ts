import { AUDIENCE_LOGIC, AUDIENCE_OPERATORS, type AudienceFilter, type AudienceOperator } from '@tidings/contracts/audience/audiences';
import fc from 'fast-check';
import type { Person } from './evaluate-filter';
import type { FilterInput } from './parse-filter';

/** Few names and values, hostile ones among them, so that drawn conditions often match drawn people. */
const NAMES = ['title', 'title', 'title', 'title', 'age', 'age', 'age', '0', '0', '-1', '01', '__proto__', 'toString', 'a b'] as const;
const TEXTS = ['', 'a', 'ab', 'Ab', 'b', "O'Neil", '\\', '%', '_', 'é', 'e\u0301', '😀', '😀b', 'NaN', 'Infinity', 'true', 'false', 'null'];
const NUMERALS = [
  '5',
  '05',
  '5.0',
  '+5',
  '5e0',
  '.5e1',
  '-5',
  '0',
  '-0',
  '1e3',
  '1000',
  '1e400',
  '0.1',
  '0.10',
  '12345678901234567890',
  '5 ',
];
const DATES = ['2024-02-29', '2023-02-29', '2024-02-29T00:00:00Z', '2024-02-29T01:00+01:00', '2024-03-01 00:00', '1969-07-20', '2024'];
const NUMBERS = [5, 0, -5, 1000, 0.1, 1e-7, 9007199254740991, 0.30000000000000004];
const TENANTS = ['acme', 'globex', '{a,b}', 'a"b'];

const name = fc.constantFrom(...NAMES);
const text = fc.oneof(fc.constantFrom(...TEXTS), fc.constantFrom(...NUMERALS), fc.constantFrom(...DATES));
const scalar = fc.oneof({ weight: 3, arbitrary: text }, fc.constantFrom(...NUMBERS), fc.boolean());

const attribute = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { weight: 4, arbitrary: scalar },
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

/** People with any values that a stored profile can have. */
export const people: fc.Arbitrary<Person> = fc.record({
  // Parsed from JSON, as stored profiles are: `__proto__` is a member like others, and there is no -0.
  profile: fc
    .dictionary(name, attribute, { maxKeys: 6, noNullPrototype: true })
    .map((profile) => JSON.parse(JSON.stringify(profile)) as Person['profile']),
  tenantIds: fc.uniqueArray(fc.constantFrom(...TENANTS), { maxLength: 3 }),
});

const path = fc
  .tuple(fc.boolean(), fc.array(name, { minLength: 1, maxLength: 3 }))
  .map(([prefixed, names]) => `${prefixed ? 'profile.' : ''}${names.join('.')}`);

function valueOf(operator: AudienceOperator): fc.Arbitrary<unknown> {
  switch (operator) {
    case 'EXISTS':
      return fc.constantFrom('true', 'false', true, false);
    case 'IS_BEFORE':
    case 'IS_AFTER':
      return fc.constantFrom(...DATES.filter((date) => date !== '2023-02-29' && date !== '2024'));
    case 'INCLUDES':
    case 'OMIT':
      return fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 3 }));
    case 'MEMBER_OF':
      return fc.constantFrom(...TENANTS);
    default:
      return scalar;
  }
}

/** One condition, as a client writes it. */
export function rulesWith(operator: AudienceOperator): fc.Arbitrary<AudienceFilter> {
  const member = operator === 'MEMBER_OF';
  return fc.record({ operator: fc.constant(operator), path: member ? fc.constant('account_id') : path, value: valueOf(operator) });
}

/** One condition and people; half of them have a value at its path, often the condition's own, so that some match. */
export function rulesAndPeople(operator: AudienceOperator, maxPeople: number): fc.Arbitrary<[AudienceFilter, Person[]]> {
  return rulesWith(operator).chain((filter) => {
    const matching = fc.tuple(people, fc.oneof(scalar, valueOf(operator), fc.constant(filter.value))).map(([person, value]) => ({
      ...person,
      profile: { ...person.profile, ...profileWith(filter.path as string, value) },
    }));
    return fc.tuple(fc.constant(filter), fc.array(fc.oneof(people, matching), { maxLength: maxPeople, size: 'max' }));
  });
}

/** A profile with the value at the path only, parsed from JSON. */
function profileWith(path: string, value: unknown): Person['profile'] {
  const names = path.replace(/^profile\./, '').split('.');
  return JSON.parse(names.reduceRight((inner, name) => `{${JSON.stringify(name)}:${inner}}`, JSON.stringify(value))) as Person['profile'];
}

const rule = fc.constantFrom(...AUDIENCE_OPERATORS).chain(rulesWith);

const node = fc.letrec<{ node: AudienceFilter }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 2, arbitrary: rule },
    fc.record({ operator: fc.constantFrom(...AUDIENCE_LOGIC), filters: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
  ),
})).node;

/** Filters that use `filters`, with every operator in its group. */
export const filters: fc.Arbitrary<AudienceFilter> = node;

/** The filter in its other spellings: with `rules`, and with the outermost operator beside it. */
export function otherSpellings(filter: AudienceFilter): FilterInput[] {
  const { operator, ...rest } = filter;
  return [{ filter: withRules(filter) }, 'filters' in filter ? { filter: rest, operator } : { filter: { filters: [filter] } }];
}

function withRules({ filters: members, ...rest }: AudienceFilter): AudienceFilter {
  return members === undefined ? rest : { ...rest, rules: (members as AudienceFilter[]).map(withRules) };
}
