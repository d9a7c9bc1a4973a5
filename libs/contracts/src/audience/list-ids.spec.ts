import fc from 'fast-check';
import { assertListId, assertListPattern, LIST_ID_BYTES_MAX, LIST_ID_PARTS_MAX, patternsOfListId } from './list-ids';

const messageOf = (check: () => void): string => {
  try {
    check();
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
};

/** An independent implementation of the rule of patterns. */
function matchesByRule(pattern: string, id: string): boolean {
  const [wanted, parts] = [pattern.split('.'), id.split('.')];
  const open = wanted.at(-1) === '**';
  if (open) wanted.pop();
  if (open ? parts.length <= wanted.length : parts.length !== wanted.length) return false;
  return wanted.every((part, index) => part === '*' || part === parts[index]);
}

describe('an id of a list', () => {
  it.each(['a', 'pokemon.kanto', 'a.b.c.d', 'käse-brot_1', 'A:b@c/d', '%', 'x'.repeat(LIST_ID_BYTES_MAX)])('may be %s', (id) => {
    expect(messageOf(() => assertListId(id, 'list_id'))).toBe('accepted');
  });

  it.each([
    ['', 'must not be empty'],
    ['a b', 'must not contain spaces'],
    ['a\tb', 'must not contain spaces'],
    ['a#b', 'must not contain #'],
    ['.a', 'begin or end with a dot'],
    ['a.', 'begin or end with a dot'],
    ['a..b', 'two in a row'],
    ['a.b.c.d.e', `more than ${LIST_ID_PARTS_MAX} parts`],
    ['a.*', 'must not contain *'],
    ['a*', 'must not contain *'],
    ['é'.repeat(257), `longer than ${LIST_ID_BYTES_MAX} bytes`],
    ['a\0', 'NUL'],
    ['\ud800', 'surrogate'],
  ])('must not be %j', (id, rule) => {
    expect(messageOf(() => assertListId(id, 'list_id'))).toContain(`list_id`);
    expect(messageOf(() => assertListId(id, 'list_id'))).toContain(rule);
  });
});

describe('a pattern', () => {
  it.each(['a.b', '*', '*.*', 'a.*', '*.b', 'a.*.c', 'a.**', 'a.*.**', '*.b.**', 'a.b.c.**'])('may be %s', (pattern) => {
    expect(messageOf(() => assertListPattern(pattern, 'pattern'))).toBe('accepted');
  });

  it.each([
    ['**', 'must name a part before **'],
    ['*.**', 'must name a part before **'],
    ['**.part', '** as its last part alone'],
    ['a.**.b', '** as its last part alone'],
    ['a.**.**', '** as its last part alone'],
    ['part.*.', 'begin or end with a dot'],
    ['.a.*', 'begin or end with a dot'],
    ['a..*', 'two in a row'],
    ['a *', 'must not contain spaces'],
    ['***', '* as a whole part'],
    ['a.***', '* as a whole part'],
    ['poke**', '* as a whole part'],
    ['g*', '* as a whole part'],
    ['a.*b', '* as a whole part'],
    ['a.b.c.d.**', `more than ${LIST_ID_PARTS_MAX} parts`],
  ])('must not be %j', (pattern, rule) => {
    expect(messageOf(() => assertListPattern(pattern, 'pattern'))).toContain(rule);
  });

  it.each([
    ['pokemon.**', ['pokemon.kanto', 'pokemon.kanto.red'], ['pokemon', 'pokemons.kanto', 'digimon.pokemon']],
    ['pokemon.*', ['pokemon.kanto'], ['pokemon', 'pokemon.kanto.red']],
    ['*.kanto', ['pokemon.kanto'], ['kanto', 'a.pokemon.kanto']],
    ['a.*.c', ['a.b.c', 'a.x.c'], ['a.c', 'a.b.c.d', 'a.b.b']],
    ['a.*.**', ['a.b.c', 'a.b.c.d'], ['a.b', 'a']],
    ['*', ['a'], ['a.b']],
    ['a.b', ['a.b'], ['a', 'a.b.c', 'a-b']],
  ])('%s matches some ids and not others', (pattern, some, others) => {
    const matches = (id: string): boolean => patternsOfListId(id).includes(pattern);
    expect(some.filter((id) => !matches(id))).toEqual([]);
    expect(others.filter(matches)).toEqual([]);
  });
});

it('lists exactly the valid patterns that match an id, each once', () => {
  const part = fc.constantFrom('a', 'b', 'c-');
  const idOf = fc.array(part, { minLength: 1, maxLength: LIST_ID_PARTS_MAX }).map((parts) => parts.join('.'));
  const patternOf = fc
    .array(fc.oneof(part, fc.constantFrom('*', '**')), { minLength: 1, maxLength: LIST_ID_PARTS_MAX })
    .map((parts) => parts.join('.'))
    .filter((pattern) => messageOf(() => assertListPattern(pattern, 'pattern')) === 'accepted');

  fc.assert(
    fc.property(idOf, patternOf, (id, pattern) => {
      expect(patternsOfListId(id).includes(pattern)).toBe(matchesByRule(pattern, id));
    }),
    { numRuns: 2_000 },
  );
  for (const id of ['a', 'a.b', 'a.b.c', 'a.b.c.d']) {
    const patterns = patternsOfListId(id);
    expect(new Set(patterns).size).toBe(patterns.length);
    for (const pattern of patterns) {
      expect(messageOf(() => assertListPattern(pattern, 'pattern'))).toBe('accepted');
      expect(matchesByRule(pattern, id)).toBe(true);
    }
  }
  expect(patternsOfListId('a.b.c.d')).toHaveLength(27);
});
