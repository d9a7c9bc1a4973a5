import { AUDIENCE_FILTER_BYTES_MAX } from '@tidings/contracts/audience/audiences';
import { ServiceError } from '@tidings/contracts/core/errors';
import { NESTING_DEPTH_MAX } from '@tidings/contracts/core/text';
import fc from 'fast-check';
import { FILTER_DEPTH_MAX, FILTER_RULES_MAX, FILTER_VALUES_MAX, type FilterInput, parseFilter } from './parse-filter';
import { RULE_PART_LENGTH_MAX, RULE_PATH_LENGTH_MAX, RULE_VALUE_LENGTH_MAX } from './parse-filter';

const title = { operator: 'EQ', path: 'title', value: 'Ada' };
const age = { operator: 'GT', path: 'age', value: '18' };

/** The message of the refusal; fails when the filter is accepted. */
function refusal(input: FilterInput): string {
  try {
    parseFilter(input);
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 'invalid_request' });
    return (error as Error).message;
  }
  throw new Error('The filter was accepted');
}

describe('a filter is refused', () => {
  const OPERATORS = 'AND, ENDS_WITH, EQ, EXISTS, GT, GTE, INCLUDES, IS_AFTER, IS_BEFORE, LT, LTE, MEMBER_OF, NEQ, OMIT, OR, STARTS_WITH';
  const allowed = (path: string, got: string) => `${path}.operator should be equal to one of the allowed values ${OPERATORS} (got ${got})`;
  const wrongDeepDown = { operator: 'AND', filters: [title, { operator: 'OR', rules: [{ ...title, operator: 'eq' }] }] };

  it.each<[string, FilterInput]>([
    [allowed('filter', '"LIKE"'), { filter: { ...title, operator: 'LIKE' } }],
    [allowed('filter', '"and"'), { filter: { operator: 'and', filters: [title] } }],
    [allowed('filter', '5'), { filter: { ...title, operator: 5 } }],
    [allowed('filter', 'an array'), { filter: { ...title, operator: ['EQ'] } }],
    [allowed('filter', '"toString"'), { filter: { ...title, operator: 'toString' } }],
    [allowed('filter.filters[1].rules[0]', '"eq"'), { filter: wrongDeepDown }],
    ['operator should be equal to one of the allowed values AND, OR (got "EQ")', { filter: title, operator: 'EQ' }],
    ['filter should be an object (got an array)', { filter: [title] }],
    ['filter should be an object (got "title")', { filter: 'title' }],
    ['filter should have required property operator', { filter: {} }],
    ['filter should have required property operator', { filter: { path: 'title', value: 'Ada' }, operator: 'AND' }],
    ['filter should have required property filters, since its operator is AND', { filter: { operator: 'AND' } }],
    ['filter.filters should hold at least one filter', { filter: { operator: 'AND', filters: [] } }],
    ['filter.rules should be an array (got an object)', { filter: { operator: 'AND', rules: { 0: title } } }],
    ['filter.filters[0] should be an object (got null)', { filter: { operator: 'AND', filters: [null] } }],
    [
      'filter should have filters or rules, which mean the same, and not both',
      { filter: { operator: 'AND', filters: [title], rules: [age] } },
    ],
    [
      'filter.operator should be equal to one of the allowed values AND, OR, since the group holds 2 filters',
      { filter: { filters: [title, age] } },
    ],
    [
      'filter.filters[0].operator should be equal to one of the allowed values AND, OR, since the group holds 2 filters',
      { filter: { filters: [{ filters: [title, age] }] }, operator: 'AND' },
    ],
    [
      'operator should be equal to filter.operator, which means the same (got OR and AND)',
      { filter: { operator: 'AND', filters: [title] }, operator: 'OR' },
    ],
    ['filter.filters should stand in a group, beside an operator AND or OR (got EQ)', { filter: { ...title, filters: [age] } }],
    ['filter.path should be a text: the path of a profile attribute (got nothing)', { filter: { operator: 'EQ', value: 'Ada' } }],
    ['filter.path should be names with a dot between two (got "")', { filter: { ...title, path: '' } }],
    ['filter.path should be names with a dot between two (got "a..b")', { filter: { ...title, path: 'a..b' } }],
    ['filter.path should be names with a dot between two (got "profile.")', { filter: { ...title, path: 'profile.' } }],
    [
      `filter.path should have at most ${RULE_PATH_LENGTH_MAX} characters (got ${RULE_PATH_LENGTH_MAX + 1})`,
      { filter: { ...title, path: 'a'.repeat(RULE_PATH_LENGTH_MAX + 1) } },
    ],
    [
      `filter.path should have at most ${NESTING_DEPTH_MAX} names (got ${NESTING_DEPTH_MAX + 1})`,
      { filter: { ...title, path: Array.from({ length: NESTING_DEPTH_MAX + 1 }, () => 'a').join('.') } },
    ],
    [
      'filter.path should be equal to one of the allowed values account_id (got "title")',
      { filter: { operator: 'MEMBER_OF', path: 'title', value: 'acme' } },
    ],
    ['filter.value should be the id of a tenant (got "")', { filter: { operator: 'MEMBER_OF', path: 'account_id', value: '' } }],
    ['filter.value should be a text, a number or a boolean (got nothing)', { filter: { operator: 'EQ', path: 'title' } }],
    ['filter.value should be a text, a number or a boolean (got null)', { filter: { ...title, value: null } }],
    ['filter.value should be a text, a number or a boolean (got an object)', { filter: { ...title, value: {} } }],
    ['filter.value should be one value, since EQ takes no array', { filter: { ...title, value: ['Ada'] } }],
    [
      'filter.value should be a text, a number or a boolean, or an array of these (got null)',
      { filter: { ...title, operator: 'OMIT', value: null } },
    ],
    ['filter.value should hold at least one value', { filter: { ...title, operator: 'INCLUDES', value: [] } }],
    [
      'filter.value[1] should be a text, a number or a boolean (got an array)',
      { filter: { ...title, operator: 'INCLUDES', value: ['a', ['b']] } },
    ],
    [
      `filter.value should have at most ${RULE_VALUE_LENGTH_MAX} characters (got ${RULE_VALUE_LENGTH_MAX + 1})`,
      { filter: { ...title, value: 'a'.repeat(RULE_VALUE_LENGTH_MAX + 1) } },
    ],
    [
      `filter.value[1] should have at most ${RULE_PART_LENGTH_MAX} characters (got ${RULE_PART_LENGTH_MAX + 1})`,
      { filter: { ...title, operator: 'OMIT', value: ['a', 'a'.repeat(RULE_PART_LENGTH_MAX + 1)] } },
    ],
    [
      'filter.value should be equal to one of the allowed values true, false (got "yes")',
      { filter: { operator: 'EXISTS', path: 'title', value: 'yes' } },
    ],
    [
      'filter.value should be an ISO 8601 date or date with time, since IS_BEFORE compares dates (got "tomorrow")',
      { filter: { operator: 'IS_BEFORE', path: 'since', value: 'tomorrow' } },
    ],
    ['filter.value must not contain the character NUL (U+0000)', { filter: { ...title, value: 'a\0' } }],
    ['filter.path must not contain half of a surrogate pair', { filter: { ...title, path: '\ud800' } }],
    ['filter.note must be a number between ±(2^53 − 1) (got about 1.000e+300)', { filter: { ...title, note: 1e300 } }],
    ['filter must not have a key named __proto__', { filter: JSON.parse('{"operator": "EQ", "path": "a", "value": 1, "__proto__": {}}') }],
  ])('%s', (message, input) => {
    expect(refusal(input)).toBe(message);
  });

  const nested = (groups: number): Record<string, unknown> => (groups === 0 ? title : { operator: 'AND', filters: [nested(groups - 1)] });
  const many = (rules: number, value: unknown) => ({
    operator: 'AND',
    filters: [{ operator: 'OR', filters: Array.from({ length: rules }, () => ({ operator: 'INCLUDES', path: 'a', value })) }, age],
  });

  it('when its groups are nested too deep', () => {
    expect(parseFilter({ filter: nested(FILTER_DEPTH_MAX) }).rule).toEqual(parseFilter({ filter: title }).rule);
    expect(refusal({ filter: nested(FILTER_DEPTH_MAX + 1) })).toBe(
      `filter${'.filters[0]'.repeat(FILTER_DEPTH_MAX)} is nested too deep: at most ${FILTER_DEPTH_MAX} groups stand in each other`,
    );
    expect(refusal({ filter: nested(1_000) })).toMatch(/nested (too deep|deeper)/);
  });

  it('when it has too many conditions', () => {
    expect(() => parseFilter({ filter: many(FILTER_RULES_MAX - 1, 'x') })).not.toThrow();
    expect(refusal({ filter: many(FILTER_RULES_MAX, 'x') })).toBe(
      `filter.filters[1] is one too many: a filter has at most ${FILTER_RULES_MAX} conditions`,
    );
  });

  it('when it has too many values', () => {
    const values = (count: number) => Array.from({ length: count }, (_, value) => value);

    expect(() => parseFilter({ filter: many(3, values(333)) })).not.toThrow();
    expect(refusal({ filter: { ...title, operator: 'INCLUDES', value: values(FILTER_VALUES_MAX + 1) } })).toBe(
      `filter.value is one too many: the conditions of a filter have at most ${FILTER_VALUES_MAX} values`,
    );
    expect(refusal({ filter: many(3, values(334)) })).toContain('filter.filters[0].filters[2].value');
  });

  it('when it is too large', () => {
    expect(refusal({ filter: { ...title, note: 'x'.repeat(AUDIENCE_FILTER_BYTES_MAX) } })).toMatch(
      new RegExp(`^filter would take \\d+ bytes, at most ${AUDIENCE_FILTER_BYTES_MAX} are stored$`),
    );
  });

  it('with a short message, whatever was sent', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.jsonValue({ maxDepth: 2 }), (filter, operator) => {
        try {
          parseFilter({ filter, operator });
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_request' });
          expect((error as Error).message.length).toBeLessThan(1_000);
        }
      }),
      { numRuns: 500 },
    );
    expect(refusal({ filter: { ...title, operator: 'x'.repeat(60_000) } }).length).toBeLessThan(1_000);
  });
});
