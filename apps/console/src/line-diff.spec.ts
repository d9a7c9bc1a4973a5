import { diffLines } from './line-diff';

const SIGNS = { same: ' ', removed: '-', added: '+' } as const;
const shown = (before: string, after: string): string[] => diffLines(before, after).map(({ kind, text }) => SIGNS[kind] + text);

describe('The difference of two texts', () => {
  it('has the lines of both, and of which of them each is', () => {
    expect(shown('a\nb\nc\nd', 'a\nx\nc\ny\nd')).toEqual([' a', '-b', '+x', ' c', '+y', ' d']);
    expect(shown('a\na', 'a\na\na')).toEqual([' a', ' a', '+a']);
    expect(shown('a\nb', 'b\na')).toEqual(['-a', ' b', '+a']);
  });

  it('is empty of changes for equal texts, and complete for unlike ones', () => {
    expect(shown('a\nb', 'a\nb')).toEqual([' a', ' b']);
    expect(shown('a', 'b')).toEqual(['-a', '+b']);
  });

  it('shows all lines as replaced where too many differ', () => {
    const lines = (name: string): string[] => Array.from({ length: 2_001 }, (_line, index) => `${name} ${index}`);
    const found = diffLines(['first', ...lines('a')].join('\n'), ['first', ...lines('b')].join('\n'));
    expect(found.map(({ kind }) => kind)).toEqual([...Array<string>(2_002).fill('removed'), ...Array<string>(2_002).fill('added')]);
  });
});
