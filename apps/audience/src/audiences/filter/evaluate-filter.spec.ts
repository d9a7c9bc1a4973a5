import { AUDIENCE_OPERATORS } from '@tidings/contracts/audience/audiences';
import { NESTING_DEPTH_MAX } from '@tidings/contracts/core/text';
import fc from 'fast-check';
import { evaluateFilter, type Person } from './evaluate-filter';
import { attributesOf, sameFilter } from './filter';
import { people, rulesWith } from './filter.fixture';
import { FILTER_RULES_MAX, parseFilter } from './parse-filter';
import { PreparedPerson, STEPS_OF_AN_ELEMENT } from './prepared-person';
import { REASON_LENGTH_MAX } from './reason';
import { EVALUATION_STEPS_MAX, LINEAR_SEARCH_LENGTH_MAX } from './evaluation-budget';

const parsed = (filter: unknown) => parseFilter({ filter }).rule;
const evaluate = (filter: unknown, profile: unknown, tenantIds: readonly string[] = []) =>
  evaluateFilter(parsed(filter), { profile: profile as Person['profile'], tenantIds });

describe('a path', () => {
  const has = (path: string, profile: unknown) => evaluate({ operator: 'EQ', path, value: 'x' }, profile).matches;

  it('leads through objects, and into arrays by index', () => {
    expect(has('a.b.c', { a: { b: { c: 'x' } } })).toBe(true);
    expect(has('a.1.b', { a: [{}, { b: 'x' }] })).toBe(true);
    expect(has('a.1', { a: { 1: 'x' } })).toBe(true);
  });

  it('ignores the prefix profile.', () => {
    expect(has('profile.a', { a: 'x' })).toBe(true);
    expect(has('profile.a', { profile: { a: 'x' } })).toBe(false);
    expect(has('profile.profile.a', { profile: { a: 'x' } })).toBe(true);
    expect(has('profile', { profile: 'x' })).toBe(true);
  });

  it('finds nothing behind a value that has no members', () => {
    for (const a of ['x', 5, null, ['x'], { c: 'x' }]) expect(has('a.b', { a })).toBe(false);
    for (const index of ['-1', '01', 'length', '1', '0.0']) expect(has(`a.${index}`, { a: ['x'] })).toBe(false);
  });

  it('finds own members of the profile only, no inherited ones', () => {
    for (const path of ['toString', 'constructor.name', '__proto__', '__proto__.constructor', 'a.length', 'a.0']) {
      expect(evaluate({ operator: 'EXISTS', path, value: 'true' }, { a: 'x' }).matches).toBe(false);
    }
    expect(has('__proto__', JSON.parse('{"__proto__": "x"}'))).toBe(true);
  });
});

describe('a group', () => {
  const rule = (value: string) => ({ operator: 'EQ', path: 'title', value });
  const profile = { title: 'Ada' };

  it.each([
    ['AND', ['Ada', 'Ada'], true, "EQ('title', 'Ada') => true, EQ('title', 'Ada') => true"],
    ['AND', ['Bob', 'Ada'], false, "EQ('title', 'Bob') => false"],
    ['OR', ['Bob', 'Ada', 'Eve'], true, "EQ('title', 'Bob') => false, EQ('title', 'Ada') => true"],
    ['OR', ['Bob', 'Eve'], false, "EQ('title', 'Bob') => false, EQ('title', 'Eve') => false"],
  ])('%s of %j is %s, with the evaluated conditions as reason', (operator, values, matches, reason) => {
    expect(evaluate({ operator, filters: values.map(rule) }, profile)).toEqual({ matches, reason });
  });

  it('counts as one condition of its outer group', () => {
    const inner = { operator: 'OR', filters: [rule('Bob'), rule('Ada')] };

    expect(evaluate({ operator: 'AND', filters: [inner, { operator: 'EXISTS', path: 'age' }] }, profile)).toEqual({
      matches: false,
      reason: "EQ('title', 'Bob') => false, EQ('title', 'Ada') => true, EXISTS('age', 'true') => false",
    });
  });
});

