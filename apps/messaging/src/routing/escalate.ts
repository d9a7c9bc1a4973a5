import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { Escalation } from '@tidings/contracts/messaging/timing/timeouts';
import { isLastRoute, type RoutingTree } from './tree/routing-tree';

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
  const times = escalation ? tree.leaves.flatMap((_leaf, number) => dueOf(tree, number, escalation) ?? []) : [];
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** The tree at `nowMs`: leaves whose reaction time is over become `escalated`, so that the next route starts. */
export function escalated(tree: RoutingTree, escalation: Escalation | undefined, nowMs: number): RoutingTree {
  if (!escalation) return tree;
  const isOver = (number: number): boolean => (dueOf(tree, number, escalation) ?? Infinity) <= nowMs;
  return { ...tree, states: tree.states.map((state, number) => (isOver(number) ? 'escalated' : state)) };
}

function dueOf(tree: RoutingTree, number: number, { afterMs }: Escalation): number | undefined {
  const sentAt = tree.sentAt?.[number] ?? undefined;
  if (tree.states[number] !== 'sent' || sentAt === undefined || isLastRoute(tree, number)) return undefined;
  return sentAt + afterMs;
}
