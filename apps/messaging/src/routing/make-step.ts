import { requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import { escalationOf } from '@tidings/contracts/messaging/timing/timeouts';
import type { LeasedDelivery } from '../delivery/delivery';
import { attachmentsOf } from '../delivery/attachments';
import { deriveStatus } from '../store/derive-status';
import type { LeafRecord } from '../store/leaf-record';
import { warned } from '../store/history-row';
import { enqueuedEvent } from '../store/stored-request';
import { storable } from '../store/storable';
import { outgoing } from '../store/stored-output';
import type { MessageStep, OpenState, Stage } from '../store/step';
import type { Prepared, ClaimedMessage, PipelineItem } from './preparation';
import { escalationDue } from './escalate';
import { type Render, type Started, startLeaves } from './start-leaves';
import { withoutWaiting } from './tree/routing-tree';

/** A step that is ready to be stored. */
export interface Step {
  readonly step: Omit<MessageStep, 'deliveries'>;
  /** To be carried out once it is stored. */
  readonly deliveries: readonly LeasedDelivery[];
  /** Length of what was rendered. */
  readonly renderedChars: number;
}

/** How a message ends that is not processed. */
export interface TerminalFailure {
  readonly status: 'UNDELIVERABLE' | 'UNROUTABLE';
  readonly reason: MessageReason;
  readonly error: string;
}

/** Tags of a message, those of its template included. */
const TAGS_MAX = 100;

/** Renders what a message is to say next, and puts its step together. `'too large'`: not on this thread. */
export async function makeStep(work: Prepared, render: Render): Promise<Step | 'too large'> {
  const doubts = warned(tenantDoubts(work));
  const prepared = work.taken && doubts.warnings ? { ...work, events: profileEventWith(work.events, doubts) } : work;
  const { request, verdict, events, ts } = prepared;
  const base = baseOf(prepared, doubts);
  const ended = (status: MessageStatus, all: readonly HistoryEvent[], more: Partial<MessageStep> = {}): Step => ({
    step: { ...base, status, events: [...base.events, ...all], open: null, ...more },
    deliveries: [],
    renderedChars: 0,
  });
  switch (verdict.kind) {
    case 'ended':
      return ended(verdict.status, events, { reason: verdict.reason, error: verdict.error, providers: verdict.records });
    case 'delayed':
      return ended('DELAYED', events, { open: { stage: 'delayed', dueMs: verdict.dueMs, lane: request.lane ?? 'normal' } });
    case 'spent':
      return goingOn(prepared, base, {
        tree: withoutWaiting(verdict.tree),
        events: [],
        leaves: [],
        records: [],
        untold: [],
        renderedChars: 0,
      });
    case 'ways': {
      const tellsProfile = events.some(({ type }) => type === 'PROFILE_LOADED');
      const started = await startLeaves(request, prepared.known, verdict, { voice: prepared.voice, ts, render, tellsProfile });
      return started === 'too large' ? started : goingOn(prepared, base, started);
    }
  }
}

/** The message waits for what it started, and for what it started before; or nothing is left to wait for. */
function goingOn(prepared: Prepared, base: Base, { tree, events, leaves, records: ended, untold, renderedChars }: Started): Step {
  const { request, known, taken, ts } = prepared;
  const records = [...(taken?.routed?.records ?? []), ...ended];
  const all = [...prepared.events, ...events];
  const escalation = taken?.routed ? taken.routed.escalation : escalationOf(request.timeouts ?? {});
  const dueMs = escalationDue(tree, escalation);
  if (!tree.states.includes('started') && dueMs === undefined)
    return { ...concluded(prepared, base, { events: all, records, untold }), renderedChars };
  // The only delivery of a message decides everything.
  const isOnly = tree.leaves.length === 1 && records.length === 0;
  const open: OpenState | null = isOnly
    ? null
    : {
        stage: 'routed',
        lane: request.lane ?? 'normal',
        tree,
        records,
        ...(escalation && { escalation }),
        ...(dueMs !== undefined && { dueMs }),
      };
  const { status } = deriveStatus(statusSoFar(taken), records, true);
  const deliveries = leaves.map((leaf): LeasedDelivery => {
    const { rendering, number, recipient, ...names } = leaf;
    return {
      ...names,
      workspaceId: request.workspaceId,
      messageId: request.id,
      uuid: base.uuid,
      leaf: number,
      attempt: 1,
      recipient,
      rendered: outgoing(rendering, attachmentsOf(request, names, rendering.alias)),
      data: request.data,
      ...(rendering.override && { override: rendering.override }),
      notification: known.template?.notification_id ?? '',
      lane: request.lane ?? 'normal',
      isAnnounced: false,
      hasSlot: false,
      more: open !== null,
      patience: { sinceMs: tree.since, untilMs: rendering.until, hasNext: rendering.has_next === true },
      renderedAt: ts,
    };
  });
  const step = { ...base, status, events: [...base.events, ...all], open, ...(records.length > 0 && { providers: records }) };
  return { step, deliveries, renderedChars };
}

/** A message that was routed may be further by now: it was delivered one way while another is begun. */
function statusSoFar(taken: ClaimedMessage | undefined): MessageStatus {
  return taken?.routed ? taken.status : 'ROUTED';
}

/** A message that is stored now and taken up at its turn. */
export function parkingStep({ request, taken }: PipelineItem, stage: Extract<Stage, 'parked' | 'long'>, nowMs: number): Step {
  const ts = Math.max(nowMs, request.requestedAt);
  const base = baseOf({ request, ...(taken && { taken }), ts });
  const routed = taken?.routed;
  const state: OpenState = {
    stage,
    dueMs: nowMs,
    lane: request.lane ?? 'normal',
    ...(taken?.isDue && { isDue: true }),
    ...(routed && { tree: routed.tree, records: routed.records, ...(routed.escalation && { escalation: routed.escalation }) }),
  };
  return { step: { ...base, status: taken?.status ?? 'ENQUEUED', open: state }, deliveries: [], renderedChars: 0 };
}

/**
 * The end of a message that cannot be processed for a reason that lies in its own request. Of the request it keeps nothing that
 * could be the cause. What was sent by then stays sent, and what is under way is waited for.
 */
export function failingStep({ request, taken }: PipelineItem, { status: failed, reason, error: why }: TerminalFailure, nowMs: number): Step {
  const { workspaceId, id, requestedAt, mode, requestId, jobId } = request;
  const ts = Math.max(nowMs, requestedAt);
  const error = storable(why);
  const ours = { workspaceId, id, requestedAt, mode, ...(requestId !== undefined && { requestId }), ...(jobId !== undefined && { jobId }) };
  const bare = { ...ours, recipient: storable(request.recipient), profile: {}, data: {}, event: '', tags: [] };
  const base = baseOf({ request: bare, ...(taken && { taken }), ts });
  const integration = failed === 'UNDELIVERABLE' && { integration: { id: '', provider: '' } };
  const event: HistoryEvent = { ts, type: failed, channel: { id: '' }, ...integration, error_message: error, reason };
  const events = [...base.events, event];
  const { routed, status = failed } = taken ?? {};
  const tree = routed && withoutWaiting(routed.tree);
  if (tree?.states.includes('started')) {
    const open: OpenState = { stage: 'routed', lane: request.lane ?? 'normal', tree, records: routed!.records };
    return { step: { ...base, status, events, open }, deliveries: [], renderedChars: 0 };
  }
  const ending = hasReached(routed?.records) ? { status } : { status: failed, reason, error };
  return { step: { ...base, ...ending, events, open: null }, deliveries: [], renderedChars: 0 };
}

function hasReached(records: readonly LeafRecord[] = []): boolean {
  return records.some(({ status }) => status !== 'UNDELIVERABLE');
}

/** Nothing is under way any more: simulated, failed, or nothing to say. */
function concluded(
  { taken, ts }: Pick<Prepared, 'taken' | 'ts'>,
  base: Base,
  { events, records, untold }: Pick<Started, 'events' | 'records' | 'untold'>,
): Step {
  if (records.length > 0) {
    const { status, reason, error } = deriveStatus(statusSoFar(taken), records, false);
    const step = { ...base, status, reason, error, providers: records, events: [...base.events, ...events], open: null };
    return { step, deliveries: [], renderedChars: 0 };
  }
  const reason: MessageReason = 'NO_CHANNELS';
  const error = 'The content has nothing to say on the channels of its routing';
  const event: HistoryEvent = { ts, type: 'UNROUTABLE', channel: { id: '' }, reason, error_message: error, ...warned(untold) };
  return {
    step: { ...base, status: 'UNROUTABLE', reason, error, events: [...base.events, ...events, event], open: null },
    deliveries: [],
    renderedChars: 0,
  };
}

type Base = Omit<MessageStep, 'deliveries' | 'open' | 'status'>;

/** A context that is not there is passed over: the message is sent without one. */
function tenantDoubts({ request: { tenantId }, known }: Prepared): string[] {
  if (tenantId === undefined || known.tenant) return [];
  return [`There is no tenant ${JSON.stringify(tenantId)}: the message is sent without the context of one`];
}

/** The first event of a message has been told already: what loading its profile found out stands there. */
function profileEventWith(events: readonly HistoryEvent[], doubts: { warnings?: string[] }): HistoryEvent[] {
  return events.map((event) => (event.type === 'PROFILE_LOADED' ? { ...event, ...doubts } : event));
}

/** @param told what the first event says beside the request. */
function baseOf(
  { request, taken, ts, known }: PipelineItem & Pick<Prepared, 'ts'> & Partial<Pick<Prepared, 'known'>>,
  told: { warnings?: string[] } = {},
): Base {
  const template = known?.template;
  const tags = [...new Set([...request.tags, ...(template?.tags ?? [])])].slice(0, TAGS_MAX);
  const tenantId = known?.tenant?.tenant_id ?? request.tenantId;
  return {
    workspaceId: request.workspaceId,
    uuid: requireMessageUuid(request.id),
    ...(taken && { generation: taken.generation }),
    recipient: request.recipient,
    event: request.event,
    // Where no template was found now, what an earlier step found stays.
    ...((template || !taken) && { notification: template?.notification_id ?? '' }),
    enqueuedAt: request.requestedAt,
    ...(tags.length > 0 && (template || !taken) && { tags }),
    ...(request.traceId !== undefined && { traceId: request.traceId }),
    ...(request.requestId !== undefined && { requestId: requireMessageUuid(request.requestId) }),
    ...(request.list && { listId: request.list.id }),
    ...(tenantId !== undefined && { tenantId }),
    ...(request.jobId !== undefined && { jobId: request.jobId }),
    ...(request.idempotencyKey !== undefined && { idempotencyKey: request.idempotencyKey }),
    at: ts,
    // What is stored already is not said again.
    events: taken ? [] : [{ ...enqueuedEvent(request), ...warned([...(request.warnings ?? []), ...(told.warnings ?? [])]) }],
  };
}