describe('a reason', () => {
  it('has the form of the interface', () => {
    expect(evaluate({ operator: 'EQ', path: 'profile.title', value: 'Software Engineer' }, { title: 'Software Engineer' }).reason).toBe(
      "EQ('title', 'Software Engineer') => true",
    );
  });

  it('separates values unambiguously, also with quotes in them', () => {
    expect(evaluate({ operator: 'INCLUDES', path: 'tags', value: ["O'Neil", 'a, b', 5] }, {}).reason).toBe(
      "INCLUDES('tags', ['O\\'Neil', 'a, b', '5']) => false",
    );
  });

  it('stays short and whole, however long the filter is', () => {
    const quotes = "'".repeat(LINEAR_SEARCH_LENGTH_MAX);
    const rule = { operator: 'INCLUDES', path: quotes, value: Array.from({ length: 9 }, () => quotes) };
    const one = evaluate(rule, {}).reason;
    const many = evaluate(
      { operator: 'OR', filters: Array.from({ length: FILTER_RULES_MAX }, () => ({ ...rule, value: 'a' })) },
      {},
    ).reason;

    expect(one.length).toBeLessThanOrEqual(REASON_LENGTH_MAX);
    expect(one).toMatch(/ => false$/);
    expect(many.length).toBeLessThanOrEqual(REASON_LENGTH_MAX);
    expect(many).toMatch(/ => false, …$/);
  });

  it('does not cut a surrogate pair', () => {
    const { reason } = evaluate({ operator: 'EQ', path: 'title', value: `x${'😀'.repeat(100)}` }, {});

    expect(reason).toContain('😀…');
    expect(reason.isWellFormed()).toBe(true);
  });
});

it('matches no one without a filter', () => {
  expect(evaluate(null, { title: 'Ada' }, ['acme'])).toEqual({ matches: false, reason: '' });
});

it('evaluates the same person alike again and changes nothing', () => {
  fc.assert(
    fc.property(fc.constantFrom(...AUDIENCE_OPERATORS).chain(rulesWith), people, (rule, person) => {
      const before = JSON.stringify(person);
      const filter = parsed(rule);
      const first = evaluateFilter(filter, person);

      expect(evaluateFilter(filter, structuredClone(person))).toEqual(first);
      expect(JSON.stringify(person)).toBe(before);
    }),
    { numRuns: 300 },
  );
});

describe('the attributes of a filter', () => {
  it('are the outermost names of all paths, each once', () => {
    const filter = parsed({
      operator: 'AND',
      filters: [
        { operator: 'EQ', path: 'profile.address.city', value: 'Rome' },
        { operator: 'OR', rules: ['address.zip', 'title'].map((path) => ({ operator: 'EXISTS', path })) },
        { operator: 'MEMBER_OF', path: 'account_id', value: 'acme' },
      ],
    });

    expect(attributesOf(filter)).toEqual(['address', 'title', 'account_id']);
    expect(attributesOf(null)).toEqual([]);
  });

  it('decide alone: a change of others changes no outcome', () => {
    fc.assert(
      fc.property(fc.constantFrom(...AUDIENCE_OPERATORS).chain(rulesWith), people, people, (rule, person, other) => {
        const filter = parsed(rule);
        const membersOf = (from: Person, isUsed: boolean) =>
          Object.entries(from.profile).filter(([name]) => attributesOf(filter).includes(name) === isUsed);
        const changed = Object.fromEntries([...membersOf(other, false), ...membersOf(person, true)]);

        expect(evaluateFilter(filter, { profile: changed, tenantIds: person.tenantIds })).toEqual(evaluateFilter(filter, person));
      }),
      { numRuns: 300 },
    );
  });
});

