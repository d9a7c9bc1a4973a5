import { filterOf, isComplete, NEW_CONDITION, treeOf, valueOf, withOperator } from './filter-tree';

const BOSS = { operator: 'EQ', path: 'title', value: 'boss' };
const OLD = { operator: 'GTE', path: 'age', value: 60 };

it.each<[string, object | null, (object | null)?]>([
  ['no filter', null, null],
  ['a condition', BOSS, BOSS],
  ['a group', { operator: 'OR', filters: [BOSS, OLD] }, { operator: 'OR', filters: [BOSS, OLD] }],
  ['a group of older clients', { operator: 'OR', rules: [BOSS, OLD] }, { operator: 'OR', filters: [BOSS, OLD] }],
  ['a condition with an empty group', { ...BOSS, filters: [] }, BOSS],
  ['groups in groups, and further fields', { operator: 'AND', filters: [BOSS, { operator: 'OR', filters: [OLD], note: 1 }] }],
])('gives back %s', (_case, filter, expected = filter) => expect(filterOf(treeOf(filter))).toEqual(expected));

it('has the operator that stands beside a filter', () => {
  expect(filterOf(treeOf({ filters: [BOSS, OLD] }, 'OR'))).toEqual({ operator: 'OR', filters: [BOSS, OLD] });
});

it('leaves out empty groups', () => {
  const empty = { operator: 'AND', filters: [{ operator: 'OR', filters: [] }] };
  expect(filterOf(treeOf(empty))).toBeNull();
  expect(filterOf(treeOf({ operator: 'AND', filters: [empty, BOSS] }))).toEqual(BOSS);
});

it.each([
  [BOSS, true],
  [NEW_CONDITION, false],
  [{ ...BOSS, value: 0 }, true],
  [{ ...BOSS, path: '' }, false],
  [{ ...BOSS, path: 'address.' }, false],
  [{ operator: 'IS_BEFORE', path: 'born', value: '2026-03' }, false],
  [{ operator: 'IS_BEFORE', path: 'born', value: '2026-03-01' }, true],
  [{ operator: 'EXISTS', path: 'age', value: undefined }, true],
  [{ operator: 'AND', filters: [BOSS, { ...BOSS, value: '' }] }, false],
])('knows whether %j is complete: %s', (node, complete) => expect(isComplete(node)).toBe(complete));

it('replaces what another operator cannot have', () => {
  const several = { operator: 'INCLUDES', path: 'roles', value: ['a', 'b'] };
  expect(withOperator(several, 'OMIT')).toEqual({ ...several, operator: 'OMIT' });
  expect(withOperator(several, 'EQ')).toEqual({ operator: 'EQ', path: 'roles', value: 'a' });
  expect(withOperator(BOSS, 'MEMBER_OF')).toEqual({ operator: 'MEMBER_OF', path: 'account_id', value: 'boss' });
  expect(withOperator(withOperator(BOSS, 'MEMBER_OF'), 'EQ')).toMatchObject({ path: '' });
  expect(withOperator(BOSS, 'EXISTS')).toMatchObject({ value: 'true' });
});

it('reads several values from lines', () => {
  expect([valueOf('a'), valueOf('a, b\nc')]).toEqual(['a', ['a, b', 'c']]);
});
