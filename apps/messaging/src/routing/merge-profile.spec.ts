import { mergeProfile } from './merge-profile';

describe('the profile of one send', () => {
  it.each([
    ['a key of the request over the stored one', { email: 'a' }, { email: 'b' }, { email: 'b' }],
    ['objects merged', { slack: { user_id: 'u' } }, { slack: { access_token: 't' } }, { slack: { user_id: 'u', access_token: 't' } }],
    ['arrays replaced', { tags: [1, 2] }, { tags: [3] }, { tags: [3] }],
    ['null removes', { email: 'a', name: 'Ada' }, { email: null }, { name: 'Ada' }],
    ['null removes within objects', { a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
    ['an object over a scalar', { a: 1 }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ])('takes %s', (_rule, stored, received, merged) => {
    expect(mergeProfile(stored, received)).toEqual(merged);
  });

  it('changes neither argument and no prototype', () => {
    const stored = { a: { b: 1 } };
    const received = JSON.parse('{"__proto__": {"polluted": true}, "a": {"c": 2}}') as Record<string, unknown>;

    mergeProfile(stored, received);

    expect(stored).toEqual({ a: { b: 1 } });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
