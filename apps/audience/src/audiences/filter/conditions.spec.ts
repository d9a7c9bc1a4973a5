import type { AudienceOperator } from '@tidings/contracts/audience/audiences';
import fc from 'fast-check';
import { evaluateFilter, type Person } from './evaluate-filter';
import { people, rulesWith } from './filter.fixture';
import { parseFilter } from './parse-filter';

const parsed = (filter: unknown) => parseFilter({ filter }).rule;
const evaluate = (filter: unknown, profile: unknown, tenantIds: readonly string[] = []) =>
  evaluateFilter(parsed(filter), { profile: profile as Person['profile'], tenantIds });

/** Every kind of value of a profile; `absent`: no member of the name. */
const KINDS = {
  absent: undefined,
  null: null,
  empty: '',
  word: 'Ada',
  five: 5,
  'text 05': '05',
  ten: 10,
  true: true,
  'text true': 'true',
  date: '2024-03-01',
  array: ['Ada', 5, true],
  object: { Ada: 'Ada' },
} as const;
type Kind = keyof typeof KINDS;
const EVERY_KIND = Object.keys(KINDS) as Kind[];
const allBut = (...kinds: Kind[]): Kind[] => EVERY_KIND.filter((kind) => !kinds.includes(kind));

describe('one condition', () => {
  it.each<[Exclude<AudienceOperator, 'MEMBER_OF'>, unknown, Kind[]]>([
    ['EQ', 'Ada', ['word']],
    ['EQ', '', ['empty']],
    ['EQ', '5', ['five', 'text 05']],
    ['EQ', 5, ['five', 'text 05']],
    ['EQ', 'true', ['true', 'text true']],
    ['EQ', true, ['true', 'text true']],
    ['EQ', 'null', []],
    ['NEQ', 'Ada', allBut('word')],
    ['NEQ', '5.0', allBut('five', 'text 05')],
    ['GT', '5', ['ten']],
    ['GTE', '5', ['five', 'text 05', 'ten']],
    ['LT', '5', []],
    ['LT', 10, ['five', 'text 05']],
    ['LTE', '10', ['five', 'text 05', 'ten']],
    ['GT', 'Ada', ['true', 'text true']],
    ['GTE', 'Ada', ['word', 'true', 'text true']],
    ['LT', 'Ada', ['empty', 'date']],
    ['LTE', 'Ada', ['empty', 'word', 'date']],
    ['GT', '2024-02-01', ['word', 'true', 'text true', 'date']],
    ['INCLUDES', 'Ada', ['word', 'array']],
    ['INCLUDES', 'd', ['word']],
    ['INCLUDES', ['x', '5'], ['five', 'text 05', 'array']],
    ['INCLUDES', '05', ['five', 'text 05', 'array']],
    ['INCLUDES', true, ['true', 'text true', 'array']],
    ['INCLUDES', '', ['empty', 'word', 'text 05', 'text true', 'date']],
    ['OMIT', 'Ada', allBut('word', 'array')],
    ['OMIT', ['x', 'Ada'], allBut('word', 'array')],
    ['EXISTS', 'true', allBut('absent', 'null')],
    ['EXISTS', undefined, allBut('absent', 'null')],
    ['EXISTS', 'false', ['absent', 'null']],
    ['EXISTS', false, ['absent', 'null']],
    ['STARTS_WITH', 'A', ['word']],
    ['STARTS_WITH', '0', ['text 05']],
    ['STARTS_WITH', 1, ['ten']],
    ['STARTS_WITH', 't', ['true', 'text true']],
    ['ENDS_WITH', 'a', ['word']],
    ['ENDS_WITH', '5', ['five', 'text 05']],
    ['IS_BEFORE', '2024-03-01T00:00:01Z', ['date']],
    ['IS_BEFORE', '2024-03-01', []],
    ['IS_AFTER', '2024-02-29', ['date']],
    ['IS_AFTER', '2024-03-01T01:00+02:00', ['date']],
    ['IS_AFTER', '2024-03-01', []],
  ])('%s %j matches by the kind of value', (operator, value, expected) => {
    const matching = EVERY_KIND.filter(
      (kind) => evaluate({ operator, path: 'attribute', value }, kind === 'absent' ? {} : { attribute: KINDS[kind] }).matches,
    );

    expect(matching).toEqual(EVERY_KIND.filter((kind) => expected.includes(kind)));
  });

  it.each<[AudienceOperator, AudienceOperator]>([
    ['EQ', 'NEQ'],
    ['INCLUDES', 'OMIT'],
  ])('%s is the opposite of %s, whatever the profile', (operator, opposite) => {
    fc.assert(
      fc.property(rulesWith(operator), people, (rule, person) => {
        const one = evaluateFilter(parsed(rule), person).matches;
        expect(evaluateFilter(parsed({ ...rule, operator: opposite }), person).matches).toBe(!one);
      }),
      { numRuns: 300 },
    );
  });

  it('compares long numbers to the last digit', () => {
    const filter = { operator: 'EQ', path: 'id', value: '12345678901234567890' };

    expect(evaluate(filter, { id: '12345678901234567890' }).matches).toBe(true);
    expect(evaluate(filter, { id: '12345678901234567891' }).matches).toBe(false);
  });

  it('finds no order between a number and a word', () => {
    for (const operator of ['GT', 'GTE', 'LT', 'LTE']) {
      expect(evaluate({ operator, path: 'age', value: '18' }, { age: 'unknown' }).matches).toBe(false);
      expect(evaluate({ operator, path: 'age', value: 'old' }, { age: 18 }).matches).toBe(false);
    }
  });

  it('compares tenants with MEMBER_OF, not an attribute', () => {
    const filter = { operator: 'MEMBER_OF', path: 'account_id', value: 'acme' };

    expect(evaluate(filter, {}, ['globex', 'acme']).matches).toBe(true);
    expect(evaluate(filter, { account_id: 'acme' }, ['globex']).matches).toBe(false);
  });
});
