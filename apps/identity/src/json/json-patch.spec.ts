import type { PatchOperation } from '@tidings/contracts/identity/profiles';
import * as fc from 'fast-check';
import * as reference from 'fast-json-patch';
import { applyPatch, COPIED_LENGTH_MAX } from './json-patch';

/** The message of the refusal; fails when the patch is accepted. */
function refusal(document: unknown, ...patch: PatchOperation[]): string {
  try {
    applyPatch(document, patch);
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_request' });
    return (error as Error).message;
  }
  throw new Error('The patch was accepted');
}

describe('applyPatch', () => {
  it('applies the steps in order, each to the result of the one before', () => {
    const patched = applyPatch({ name: 'Ada', tags: ['a', 'c'], old: { deep: true } }, [
      { op: 'test', path: '/name', value: 'Ada' },
      { op: 'add', path: '/tags/1', value: 'b' },
      { op: 'add', path: '/tags/-', value: 'd' },
      { op: 'replace', path: '/name', value: 'Grace' },
      { op: 'move', from: '/old/deep', path: '/new' },
      { op: 'copy', from: '/tags/0', path: '/first' },
      { op: 'remove', path: '/old' },
    ]);

    expect(patched).toEqual({ name: 'Grace', tags: ['a', 'b', 'c', 'd'], new: true, first: 'a' });
  });

  it('does not change the document, even when a late step is refused', () => {
    const document = { a: { b: 1 } };

    refusal(document, { op: 'replace', path: '/a/b', value: 2 }, { op: 'remove', path: '/missing' });

    expect(document).toEqual({ a: { b: 1 } });
  });

  it('unescapes ~1 and ~0 in one pass, so that ~01 is ~1', () => {
    expect(
      applyPatch({ 'a/b': 1, '~1': 2, '': 3 }, [
        { op: 'remove', path: '/a~1b' },
        { op: 'remove', path: '/~01' },
      ]),
    ).toEqual({ '': 3 });
  });

  it('copies a value, not a reference to its source', () => {
    const patched = applyPatch({ a: { n: 1 } }, [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'replace', path: '/b/n', value: 2 },
    ]);

    expect(patched).toEqual({ a: { n: 1 }, b: { n: 2 } });
  });

  it('can replace the whole document', () => {
    expect(applyPatch({ a: { b: 1 } }, [{ op: 'move', from: '/a', path: '' }])).toEqual({ b: 1 });
    expect(applyPatch({ a: 1 }, [{ op: 'replace', path: '', value: { c: 2 } }])).toEqual({ c: 2 });
  });

  it.each<[string, unknown, PatchOperation]>([
    ['patch[0]: remove "/a": the path does not exist', {}, { op: 'remove', path: '/a' }],
    ['patch[0]: replace "/a": the path does not exist', {}, { op: 'replace', path: '/a', value: 1 }],
    ['patch[0]: add "/a/b": the path does not exist', {}, { op: 'add', path: '/a/b', value: 1 }],
    ['patch[0]: add "/a/b": the path leads through something that has no members', { a: 'text' }, { op: 'add', path: '/a/b', value: 1 }],
    ['patch[0]: add "/a/3": the array has only 2 elements', { a: [1, 2] }, { op: 'add', path: '/a/3', value: 1 }],
    ['patch[0]: remove "/a/2": the path does not exist', { a: [1, 2] }, { op: 'remove', path: '/a/2' }],
    ['patch[0]: remove "/a/-": the path does not exist', { a: [1, 2] }, { op: 'remove', path: '/a/-' }],
    [
      'patch[0]: remove "/a/01": an array is indexed by decimal numbers without leading zeros',
      { a: [1, 2] },
      { op: 'remove', path: '/a/01' },
    ],
    [
      'patch[0]: add "/a/length": an array is indexed by decimal numbers without leading zeros',
      { a: [] },
      { op: 'add', path: '/a/length', value: 9 },
    ],
    ['patch[0]: add "a": a path is empty or begins with "/"', {}, { op: 'add', path: 'a', value: 1 }],
    ['patch[0]: add "/~2": "~" stands only in "~0" and "~1"', {}, { op: 'add', path: '/~2', value: 1 }],
    ['patch[0]: add "/a": "value" is missing', {}, { op: 'add', path: '/a' }],
    ['patch[0]: copy "/a": "from" is missing', {}, { op: 'copy', path: '/a' }],
    ['patch[0]: copy "/a": "from" is missing', {}, { op: 'copy', from: null, path: '/a' }],
    ['patch[0]: move "/a": "from" is missing', {}, { op: 'move', from: null, path: '/a' }],
    ['patch[0]: move "/a/b": nothing can be moved into itself', { a: { b: 1 } }, { op: 'move', from: '/a', path: '/a/b' }],
    ['patch[0]: test "/a": the value is another one', { a: { x: 1 } }, { op: 'test', path: '/a', value: { x: 1, y: 2 } }],
    ['patch[0]: test "/a": the value is another one', { a: { x: 1 } }, { op: 'test', path: '/a', value: { hasOwnProperty: 1 } }],
    ['patch[0]: remove "/toString": the path does not exist', {}, { op: 'remove', path: '/toString' }],
    ['patch[0]: move "/x": the path does not exist', {}, { op: 'move', from: '/constructor/assign', path: '/x' }],
    [
      'patch[0]: add "/constructor/prototype/polluted": the path does not exist',
      {},
      { op: 'add', path: '/constructor/prototype/polluted', value: 1 },
    ],
    ['patch[0]: add "/__proto__/polluted": the path does not exist', {}, { op: 'add', path: '/__proto__/polluted', value: 1 }],
    ['patch[0]: add "/__proto__": no member may be called "__proto__"', {}, { op: 'add', path: '/__proto__', value: { polluted: 1 } }],
  ])('refuses with the message %s', (message, document, operation) => {
    expect(refusal(document, operation)).toBe(message);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('names the step that is refused', () => {
    expect(refusal({}, { op: 'add', path: '/a', value: 1 }, { op: 'remove', path: '/b' })).toBe(
      'patch[1]: remove "/b": the path does not exist',
    );
  });

  it('repeats the beginning of a long path, not all of it', () => {
    expect(refusal({}, { op: 'remove', path: `/${'x'.repeat(100_000)}` })).toHaveLength(
      `patch[0]: remove "": the path does not exist`.length + 200,
    );
  });

  it('refuses a patch whose copies would double the document again and again', () => {
    const doubling = Array.from({ length: 30 }, (_, step): PatchOperation => ({ op: 'copy', from: '', path: `/copy${step}` }));

    expect(refusal({ seed: 'x'.repeat(100) }, ...doubling)).toContain(`${COPIED_LENGTH_MAX} characters`);
  });

  /** Without the cases in which fast-json-patch is wrong: moves into themselves (they make circles), and the whole document. */
  it('agrees with another implementation about random patches', () => {
    const name = fc.constantFrom('a', 'b', '0', '1', '-');
    const pointer = fc.array(name, { maxLength: 3 }).map((names) => names.map((part) => `/${part}`).join(''));
    const value = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, true, 0, 1, 'x'),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', '0', '1'), tie('node'), { maxKeys: 3 }),
      ),
    })).node;
    const operation = fc.record({
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
      path: pointer,
      from: pointer,
      value,
    });
    const document = fc.dictionary(fc.constantFrom('a', 'b', '0', '1'), value, { maxKeys: 4 });
    const plain = fc.array(operation, { maxLength: 4 }) as fc.Arbitrary<(PatchOperation & { from: string })[]>;
    let accepted = 0;

    fc.assert(
      fc.property(document, plain, (before, patch) => {
        fc.pre(!patch.some(({ op, path, from }) => path === '' || (op === 'move' && path.startsWith(`${from}/`))));
        const actual = outcome(() => applyPatch(before, JSON.parse(JSON.stringify(patch)) as PatchOperation[]));
        const expected = outcome(() => {
          const steps = JSON.parse(JSON.stringify(patch)) as reference.Operation[];
          return reference.applyPatch(before, steps, true, false).newDocument;
        });
        fc.pre(!/(?:move|copy) .*the array has only/.test(actual.refusal ?? '')); // fast-json-patch appends
        accepted += actual.refusal ? 0 : 1;
        expect(actual.document).toEqual(expected.document);
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).toBeGreaterThan(300); // otherwise too few documents are compared
  });
});

/** The patched document, or the message of the refusal. */
function outcome(work: () => unknown): { document?: unknown; refusal?: string } {
  try {
    return { document: work() };
  } catch (error) {
    return { refusal: (error as Error).message };
  }
}
