import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { Escalation } from '@tidings/contracts/messaging/timing/timeouts';
import { type RoutingTree, withoutWaiting } from '../record/routing-tree';
import type { LeafRecord } from '../record/leaf-record';
import type { Stage } from '../record/step-store';
import { type Decision, decide } from './decide';
import type { Profiles, RoutingContext } from './routing-context';

/** A stored message that this process claimed. */
export interface ClaimedMessage {
  /** Its next step is stored only under this generation. */
  readonly generation: number;
  readonly stage: Stage;
  /** Its stored status. */
  readonly status: MessageStatus;
  /** Whether its delay is over. */
  readonly isDue: boolean;
  /**
   * From stage `routed` on: its routing tree at this time, the records of its ended leaves, the profiles it was routed with, and
   * the escalation while its criterion is not met.
   */
  readonly routed?: {
    readonly tree: RoutingTree;
    readonly records: readonly LeafRecord[];
    readonly profiles: Profiles;
    readonly escalation?: Escalation;
    /** A sent leaf has just escalated: the next one starts for that. */
    readonly isEscalating?: boolean;
  };
}

/** A message as input of the pipeline. */
export interface PipelineItem {
  readonly request: MessageRequested;
  /** Absent: the message is not stored yet. */
  readonly claimed?: ClaimedMessage;
}

const NO_CONTENT = { title: '', body: '' };

/**
 * What is done next with a message: decides about a new or delayed one, continues the routes of one that was routed before. Pure.
 * @param ts time of the step, ms since the epoch.
 */
export function plan({ request, claimed }: PipelineItem, context: RoutingContext, ts: number): Decision {
  const { isDue = false, routed } = claimed ?? {};
  if (!routed) return decide(request, context, { isDue, isStored: claimed !== undefined, ts });
  const { profiles, tree } = routed;
  const content = context.template === undefined ? request.content : context.template?.content;
  if (content) return { events: [], verdict: { kind: 'routes', content, profiles, tree } };
  // The template was deleted or unpublished meanwhile: no further route is started.
  return { events: [], verdict: { kind: 'routes', content: NO_CONTENT, profiles, tree: withoutWaiting(tree) } };
}
