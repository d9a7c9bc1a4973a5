import type { RoutingMethod } from '@tidings/contracts/content/routing';

/**
 * How far one way to the recipient got. `sent`: a provider took the message. `failed`: it gave up, or it bounced. `skipped`: the
 * content has nothing to say there. `escalated`: sent, but the recipient did not react in time.
 */
export type LeafState = 'waiting' | 'started' | 'sent' | 'failed' | 'skipped' | 'escalated';

/** A leaf by its number, or several ways of which one, or each, is taken. */
export type RoutingNode = number | { method: RoutingMethod; of: RoutingNode[] };

/** A way to the recipient: a provider on a channel. */
export interface Leaf {
  channel: string;
  /** Id of the provider's configuration. */
  integration: string;
  /** Key of the provider. */
  provider: string;
}

/** A message's ways, and how far each got. Plain data: it is kept with the message between its steps. */
export interface RoutingTree {
  root: RoutingNode;
  leaves: Leaf[];
  states: LeafState[];
  /** When each leaf was started, ms since the epoch; `null`: not yet. */
  startedAt: (number | null)[];
  /** When a provider took each leaf, ms since the epoch; `null`: none did. Absent: nothing was sent yet. */
  sentAt?: (number | null)[];
  /** From when the time limit of the message counts: its acceptance, or the end of its delay. */
  since: number;
}

/**
 * The leaves to be started now, in the order of the routing. Of `single` nodes the first way that did not fail, of `all` nodes
 * every way; a way inside that failed gives its turn to the next one. Asked again without a change it answers the same.
 */
export function leavesToStart({ root, states }: RoutingTree): number[] {
  return toStart(root, states);
}

/** Whether anything is under way or still to be started. */
export function isUnderWay(tree: RoutingTree): boolean {
  return tree.states.includes('started') || leavesToStart(tree).length > 0;
}

/** Whether nothing else would be tried if this leaf failed. */
export function isLastRoute({ root, states }: RoutingTree, leaf: number): boolean {
  return !hasAnother(root, states, leaf);
}

/** The tree with one leaf moved on. */
export function withState(tree: RoutingTree, leaf: number, state: LeafState): RoutingTree {
  return { ...tree, states: tree.states.with(leaf, state) };
}

/** The tree with one leaf under way. */
export function withStart(tree: RoutingTree, leaf: number, nowMs: number): RoutingTree {
  return { ...withState(tree, leaf, 'started'), startedAt: tree.startedAt.with(leaf, nowMs) };
}

/** The tree with one leaf taken by its provider. */
export function withSent(tree: RoutingTree, leaf: number, nowMs: number): RoutingTree {
  const sentAt = tree.sentAt ?? tree.leaves.map(() => null);
  return { ...withState(tree, leaf, 'sent'), sentAt: sentAt.with(leaf, nowMs) };
}

/** The tree where nothing more is begun: what waited is passed over, what is under way stays so. */
export function withoutWaiting(tree: RoutingTree): RoutingTree {
  return { ...tree, states: tree.states.map((state) => (state === 'waiting' ? 'skipped' : state)) };
}

/** When the first provider of a channel was started; undefined: none was. */
export function channelStart({ leaves, startedAt }: RoutingTree, channel: string): number | undefined {
  const starts = leaves.flatMap((leaf, number) => (leaf.channel === channel ? (startedAt[number] ?? []) : []));
  return starts.length > 0 ? Math.min(...starts) : undefined;
}

/** A node succeeded as soon as one of its leaves did; it failed when all did; else it is open. */
function standing(node: RoutingNode, states: readonly LeafState[]): 'succeeded' | 'failed' | 'open' {
  if (typeof node === 'number') {
    const state = states[node]!;
    if (state === 'sent') return 'succeeded';
    return state === 'waiting' || state === 'started' ? 'open' : 'failed';
  }
  const parts = node.of.map((part) => standing(part, states));
  if (parts.includes('succeeded')) return 'succeeded';
  return parts.every((part) => part === 'failed') ? 'failed' : 'open';
}

function toStart(node: RoutingNode, states: readonly LeafState[]): number[] {
  if (typeof node === 'number') return states[node] === 'waiting' ? [node] : [];
  if (node.method === 'all') return node.of.flatMap((part) => toStart(part, states));
  const current = node.of.find((part) => standing(part, states) !== 'failed');
  return current === undefined ? [] : toStart(current, states);
}

function hasAnother(node: RoutingNode, states: readonly LeafState[], leaf: number): boolean {
  if (typeof node === 'number') return false;
  const own = node.of.findIndex((part) => leavesOf(part).includes(leaf));
  if (own < 0) return false;
  const later = node.method === 'single' && node.of.slice(own + 1).some((part) => leavesOf(part).some((one) => states[one] === 'waiting'));
  return later || hasAnother(node.of[own]!, states, leaf);
}

function leavesOf(node: RoutingNode): number[] {
  return typeof node === 'number' ? [node] : node.of.flatMap(leavesOf);
}
