import { AUDIENCE_OPERATORS, type AudienceFilter } from '@tidings/contracts/audience/audiences';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import fc from 'fast-check';
import { Client } from 'pg';
import { evaluateFilter, type Person } from './evaluate-filter';
import { filters, people, rulesAndPeople } from './filter.fixture';
import { parseFilter } from './parse-filter';
import { LOOKED_UP_VALUES_MAX, preselect, SEARCHED_TEXT_LENGTH_MAX, SEARCHED_VALUES_LENGTH_MAX } from './preselect';

const PEOPLE_AT_ONCE = 40;
const PEOPLE = 20_000;

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.adminUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** The people that PostgreSQL selects, by index. */
async function selected(filter: unknown, of: readonly Person[]): Promise<Set<number> | 'all'> {
  const selection = preselect(parseFilter({ filter }).rule, 2);
  if (!selection) return 'all';
  const rows = of.map(({ profile, tenantIds }, index) => ({ ordinal: index, profile, tenant_ids: tenantIds }));
  const { rows: found } = await client.query<{ ordinal: number }>(
    `select ordinal from jsonb_to_recordset($1::jsonb) as people (ordinal integer, profile jsonb, tenant_ids text[]) where ${selection.condition}`,
    [JSON.stringify(rows), ...selection.values],
  );
  return new Set(found.map(({ ordinal }) => ordinal));
}

/** Matching people that are not selected, by index; with the numbers of matching and of excluded people. */
async function compare(filter: unknown, of: readonly Person[]): Promise<{ missing: number[]; matching: number; excluded: number }> {
  const parsed = parseFilter({ filter }).rule;
  const found = await selected(filter, of);
  const matching = of.flatMap((person, index) => (evaluateFilter(parsed, person).matches ? index : []));
  if (found === 'all') return { missing: [], matching: matching.length, excluded: 0 };
  return { missing: matching.filter((index) => !found.has(index)), matching: matching.length, excluded: of.length - found.size };
}

const person = (profile: Person['profile'], ...tenantIds: string[]): Person => ({ profile, tenantIds });

/** Checks drawn filters with people: no matching person may be missing. Returns the numbers of matching and of excluded people. */
async function expectNoneMissing(
  drawn: fc.Arbitrary<[AudienceFilter, Person[]]>,
  numRuns: number,
): Promise<{ matching: number; excluded: number }> {
  const totals = { matching: 0, excluded: 0 };
  const property = fc.asyncProperty(drawn, async ([filter, of]) => {
    const { missing, matching, excluded } = await compare(filter, of);
    expect(missing).toEqual([]);
    totals.matching += matching;
    totals.excluded += excluded;
  });
  await fc.assert(property, { numRuns });
  return totals;
}

