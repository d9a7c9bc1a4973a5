import type { RoutingMethod } from '@tidings/contracts/content/routing';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { Escalation } from '@tidings/contracts/messaging/timing/timeouts';

/**
 * State of one leaf; stored as JSON. `sent`: a provider accepted the message. `failed`: its attempts ended without success, or it
 * bounced. `skipped`: it has no content or is no longer reachable. `escalated`: sent, but the recipient did not react in time.
 */
export type LeafState = 'waiting' | 'started' | 'sent' | 'failed' | 'skipped' | 'escalated';

/** A leaf by its number, or several nodes of which one (`single`) or each (`all`) is tried. */
export type RoutingNode = number | { method: RoutingMethod; of: RoutingNode[] };

/** A route to the recipient: a provider on a channel. */
export interface Leaf {
  channel: string;
  /** Id of the provider's configuration. */
  integration: string;
  /** Key of the provider. */
  provider: string;
}

/** The routes of a message with their states. Plain data: stored with the message between its steps. */
export interface RoutingTree {
  root: RoutingNode;
  leaves: Leaf[];
  states: LeafState[];
  /** When each leaf was started, ms since the epoch; `null`: not yet. */
  startedAt: (number | null)[];
  /** When a provider accepted each leaf, ms since the epoch; `null`: not accepted. Absent: nothing was sent yet. */
  sentAt?: (number | null)[];
  /** Start of the message's time limit, ms since the epoch: its acceptance, or the end of its delay. */
  since: number;
}

/**
 * The leaves to start now, in the order of the routing: of a `single` node those of its first child that has not failed, of an `all`
 * node those of every child. Idempotent: the result depends on the tree only.
 */
export function leavesToStart(tree: RoutingTree, node = tree.root): number[] {
  if (typeof node === 'number') return tree.states[node] === 'waiting' ? [node] : [];
  if (node.method === 'all') return node.of.flatMap((part) => leavesToStart(tree, part));
  const current = node.of.find((part) => resultOf(part, tree.states) !== 'failed');
  return current === undefined ? [] : leavesToStart(tree, current);
}

/** Whether a leaf is started or still to be started. */
export function isInProgress(tree: RoutingTree): boolean {
  return tree.states.includes('started') || leavesToStart(tree).length > 0;
}

/** Whether no other leaf would be tried if this one failed. */
export function isLastRoute(tree: RoutingTree, leaf: number, node = tree.root): boolean {
  if (typeof node === 'number') return true;
  const own = node.of.findIndex((part) => leavesOf(part).includes(leaf));
  if (own < 0) return true;
  const later = node.method === 'single' ? node.of.slice(own + 1).flatMap(leavesOf) : [];
  return !later.some((one) => tree.states[one] === 'waiting') && isLastRoute(tree, leaf, node.of[own]);
}

/** The tree with a new state of one leaf. */
export function withState(tree: RoutingTree, leaf: number, state: LeafState): RoutingTree {
  return { ...tree, states: tree.states.with(leaf, state) };
}

/** The tree with one leaf started at `nowMs`. */
export function withStart(tree: RoutingTree, leaf: number, nowMs: number): RoutingTree {
  return { ...withState(tree, leaf, 'started'), startedAt: tree.startedAt.with(leaf, nowMs) };
}

/** The tree with one leaf accepted by its provider at `nowMs`. */
export function withSent(tree: RoutingTree, leaf: number, nowMs: number): RoutingTree {
  const sentAt = tree.sentAt ?? tree.leaves.map(() => null);
  return { ...withState(tree, leaf, 'sent'), sentAt: sentAt.with(leaf, nowMs) };
}

/** The tree in which no further leaf starts: waiting leaves become skipped, started ones stay. */
export function withoutWaiting(tree: RoutingTree): RoutingTree {
  return { ...tree, states: tree.states.map((state) => (state === 'waiting' ? 'skipped' : state)) };
}

/** When the first provider of a channel was started, ms since the epoch; undefined: none was. */
export function channelStart({ leaves, startedAt }: RoutingTree, channel: string): number | undefined {
  return earliest(leaves.flatMap((leaf, number) => (leaf.channel === channel ? (startedAt[number] ?? []) : [])));
}

/** The earliest of these times; undefined where there is none. */
export function earliest(times: readonly number[]): number | undefined {
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** A node succeeds with its first leaf that does, and fails when all its leaves failed; else it is open. */
function resultOf(node: RoutingNode, states: readonly LeafState[]): 'succeeded' | 'failed' | 'open' {
  if (typeof node === 'number') {
    const state = states[node]!;
    if (state === 'sent') return 'succeeded';
    return state === 'waiting' || state === 'started' ? 'open' : 'failed';
  }
  const parts = node.of.map((part) => resultOf(part, states));
  if (parts.includes('succeeded')) return 'succeeded';
  return parts.every((part) => part === 'failed') ? 'failed' : 'open';
}

function leavesOf(node: RoutingNode): number[] {
  return typeof node === 'number' ? [node] : node.of.flatMap(leavesOf);
}

/** Statuses that meet each criterion. */
const MET_BY: Readonly<Record<Escalation['criteria'], readonly MessageStatus[]>> = {
  delivered: ['DELIVERED', 'OPENED', 'CLICKED'],
  viewed: ['OPENED', 'CLICKED'],
  engaged: ['CLICKED'],
};

/** The escalation as long as its criterion is not met by the status of the message; then undefined. */
export function unmet(escalation: Escalation | undefined, status: MessageStatus): Escalation | undefined {
  return escalation && !MET_BY[escalation.criteria].includes(status) ? escalation : undefined;
}

/** When the first sent route escalates, ms since the epoch; undefined: no sent route has a next one. */
export function escalationDue(tree: RoutingTree, escalation: Escalation | undefined): number | undefined {
  return escalation && earliest(tree.leaves.flatMap((_leaf, number) => dueOf(tree, number, escalation) ?? []));
}

/** The tree at `nowMs`: leaves whose reaction time is over become `escalated`, so that the next route starts. */
export function escalated(tree: RoutingTree, escalation: Escalation | undefined, nowMs: number): RoutingTree {
  if (!escalation) return tree;
  const isOver = (number: number) => (dueOf(tree, number, escalation) ?? Infinity) <= nowMs;
  return { ...tree, states: tree.states.map((state, number) => (isOver(number) ? 'escalated' : state)) };
}

function dueOf(tree: RoutingTree, number: number, { afterMs }: Escalation) {
  const sentAt = tree.sentAt?.[number] ?? undefined;
  if (tree.states[number] !== 'sent' || sentAt === undefined || isLastRoute(tree, number)) return undefined;
  return sentAt + afterMs;
}
