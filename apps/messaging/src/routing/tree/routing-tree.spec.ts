import {
  channelStart,
  isLastRoute,
  isUnderWay,
  leavesToStart,
  type LeafState,
  type RoutingNode,
  type RoutingTree,
  withStart,
} from './routing-tree';

const LEAF = { channel: 'email', integration: 'i', provider: 'p' };

/** `w`aiting, `s`tarted, sent `o`k, `f`ailed, s`k`ipped, `e`scalated. */
const STATES: Readonly<Record<string, LeafState>> = { w: 'waiting', s: 'started', o: 'sent', f: 'failed', k: 'skipped', e: 'escalated' };

const tree = (root: RoutingNode, states: string): RoutingTree => ({
  root,
  leaves: [...states].map(() => LEAF),
  states: [...states].map((letter) => STATES[letter]!),
  startedAt: [...states].map(() => null),
  since: 0,
});
const single = (...of: RoutingNode[]): RoutingNode => ({ method: 'single', of });
const all = (...of: RoutingNode[]): RoutingNode => ({ method: 'all', of });

describe('the ways of a message', () => {
  it.each<[string, RoutingNode, string, number[]]>([
    ['a lone leaf', 0, 'w', [0]],
    ['a lone leaf that is under way', 0, 's', []],
    ['one after the other: the first', single(0, 1, 2), 'www', [0]],
    ['… the second when the first failed', single(0, 1, 2), 'fww', [1]],
    ['… none while one is under way', single(0, 1, 2), 'fsw', []],
    ['… none once one was sent', single(0, 1, 2), 'fow', []],
    ['… the next when there is nothing to say on one', single(0, 1, 2), 'kww', [1]],
    ['… the next when nobody reacted', single(0, 1, 2), 'eww', [1]],
    ['… none when all failed', single(0, 1), 'ff', []],
    ['all at once', all(0, 1, 2), 'www', [0, 1, 2]],
    ['all at once, whatever became of the others', all(0, 1, 2), 'ofw', [2]],
    ['all of several, then one: the several', single(all(0, 1), 2), 'www', [0, 1]],
    ['… one that succeeded is enough', single(all(0, 1), 2), 'fow', []],
    ['… the one when all of the several failed', single(all(0, 1), 2), 'ffw', [2]],
    ['… not while one of the several is under way', single(all(0, 1), 2), 'fsw', []],
    ['always this, and the best of those', all(0, single(1, 2)), 'www', [0, 1]],
    ['… the next best, beside what always is', all(0, single(1, 2)), 'sfw', [2]],
  ])('%s', (_story, root, states, starts) => {
    expect(leavesToStart(tree(root, states))).toEqual(starts);
  });

  it.each<[RoutingNode, string, number, boolean]>([
    [single(0, 1), 'sw', 0, false],
    [single(0, 1), 'fs', 1, true],
    [single(0, 1), 'sk', 0, true],
    [all(0, 1), 'ss', 0, true],
    [single(all(0, 1), 2), 'ssw', 1, false],
    [all(single(0, 1), 2), 'sws', 2, true],
  ])('of %j with %s, leaf %i is the last one: %p', (root, states, leaf, expected) => {
    expect(isLastRoute(tree(root, states), leaf)).toBe(expected);
  });

  it('nothing is under way once everything has ended', () => {
    expect(isUnderWay(tree(all(0, 1), 'so'))).toBe(true);
    expect(isUnderWay(tree(all(0, 1), 'fo'))).toBe(false);
    expect(isUnderWay(tree(single(0, 1), 'ow'))).toBe(false);
  });

  it('a channel began with its first provider', () => {
    const begun = withStart(withStart(tree(single(0, 1), 'ww'), 1, 7), 0, 9);
    expect(channelStart(begun, 'email')).toBe(7);
    expect(channelStart(begun, 'sms')).toBeUndefined();
  });

  it('whatever fails in whatever order, a tree ends, and every leaf was started once at most', () => {
    const root = single(all(0, single(1, 2)), all(3, 4), 5);
    const ways = (states: string, depth: number): number => {
      const starts = leavesToStart(tree(root, states));
      const running = [...states].flatMap((letter, leaf) => (letter === 's' ? [leaf] : []));
      expect(starts.every((leaf) => states[leaf] === 'w')).toBe(true);
      const now = [...states].map((letter, leaf) => (starts.includes(leaf) ? 's' : letter)).join('');
      const open = [...new Set([...starts, ...running])];
      if (open.length === 0) return 1;
      expect(depth).toBeLessThan(20);
      return open.reduce(
        (sum, leaf) =>
          sum +
          ways(now.slice(0, leaf) + 'f' + now.slice(leaf + 1), depth + 1) +
          ways(now.slice(0, leaf) + 'o' + now.slice(leaf + 1), depth + 1),
        0,
      );
    };
    expect(ways('wwwwww', 0)).toBeGreaterThan(10);
  });
});
