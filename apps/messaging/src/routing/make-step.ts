import { requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import { escalationOf } from '@tidings/contracts/messaging/timing/timeouts';
import { type LeasedDelivery, toDelivery } from '../delivery/leased-delivery';
import { deriveStatus, type LeafRecord, type MessageStep, type OpenState, type Stage } from '../store/step-store';
import { enqueuedEvent, warned } from '../store/stored-events';
import { storable } from '../store/storable';
import type { ClaimedMessage, PipelineItem, Prepared } from './preparation';
import { escalationDue, withoutWaiting } from './tree/routing-tree';
import { type Render, type Started, startLeaves } from './start-leaves';

/** A step ready to be stored. */
export interface Step {
  readonly step: Omit<MessageStep, 'deliveries'>;
  /** Deliveries to attempt once the step is stored. */
  readonly deliveries: readonly LeasedDelivery[];
  /** Length of the rendered texts, in characters. */
  readonly renderedChars: number;
}

/** The end of a message that is not processed. */
export interface TerminalFailure {
  readonly status: 'UNDELIVERABLE' | 'UNROUTABLE';
  readonly reason: MessageReason;
  readonly error: string;
}

/** Maximum number of tags of a message, including those of its template. */
const TAGS_MAX = 100;

/** Renders the leaves to start next and builds the step. `'too large'`: a rendering must not run on this thread. */
export async function makeStep(item: Prepared, render: Render): Promise<Step | 'too large'> {
  const contextWarnings = warned(tenantWarnings(item));
  const prepared = item.claimed && contextWarnings.warnings ? { ...item, events: profileEventWith(item.events, contextWarnings) } : item;
  const { request, verdict, events, ts } = prepared;
  const base = baseOf(prepared, contextWarnings);
  const all = [...base.events, ...events];
  switch (verdict.kind) {
    case 'ended': {
      const { status, reason, error, records: providers } = verdict;
      return unstarted({ ...base, status, reason, error, providers, events: all, open: null });
    }
    case 'delayed': {
      const open: OpenState = { stage: 'delayed', dueMs: verdict.dueMs, lane: request.lane ?? 'normal' };
      return unstarted({ ...base, status: 'DELAYED', events: all, open });
    }
    case 'exhausted':
      return nextStep(prepared, base, {
        tree: withoutWaiting(verdict.tree),
        events: [],
        leaves: [],
        records: [],
        unreported: [],
        renderedChars: 0,
      });
    case 'routes': {
      const recordsProfile = events.some(({ type }) => type === 'PROFILE_LOADED');
      const { context, resources } = prepared;
      const started = await startLeaves(request, context, verdict, { resources, ts, render, recordsProfile });
      return started === 'too large' ? started : nextStep(prepared, base, started);
    }
  }
}

/** The step after leaves were started: the message stays open while a leaf is started or can escalate, else it ends. */
function nextStep(prepared: Prepared, base: Base, { tree, events, leaves, records: ended, unreported, renderedChars }: Started): Step {
  const { request, context, claimed, ts } = prepared;
  const records = [...(claimed?.routed?.records ?? []), ...ended];
  const all = [...prepared.events, ...events];
  const escalation = claimed?.routed ? claimed.routed.escalation : escalationOf(request.timeouts ?? {});
  const dueMs = escalationDue(tree, escalation);
  if (!tree.states.includes('started') && dueMs === undefined)
    return { ...concluded(prepared, base, { events: all, records, unreported }), renderedChars };
  // A message with a single delivery needs no open state: the delivery's end is its own.
  const isOnly = tree.leaves.length === 1 && records.length === 0;
  const { lane = 'normal' } = request;
  const open: OpenState | null = isOnly ? null : { stage: 'routed', lane, tree, records, escalation, dueMs };
  const { status } = deriveStatus(statusSoFar(claimed), records, true);
  const deliveries = leaves.map(({ rendering, number, ...names }) =>
    toDelivery(request, rendering, tree.since, {
      ...names,
      uuid: base.uuid,
      leaf: number,
      attempt: 1,
      notification: context.template?.notification_id ?? '',
      lane,
      isAnnounced: false,
      hasSlot: false,
      more: open !== null,
      renderedAt: ts,
    }),
  );
  const step = { ...base, status, events: [...base.events, ...all], open, providers: records.length > 0 ? records : undefined };
  return { step, deliveries, renderedChars };
}

/** The stored status of a message that was routed before: it may be delivered on one route while another starts. */
function statusSoFar(claimed: ClaimedMessage | undefined): MessageStatus {
  return claimed?.routed ? claimed.status : 'ROUTED';
}

/** The step that stores a message unprocessed, due now: the runner claims it. */
export function parkingStep({ request, claimed }: PipelineItem, stage: Extract<Stage, 'parked' | 'long'>, nowMs: number): Step {
  const ts = Math.max(nowMs, request.requestedAt);
  const base = baseOf({ request, claimed, ts });
  const { tree, records, escalation } = claimed?.routed ?? {};
  const { lane = 'normal' } = request;
  const open: OpenState = { stage, dueMs: nowMs, lane, isDue: claimed?.isDue || undefined, tree, records, escalation };
  return unstarted({ ...base, status: claimed?.status ?? 'ENQUEUED', open });
}

/**
 * The end of a message whose own request causes a permanent error. Stores no field of the request that may be the cause. Sent
 * leaves stay sent, and the message waits for started ones.
 */
export function failingStep(
  { request, claimed }: PipelineItem,
  { status: failed, reason, error: cause }: TerminalFailure,
  nowMs: number,
): Step {
  const { workspaceId, id, requestedAt, mode, requestId, jobId } = request;
  const ts = Math.max(nowMs, requestedAt);
  const error = storable(cause);
  const ids = { workspaceId, id, requestedAt, mode, requestId, jobId };
  const bare = { ...ids, recipient: storable(request.recipient), profile: {}, data: {}, event: '', tags: [] };
  const base = baseOf({ request: bare, claimed, ts });
  const integration = failed === 'UNDELIVERABLE' && { integration: { id: '', provider: '' } };
  const event: HistoryEvent = { ts, type: failed, channel: { id: '' }, ...integration, error_message: error, reason };
  const events = [...base.events, event];
  const { routed, status = failed } = claimed ?? {};
  const tree = routed && withoutWaiting(routed.tree);
  if (tree?.states.includes('started')) {
    const open: OpenState = { stage: 'routed', lane: request.lane ?? 'normal', tree, records: routed!.records };
    return unstarted({ ...base, status, events, open });
  }
  const ending = hasReached(routed?.records) ? { status } : { status: failed, reason, error };
  return unstarted({ ...base, ...ending, events, open: null });
}

function hasReached(records: readonly LeafRecord[] = []): boolean {
  return records.some(({ status }) => status !== 'UNDELIVERABLE');
}

/** The last step: every leaf was simulated, failed, or has no content. */
function concluded(
  { claimed, ts }: Pick<Prepared, 'claimed' | 'ts'>,
  base: Base,
  { events, records, unreported }: Pick<Started, 'events' | 'records' | 'unreported'>,
): Step {
  if (records.length > 0) {
    const { status, reason, error } = deriveStatus(statusSoFar(claimed), records, false);
    return unstarted({ ...base, status, reason, error, providers: records, events: [...base.events, ...events], open: null });
  }
  const reason: MessageReason = 'NO_CHANNELS';
  const error = 'The content is empty on the channels of its routing';
  const event: HistoryEvent = { ts, type: 'UNROUTABLE', channel: { id: '' }, reason, error_message: error, ...warned(unreported) };
  return unstarted({ ...base, status: 'UNROUTABLE', reason, error, events: [...base.events, ...events, event], open: null });
}

/** A step that starts no delivery. */
function unstarted(step: Step['step']): Step {
  return { step, deliveries: [], renderedChars: 0 };
}

type Base = Omit<MessageStep, 'deliveries' | 'open' | 'status'>;

/** Warns about an unknown tenant: the message is sent without a tenant context. */
function tenantWarnings({ request: { tenantId }, context }: Prepared): string[] {
  if (tenantId === undefined || context.tenant) return [];
  return [`There is no tenant ${JSON.stringify(tenantId)}: the message is sent without the context of one`];
}

/** Adds warnings to PROFILE_LOADED, for messages whose first event is stored already. */
function profileEventWith(events: readonly HistoryEvent[], added: { warnings?: string[] }): HistoryEvent[] {
  return events.map((event) => (event.type === 'PROFILE_LOADED' ? { ...event, ...added } : event));
}

/** @param added further warnings of the first event. */
export function baseOf(
  { request, claimed, ts, context }: PipelineItem & Pick<Prepared, 'ts'> & Partial<Pick<Prepared, 'context'>>,
  added: { warnings?: string[] } = {},
): Base {
  const template = context?.template;
  const tags = [...new Set([...request.tags, ...(template?.tags ?? [])])].slice(0, TAGS_MAX);
  return {
    workspaceId: request.workspaceId,
    uuid: requireMessageUuid(request.id),
    generation: claimed?.generation,
    recipient: request.recipient,
    event: request.event,
    // Without a template now, the one of an earlier step stays.
    notification: template || !claimed ? (template?.notification_id ?? '') : undefined,
    enqueued_at: request.requestedAt,
    tags: tags.length > 0 && (template || !claimed) ? tags : undefined,
    trace_id: request.traceId,
    request_id: request.requestId && requireMessageUuid(request.requestId),
    list_id: request.list?.id,
    tenant_id: context?.tenant?.tenant_id ?? request.tenantId,
    job_id: request.jobId,
    idempotency_key: request.idempotencyKey,
    at: ts,
    // A stored message has its ENQUEUED event already.
    events: claimed ? [] : [{ ...enqueuedEvent(request), ...warned([...(request.warnings ?? []), ...(added.warnings ?? [])]) }],
  };
}
