import fc from 'fast-check';
import { evaluateFilter } from './evaluate-filter';
import { filters, otherSpellings, people } from './filter.fixture';
import { type FilterInput, parseFilter } from './parse-filter';

const title = { operator: 'EQ', path: 'title', value: 'Ada' };
const TITLE = { operator: 'EQ', path: ['title'], values: ['Ada'] };
const age = { operator: 'GT', path: 'age', value: '18' };
const AGE = { operator: 'GT', path: ['age'], values: ['18'] };

describe('a filter is parsed', () => {
  it.each<[string, FilterInput, unknown, unknown]>([
    ['as one condition', { filter: title }, TITLE, { filter: title }],
    [
      'as a group with filters',
      { filter: { operator: 'OR', filters: [title, age] } },
      { operator: 'OR', filters: [TITLE, AGE] },
      { filter: { operator: 'OR', filters: [title, age] }, operator: 'OR' },
    ],
    [
      'as a group with rules',
      { filter: { operator: 'AND', rules: [title, age] } },
      { operator: 'AND', filters: [TITLE, AGE] },
      { filter: { operator: 'AND', rules: [title, age] }, operator: 'AND' },
    ],
    [
      'as a group whose operator stands beside it',
      { filter: { filters: [title, age] }, operator: 'OR' },
      { operator: 'OR', filters: [TITLE, AGE] },
      { filter: { filters: [title, age] }, operator: 'OR' },
    ],
    [
      'with its operator in both positions',
      { filter: { operator: 'OR', filters: [title, age] }, operator: 'OR' },
      { operator: 'OR', filters: [TITLE, AGE] },
      { filter: { operator: 'OR', filters: [title, age] }, operator: 'OR' },
    ],
    ['as a group of one without operator', { filter: { filters: [title] } }, TITLE, { filter: { filters: [title] } }],
    ['with an operator beside one condition', { filter: title, operator: 'OR' }, TITLE, { filter: title, operator: 'OR' }],
    [
      'with the empty filters of newer clients in a condition',
      { filter: { ...title, filters: [] } },
      TITLE,
      { filter: { ...title, filters: [] } },
    ],
    [
      'with null for absent fields',
      { filter: { operator: null, rules: null, filters: [title] }, operator: null },
      TITLE,
      { filter: { operator: null, rules: null, filters: [title] } },
    ],
    ['with unknown fields', { filter: { ...title, note: { by: 'me' } } }, TITLE, { filter: { ...title, note: { by: 'me' } } }],
    [
      'with a value that is a number',
      { filter: { ...title, value: 0.5 } },
      { ...TITLE, values: ['0.5'] },
      { filter: { ...title, value: 0.5 } },
    ],
    [
      'with a value that is a boolean',
      { filter: { ...title, value: false } },
      { ...TITLE, values: ['false'] },
      { filter: { ...title, value: false } },
    ],
    [
      'with several values',
      { filter: { operator: 'INCLUDES', path: 'profile.tags', value: ['a', 1, true] } },
      { operator: 'INCLUDES', path: ['tags'], values: ['a', '1', 'true'] },
      { filter: { operator: 'INCLUDES', path: 'profile.tags', value: ['a', 1, true] } },
    ],
    [
      'without a value that EXISTS needs',
      { filter: { operator: 'EXISTS', path: 'a' } },
      { operator: 'EXISTS', path: ['a'], values: ['true'] },
      { filter: { operator: 'EXISTS', path: 'a' } },
    ],
    ['where it is absent', {}, null, { filter: null }],
    ['where it is null', { filter: null, operator: 'AND' }, null, { filter: null, operator: 'AND' }],
  ])('%s', (_, input, filter, echo) => {
    expect(parseFilter(input)).toEqual({ rule: filter, operator: null, ...(echo as object) });
  });

  it('in nested groups of both names', () => {
    const filter = { operator: 'AND', filters: [title, { operator: 'OR', rules: [age, { operator: 'AND', filters: [title, age] }] }] };

    expect(parseFilter({ filter }).rule).toEqual({
      operator: 'AND',
      filters: [TITLE, { operator: 'OR', filters: [AGE, { operator: 'AND', filters: [TITLE, AGE] }] }],
    });
  });

  it('alike from what is stored of it', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        for (const input of [{ filter }, ...otherSpellings(filter)]) {
          const { rule, ...stored } = parseFilter(input);
          expect(stored.filter).toBe(input.filter);
          const restored = JSON.parse(JSON.stringify(stored)) as FilterInput;
          expect(parseFilter(restored)).toEqual({ ...restored, rule });
        }
      }),
      { numRuns: 200 },
    );
  });

  it('with the same outcome for everyone in every spelling', () => {
    let matching = 0;
    fc.assert(
      fc.property(filters, fc.array(people, { maxLength: 10 }), (filter, of) => {
        const spellings = [{ filter }, ...otherSpellings(filter)].map((input) => parseFilter(input).rule);
        for (const person of of) {
          const [outcome, ...others] = spellings.map((spelled) => evaluateFilter(spelled, person));
          for (const other of others) expect(other).toEqual(outcome);
          if (outcome!.matches) matching += 1;
        }
      }),
      { numRuns: 200 },
    );
    expect(matching).toBeGreaterThan(0);
  });
});