describe('what PostgreSQL selects', () => {
  it.each(AUDIENCE_OPERATORS)('includes everyone who matches one condition with %s', async (operator) => {
    const { matching, excluded } = await expectNoneMissing(rulesAndPeople(operator, PEOPLE_AT_ONCE), 100);

    expect(matching).toBeGreaterThan(0);
    if (operator !== 'NEQ' && operator !== 'OMIT') expect(excluded).toBeGreaterThan(0);
  });

  it('includes everyone who matches a filter of nested groups', async () => {
    const { matching, excluded } = await expectNoneMissing(
      fc.tuple(filters, fc.array(people, { maxLength: PEOPLE_AT_ONCE, size: 'max' })),
      400,
    );

    expect(matching).toBeGreaterThan(0);
    expect(excluded).toBeGreaterThan(0);
  });

  it.each([
    ['a text', { operator: 'EQ', path: 'title', value: 'Ada' }, person({ title: 'Ada' }), person({ title: 'ada' })],
    ['a nested text', { operator: 'EQ', path: 'a.b', value: 'x' }, person({ a: { b: 'x' } }), person({ a: 'x', b: 'x' })],
    ['a boolean as text', { operator: 'EQ', path: 'vip', value: 'true' }, person({ vip: true }), person({ vip: false })],
    ['a number as text', { operator: 'EQ', path: 'age', value: '05' }, person({ age: 5 }), person({ age: 6 })],
    ['a text as number', { operator: 'EQ', path: 'age', value: 5 }, person({ age: '5.0' }), person({ age: 'five' })],
    ['an element', { operator: 'EQ', path: 'homes.0.city', value: 'Rome' }, person({ homes: [{ city: 'Rome' }] }), person({ homes: [{}] })],
    ['a number in order', { operator: 'GT', path: 'age', value: '18' }, person({ age: 19 }), person({ age: 17 })],
    ['an array', { operator: 'INCLUDES', path: 'tags', value: ['a', 'b'] }, person({ tags: ['b'] }), person({ tags: ['ab'] })],
    ['part of a text', { operator: 'INCLUDES', path: 'title', value: 'gin' }, person({ title: 'engineer' }), person({ title: 'ng' })],
    ['absence', { operator: 'EXISTS', path: 'email', value: 'false' }, person({ email: null }), person({ email: '' })],
    ['a beginning', { operator: 'STARTS_WITH', path: 'title', value: 'A%' }, person({ title: 'A%b' }), person({ title: 'Ab' })],
    ['an end', { operator: 'ENDS_WITH', path: 'title', value: '😀' }, person({ title: 'a😀' }), person({ title: 'a' })],
    ['a tenant', { operator: 'MEMBER_OF', path: 'account_id', value: 'a"b' }, person({}, 'a"b', 'c'), person({}, 'c')],
  ])('is narrowed down by %s', async (_, filter, matching, other) => {
    expect(evaluateFilter(parseFilter({ filter }).rule, matching).matches).toBe(true);
    await expect(selected(filter, [matching, other])).resolves.toEqual(new Set([0]));
  });

  it('includes everyone with a long text without searching it', async () => {
    const bio = `${'a'.repeat(SEARCHED_TEXT_LENGTH_MAX)}b`;
    const of = [person({ bio }), person({ bio: bio.slice(1) }), person({ bio: 'a' }), person({ bio: 'b' })];

    await expect(selected({ operator: 'INCLUDES', path: 'bio', value: 'b' }, of)).resolves.toEqual(new Set([0, 1, 3]));
    await expect(selected({ operator: 'INCLUDES', path: 'bio', value: 'c' }, of)).resolves.toEqual(new Set([0]));
  });

  it('includes everyone with a text where the values are long, and with an array where they are many', async () => {
    const half = SEARCHED_VALUES_LENGTH_MAX / 2;
    const of = [person({ bio: 'x' }), person({ bio: ['x'] }), person({ bio: 5 }), person({})];
    const includes = (value: string[]) => ({ operator: 'INCLUDES', path: 'bio', value });
    const many = Array.from({ length: LOOKED_UP_VALUES_MAX + 1 }, (_, n) => `a${n}`);

    await expect(selected(includes(['a'.repeat(half), 'b'.repeat(half)]), of)).resolves.toEqual(new Set());
    await expect(selected(includes(['a'.repeat(half), 'b'.repeat(half), 'c']), of)).resolves.toEqual(new Set([0]));
    await expect(selected(includes(many), of)).resolves.toEqual(new Set([1]));
    const { condition } = preselect(parseFilter({ filter: includes(Array.from({ length: 9 }, () => 'a'.repeat(half))) }).rule)!;
    expect(condition).not.toContain('strpos');
    await expect(selected(includes(Array.from({ length: 99 }, (_, n) => `${'a'.repeat(half)}${n}`)), of)).resolves.toEqual(new Set([0, 1]));
  });

  it('is empty without a filter', async () => {
    await expect(selected(null, [person({ title: 'Ada' })])).resolves.toEqual(new Set());
  });

  it('is everyone for a filter of negations', () => {
    const filter = { operator: 'OR', filters: ['NEQ', 'EQ'].map((operator) => ({ operator, path: 'title', value: 'Ada' })) };

    expect(preselect(parseFilter({ filter }).rule)).toBeNull();
  });

  it('accepts numbers beyond PostgreSQL’s range', async () => {
    const huge = person({ size: '1e999999' });
    for (const operator of ['EQ', 'GTE', 'LTE']) {
      await expect(selected({ operator, path: 'size', value: '1e999999' }, [huge])).resolves.toEqual(new Set([0]));
    }
  });
});

describe('the condition', () => {
  it('contains no text of the filter', () => {
    const hostile = `'); drop table people; --`;
    const rules = AUDIENCE_OPERATORS.filter((operator) => !['EXISTS', 'IS_BEFORE', 'IS_AFTER'].includes(operator)).map((operator) => ({
      operator,
      path: operator === 'MEMBER_OF' ? 'account_id' : hostile,
      value: hostile,
    }));

    const { condition } = preselect(parseFilter({ filter: { operator: 'AND', rules } }).rule)!;

    expect(condition).not.toMatch(/drop|--|;/);
  });

  it('uses indexes for equal texts and for tenants', async () => {
    await client.query('create table people (user_id text primary key, profile jsonb not null, tenant_ids text[] not null)');
    await client.query(
      `insert into people select 'user-' || n, jsonb_build_object('title', 'title-' || n, 'vip', n % 2 = 0), array['tenant-' || n / 10]
       from generate_series(1, $1) as n`,
      [PEOPLE],
    );
    await client.query('create index on people using gin (profile jsonb_path_ops)');
    await client.query('create index on people using gin (tenant_ids)');
    await client.query('analyze people');
    const rules = [
      { operator: 'EQ', path: 'title', value: 'title-7' },
      { operator: 'MEMBER_OF', path: 'account_id', value: 'tenant-7' },
    ];

    for (const filter of [
      ...rules,
      { operator: 'OR', rules },
      { operator: 'AND', rules: [{ operator: 'NEQ', path: 'vip', value: true }, rules[0]] },
    ]) {
      const { condition, values } = preselect(parseFilter({ filter }).rule)!;
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain select user_id from people where ${condition}`, [...values]);
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toContain('Seq Scan');
    }
  });
});
