import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { ProviderEventReported } from '@tidings/contracts/messaging/provider-events';
import { deriveStatus, hasReached } from '../record/derive-status';
import type { LeafRecord } from '../record/leaf-record';
import { earliest, escalationDue, isInProgress, leavesToStart, type RoutingTree, unmet, withState } from '../record/routing-tree';
import { applyEvent } from './apply-event';
import type { MessageChange, OpenChange, ReportedMessage, ReportedOpenState } from './event-store';

/** A message after the events of a batch. */
export interface ChangedMessage {
  /** Absent: every event repeats another one. */
  readonly change?: MessageChange;
  readonly open?: OpenChange;
  /** The events that changed it. */
  readonly applied: readonly ProviderEventReported[];
  /** Those of routes that have not ended yet. */
  readonly early: readonly ProviderEventReported[];
}

/** Applies events to a message, in their order. Pure. */
export function changeMessage(
  message: ReportedMessage,
  open: ReportedOpenState | undefined,
  events: readonly ProviderEventReported[],
  nowMs: number,
): ChangedMessage {
  const { providers: before } = message;
  const records = [...(before ?? [])];
  const history: HistoryEvent[] = [];
  const applied: ProviderEventReported[] = [];
  const early: ProviderEventReported[] = [];
  const failed = new Set<string>();
  for (const event of events) {
    const index = leafOf(records, event);
    if (index < 0) {
      early.push(event);
      continue;
    }
    const result = applyEvent(records[index]!, event);
    if (!result) continue;
    records[index] = result.leaf;
    history.push(...result.history);
    applied.push(event);
    if (result.leaf.status === 'UNDELIVERABLE') failed.add(event.configurationId);
  }
  if (applied.length === 0) return { applied, early };
  const tree = open?.state.tree && withFailed(open.state.tree, failed);
  const derived = statusAfter(message, records, tree !== undefined && isInProgress(tree));
  const change = {
    workspaceId: message.workspaceId,
    uuid: message.uuid,
    ...derived,
    opened_at: earliest(records.flatMap(({ opened }) => opened ?? [])),
    clicked_at: earliest(records.flatMap(({ clicked }) => clicked ?? [])),
    providers: records,
    events: history,
  };
  if (!open?.state.records) return { change, applied, early };
  const escalation = unmet(open.state.escalation, derived.status);
  const dueMs = tree && (leavesToStart(tree).length > 0 ? nowMs : escalationDue(tree, escalation));
  const isOpen = tree !== undefined && (isInProgress(tree) || dueMs !== undefined);
  const wait_ms = dueMs === undefined ? undefined : Math.max(0, Math.ceil(dueMs - nowMs));
  const state = isOpen ? { ...open.state, tree, records, escalation } : null;
  return { change, open: { uuid: message.uuid, state, wait_ms }, applied, early };
}

/** The index of the leaf that an event is about; -1: it has not ended yet. A configuration has a leaf of a message once. */
function leafOf(records: readonly LeafRecord[], { configurationId, reference }: ProviderEventReported) {
  const own = records.flatMap((record, index) => (record.configuration_id === configurationId ? [index] : []));
  return own.find((index) => reference !== undefined && records[index]!.reference?.id === reference) ?? own.at(-1) ?? -1;
}

/** The tree with the sent leaves of these configurations failed: the next route is used, where there is one. */
function withFailed(tree: RoutingTree, configurations: ReadonlySet<string>): RoutingTree {
  return tree.leaves.reduce((current, { integration }, leaf) => {
    const wasSent = tree.states[leaf] === 'sent' || tree.states[leaf] === 'escalated';
    return wasSent && configurations.has(integration) ? withState(current, leaf, 'failed') : current;
  }, tree);
}

/**
 * The status after reports. Of several routes a failure takes back no delivery, also where its report comes first: only a message with one
 * route becomes undeliverable after it was delivered. A canceled message stays so.
 */
function statusAfter({ status: before }: ReportedMessage, records: readonly LeafRecord[], isOpen: boolean) {
  const derived = deriveStatus(before, records, isOpen);
  const withStatus = (status: MessageStatus) => ({ ...derived, status, reason: undefined, error: undefined });
  if (before === 'CANCELED') return withStatus(before);
  const wasDelivered = records.length > 1 && records.some(({ delivered }) => delivered !== undefined);
  return wasDelivered && !hasReached(derived.status, 'DELIVERED') ? withStatus('DELIVERED') : derived;
}
