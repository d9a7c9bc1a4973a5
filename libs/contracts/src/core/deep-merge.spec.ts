import * as fc from 'fast-check';
import { deepMerge, type JsonObject } from './deep-merge';

const jsonObject = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })) as fc.Arbitrary<JsonObject>;

describe('deepMerge', () => {
  it('merges objects at every depth and leaves fields that the change does not mention', () => {
    const stored = { email: 'a@example.com', slack: { user_id: 'U1', team: { id: 'T1' } } };

    const merged = deepMerge(stored, { slack: { access_token: 'x', team: { name: 'Ops' } } });

    expect(merged).toEqual({ email: 'a@example.com', slack: { user_id: 'U1', access_token: 'x', team: { id: 'T1', name: 'Ops' } } });
  });

  it('replaces values of any type by arrays, scalars and null', () => {
    const stored = { list: [1, 2, 3], object: { a: 1 }, text: 'x', removed: 'y' };

    const merged = deepMerge(stored, { list: [4], object: 'now text', text: { now: 'object' }, removed: null });

    expect(merged).toEqual({ list: [4], object: 'now text', text: { now: 'object' }, removed: null });
  });

  it.each([
    ['removes its key', { email: 'a', name: 'Ada' }, { email: null }, { name: 'Ada' }],
    ['removes keys of inner objects', { a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
    ['adds no key to a new object', { a: 1 }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ])('with nullRemoves, null %s', (_rule, stored, change, merged) => {
    expect(deepMerge(stored, change, { nullRemoves: true })).toEqual(merged);
  });

  it('changes neither of its arguments', () => {
    const stored = { a: { b: 1 } };
    const change = { a: { c: 2 } };

    deepMerge(stored, change);

    expect([stored, change]).toEqual([{ a: { b: 1 } }, { a: { c: 2 } }]);
  });

  it('treats names that every object inherits as ordinary members', () => {
    const change = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":{"polluted":1}}',
    ) as JsonObject;

    const merged = deepMerge(deepMerge({}, change), change);

    expect(Object.keys(merged).sort()).toEqual(['__proto__', 'constructor', 'toString']);
    expect(JSON.stringify(merged)).toBe(JSON.stringify(change));
    expect(({} as JsonObject).polluted).toBeUndefined();
    expect((Object as unknown as JsonObject).polluted).toBeUndefined();
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (stored, change) => {
        const once = deepMerge(stored, change);
        expect(JSON.stringify(deepMerge(once, change))).toBe(JSON.stringify(once));
      }),
    );
  });

  it('has every scalar of the change in the result', () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (stored, change) => {
        expect(deepMerge(stored, change)).toMatchObject(change);
      }),
    );
  });
});
