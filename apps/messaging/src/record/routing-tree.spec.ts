import {
  channelStart,
  isLastRoute,
  isInProgress,
  type LeafState,
  leavesToStart,
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
  states: [...states].map((code) => STATES[code]!),
  startedAt: [...states].map(() => null),
  since: 0,
});
const single = (...of: RoutingNode[]): RoutingNode => ({ method: 'single', of });
const all = (...of: RoutingNode[]): RoutingNode => ({ method: 'all', of });

describe('leavesToStart', () => {
  it.each<[string, RoutingNode, string, number[]]>([
    ['a single leaf', 0, 'w', [0]],
    ['no leaf while the single leaf is started', 0, 's', []],
    ['the first leaf of a `single` node', single(0, 1, 2), 'www', [0]],
    ['the second leaf of a `single` node when the first failed', single(0, 1, 2), 'fww', [1]],
    ['no leaf of a `single` node while one is started', single(0, 1, 2), 'fsw', []],
    ['no leaf of a `single` node once one was sent', single(0, 1, 2), 'fow', []],
    ['the next leaf of a `single` node when one was skipped', single(0, 1, 2), 'kww', [1]],
    ['the next leaf of a `single` node when one was escalated', single(0, 1, 2), 'eww', [1]],
    ['no leaf of a `single` node when all failed', single(0, 1), 'ff', []],
    ['every leaf of an `all` node', all(0, 1, 2), 'www', [0, 1, 2]],
    ['every waiting leaf of an `all` node, whatever the state of the others', all(0, 1, 2), 'ofw', [2]],
    ['every leaf of an inner `all` node', single(all(0, 1), 2), 'www', [0, 1]],
    ['no leaf after an inner `all` node with one success', single(all(0, 1), 2), 'fow', []],
    ['the leaf after an inner `all` node whose leaves all failed', single(all(0, 1), 2), 'ffw', [2]],
    ['no leaf after an inner `all` node while one of its leaves is started', single(all(0, 1), 2), 'fsw', []],
    ['the first leaf of an inner `single` node beside the outer leaf', all(0, single(1, 2)), 'www', [0, 1]],
    ['the second leaf of an inner `single` node when its first failed', all(0, single(1, 2)), 'sfw', [2]],
  ])('returns %s', (_case, root, states, starts) => {
    expect(leavesToStart(tree(root, states))).toEqual(starts);
  });
});

describe('a routing tree', () => {
  it.each<[RoutingNode, string, number, boolean]>([
    [single(0, 1), 'sw', 0, false],
    [single(0, 1), 'fs', 1, true],
    [single(0, 1), 'sk', 0, true],
    [all(0, 1), 'ss', 0, true],
    [single(all(0, 1), 2), 'ssw', 1, false],
    [all(single(0, 1), 2), 'sws', 2, true],
  ])('knows whether a leaf is the last route: root %j, states %s, leaf %i: %p', (root, states, leaf, expected) => {
    expect(isLastRoute(tree(root, states), leaf)).toBe(expected);
  });

  it('is not in progress once every leaf has ended', () => {
    expect(isInProgress(tree(all(0, 1), 'so'))).toBe(true);
    expect(isInProgress(tree(all(0, 1), 'fo'))).toBe(false);
    expect(isInProgress(tree(single(0, 1), 'ow'))).toBe(false);
  });

  it('reports when the first provider of a channel was started', () => {
    const started = withStart(withStart(tree(single(0, 1), 'ww'), 1, 7), 0, 9);
    expect(channelStart(started, 'email')).toBe(7);
    expect(channelStart(started, 'sms')).toBeUndefined();
  });

  it('ends for every order of outcomes, and starts every leaf at most once', () => {
    const root = single(all(0, single(1, 2)), all(3, 4), 5);
    const countEnds = (states: string, depth: number): number => {
      const starts = leavesToStart(tree(root, states));
      const running = [...states].flatMap((code, leaf) => (code === 's' ? [leaf] : []));
      expect(starts.every((leaf) => states[leaf] === 'w')).toBe(true);
      const now = [...states].map((code, leaf) => (starts.includes(leaf) ? 's' : code)).join('');
      const open = [...new Set([...starts, ...running])];
      if (open.length === 0) return 1;
      expect(depth).toBeLessThan(20);
      return open.reduce(
        (sum, leaf) =>
          sum +
          countEnds(now.slice(0, leaf) + 'f' + now.slice(leaf + 1), depth + 1) +
          countEnds(now.slice(0, leaf) + 'o' + now.slice(leaf + 1), depth + 1),
        0,
      );
    };
    expect(countEnds('wwwwww', 0)).toBeGreaterThan(10);
  });
});
