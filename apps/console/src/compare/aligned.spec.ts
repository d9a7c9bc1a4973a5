import { alignLines } from './aligned';

describe('Two texts side by side', () => {
  it('have equal lines in one row, and what was replaced beside what replaces it', () => {
    expect(alignLines('a\nb\nc\nd', 'a\nx\nd\ne')).toEqual([
      { left: 'a', right: 'a', differs: false },
      { left: 'b', right: 'x', differs: true },
      { left: 'c', right: undefined, differs: true },
      { left: 'd', right: 'd', differs: false },
      { left: undefined, right: 'e', differs: true },
    ]);
    expect(alignLines('a', 'a')).toEqual([{ left: 'a', right: 'a', differs: false }]);
  });
});