it('compares filters by meaning, not by spelling', () => {
  const rule = { operator: 'EQ', path: 'title', value: 5 };

  expect(sameFilter(parsed(rule), parsed({ filters: [{ value: '5', path: 'profile.title', operator: 'EQ' }] }))).toBe(true);
  expect(sameFilter(parsed(rule), parsed({ ...rule, value: '6' }))).toBe(false);
  expect(sameFilter(parsed(rule), null)).toBe(false);
  expect(sameFilter(null, null)).toBe(true);
});

it('follows a path as deep as a profile can be', () => {
  const names = Array.from({ length: NESTING_DEPTH_MAX }, () => 'a');
  const profile = names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), 'x');

  expect(evaluate({ operator: 'EQ', path: names.join('.'), value: 'x' }, profile).matches).toBe(true);
});

describe('the steps of a filter', () => {
  const BIO = 'a'.repeat(2_000);
  const parts = (count: number) => Array.from({ length: count }, (_, n) => `b${n}`);
  const includes = (value: unknown) => ({ operator: 'INCLUDES', path: 'bio', value });
  const stepsOf = (person: PreparedPerson, filter: unknown) => {
    const before = person.steps;
    return { ...evaluateFilter(parsed(filter), person), steps: person.steps - before };
  };

  it('end at the limit, and then the person is no member, whatever the filter', () => {
    const person = new PreparedPerson({ profile: { bio: BIO }, tenantIds: [] });
    const opposite = { ...includes(parts(100)), operator: 'OMIT' };

    for (const filter of [includes([...parts(100), 'a']), opposite, { operator: 'OR', filters: [opposite, includes('a')] }]) {
      const { matches, reason, steps } = stepsOf(person, filter);
      expect(matches).toBe(false);
      expect(reason).toMatch(/^Not a member: the filter takes more than 100000 steps, stopped at (INCLUDES|OMIT)\('bio', /);
      expect(steps).toBeLessThanOrEqual(EVALUATION_STEPS_MAX + BIO.length);
    }
    expect(stepsOf(person, includes([...parts(40), 'a'])).matches).toBe(true);
    expect(stepsOf(person, { operator: 'OR', filters: [includes('a'), opposite] }).matches).toBe(true);
  });

  it('are named in a short reason when exhausted', () => {
    const long = "'".repeat(LINEAR_SEARCH_LENGTH_MAX);
    const { reason } = evaluateFilter(parsed(includes(Array.from({ length: 100 }, () => long))), { profile: { bio: BIO }, tenantIds: [] });

    expect(reason.length).toBeLessThanOrEqual(REASON_LENGTH_MAX);
    expect(reason).toContain('stopped at');
  });

  it('count a value as one search of the text, and a longer one, of an older rule, as several', () => {
    const rule = { operator: 'INCLUDES', path: ['bio'], values: [`${BIO.slice(0, 200)}b${BIO.slice(0, 200)}`] } as const;

    expect(stepsOf(new PreparedPerson({ profile: { bio: BIO }, tenantIds: [] }), includes('b')).steps).toBeLessThan(2 * BIO.length);
    expect(evaluateFilter(rule, { profile: { bio: BIO }, tenantIds: [] }).reason).toContain('stopped at');
  });

  it('count an array once, however many values of filters are looked up in it', () => {
    const orders = Array.from({ length: 30_000 }, (_, n) => String(n + 10_000));
    const person = new PreparedPerson({ profile: { orders }, tenantIds: [] });
    for (let filter = 0; filter < 20; filter++) {
      const filters = Array.from({ length: 100 }, (_, n) => ({ operator: 'INCLUDES', path: 'orders', value: 9e6 + filter * 100 + n }));
      expect(evaluateFilter(parsed({ operator: 'OR', filters }), person).matches).toBe(false);
    }
    expect(evaluateFilter(parsed({ operator: 'INCLUDES', path: 'orders', value: '39999.0' }), person).matches).toBe(true);

    expect(person.steps).toBeLessThan(orders.length * STEPS_OF_AN_ELEMENT + 3_000);
  });
});
