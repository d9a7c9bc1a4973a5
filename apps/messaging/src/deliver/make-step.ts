import type { StoredDecision } from '@tidings/contracts/messaging/decisions';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { escalationOf } from '@tidings/contracts/messaging/timing/timeouts';
import type { LeasedDelivery } from './leased-delivery';
import { type RenderMeans, startLeaves } from './start-leaves';
import { deriveStatus } from '../record/derive-status';
import type { MessageStep, OpenState } from '../record/step-store';
import { enqueuedEvent, warned } from '../record/stored-events';
import type { RenderingBase } from '../record/short-email';
import { storable } from '../record/storable';
import type { RoutePlan } from '../plan/decide';
import type { RoutingContext } from '../plan/routing-context';
import { unknownProviderWarnings } from '../plan/unknown-providers';
import type { Prepared } from '../context/preparation';
import type { PipelineItem } from '../plan/plan';
import { escalationDue, withoutWaiting } from '../record/routing-tree';

/** A step ready to be stored. */
export interface Step {
  readonly step: Omit<MessageStep, 'deliveries'>;
  /** Deliveries to attempt once the step is stored. */
  readonly deliveries: readonly LeasedDelivery[];
  /** Bases of its stored e-mails, to be stored before it. */
  readonly bases: readonly RenderingBase[];
  /** Length of the rendered texts, in characters. */
  readonly renderedChars: number;
}

/** The reason of each end of a message that is not processed. */
const REASONS = { UNDELIVERABLE: 'FAILED', UNROUTABLE: 'NO_CHANNELS' } as const;

/** Maximum number of tags of a message, including those of its template. */
const TAGS_MAX = 100;

/** Renders the leaves to start next and builds the step. `'too large'`: a rendering must not run on this thread. */
export async function makeStep(item: Prepared, rendering: RenderMeans): Promise<Step | 'too large'> {
  const { request, context, claimed, verdict, ts } = item;
  const first = baseOf(item, ts, context);
  // The first event of a stored message is in the history: its warnings go to the next one.
  const events = claimed ? withWarnings(item.events, contextWarnings(request, context)) : item.events;
  // Not spreads, which cost microseconds each on the path of a message (docs/benchmarks.md).
  const base = Object.assign(first, { events: [...first.events, ...events] });
  switch (verdict.kind) {
    case 'ended': {
      const { status, reason, error, records: providers } = verdict;
      return unstarted({ ...base, status, reason, error, providers, open: null });
    }
    case 'delayed':
      return unstarted({ ...base, status: 'DELAYED', open: { stage: 'delayed', dueMs: verdict.dueMs, lane: request.lane ?? 'normal' } });
    case 'routes':
      return routedStep(item, verdict, base, rendering);
  }
}

/** The step that starts leaves: the message stays open while a leaf is started or can escalate, else it ends. */
async function routedStep(item: Prepared, plan: RoutePlan, base: Base, rendering: RenderMeans) {
  const { request, claimed, ts } = item;
  const { lane = 'normal' } = request;
  const { routed } = claimed ?? {};
  const earlier = routed?.records ?? [];
  // A message with a single delivery needs no open state: the delivery's end is its own.
  const more = plan.tree.leaves.length > 1 || earlier.length > 0;
  const started = await startLeaves(item, plan, more, rendering);
  if (started === 'too large') return started;
  const { tree, deliveries, bases, renderedChars, decided } = started;
  const events = [...base.events, ...started.events];
  const records = [...earlier, ...started.records];
  const escalation = routed ? routed.escalation : escalationOf(request.timeouts ?? {});
  const dueMs = escalationDue(tree, escalation);
  const isOpen = tree.states.includes('started') || dueMs !== undefined;
  if (!isOpen && records.length === 0) {
    const reason = 'NO_CHANNELS';
    const error = 'The content is empty on the channels of its routing';
    events.push({ ts, type: 'UNROUTABLE', channel: { id: '' }, reason, error_message: error, ...warned(started.unreported) });
    return unstarted({ ...base, status: 'UNROUTABLE', reason, error, events: withDecisions(events, decided), open: null });
  }
  // A message that was routed before may be delivered on one route while another starts.
  const { status, reason, error } = deriveStatus(claimed?.routed ? claimed.status : 'ROUTED', records, isOpen);
  const open: OpenState | null = isOpen && more ? { stage: 'routed', lane, tree, records, escalation, dueMs } : null;
  const step = Object.assign(base, {
    status,
    reason,
    error,
    events: withDecisions(events, decided),
    open,
    providers: records.length > 0 ? records : undefined,
  });
  return { step, deliveries, bases, renderedChars };
}

/** Stores the decisions of a step with its first event that has some, else with its first; a step without events has no row for them. */
function withDecisions(events: HistoryEvent[], decided: readonly StoredDecision[]) {
  if (decided.length === 0) return events;
  const index = Math.max(
    0,
    events.findIndex((event) => event.decided !== undefined),
  );
  const event = events[index];
  return event
    ? events.with(index, { ...event, decided: [...((event.decided as StoredDecision[] | undefined) ?? []), ...decided] })
    : events;
}

/** The step that stores a message unprocessed: the runner claims it at `dueMs`. */
export function parkingStep({ request, claimed }: PipelineItem, stage: 'parked' | 'long', nowMs: number, dueMs = nowMs): Step {
  const base = baseOf({ request, claimed }, nowMs);
  const { tree, records, escalation } = claimed?.routed ?? {};
  const { lane = 'normal' } = request;
  const open: OpenState = { stage, dueMs, lane, isDue: claimed?.isDue || undefined, tree, records, escalation };
  return unstarted({ ...base, status: claimed?.status ?? 'ENQUEUED', open });
}

/**
 * The end of a message whose own request causes a permanent error. Stores no field of the request that may be the cause. Sent
 * leaves stay sent, and the message waits for started ones.
 */
export function failingStep({ request, claimed }: PipelineItem, failed: keyof typeof REASONS, cause: string, nowMs: number): Step {
  const { workspaceId, id, requestedAt, mode, requestId, jobId, lane = 'normal' } = request;
  const [recipient, warnings] = [storable(request.recipient), request.warnings?.map(storable)];
  const bare = { workspaceId, id, requestedAt, mode, requestId, jobId, recipient, profile: {}, data: {}, event: '', tags: [], warnings };
  // Empty targets mark the record of a request, as in that of a canceled one.
  const base = baseOf({ request: { ...bare, targets: request.targets && [] }, claimed }, nowMs);
  const reason = REASONS[failed];
  const error = storable(cause);
  const nowhere = { channel: { id: '' }, ...(failed === 'UNDELIVERABLE' && { integration: { id: '', provider: '' } }) };
  const events = [...base.events, { ts: base.at, type: failed, ...nowhere, error_message: error, reason }];
  const { routed, status = failed } = claimed ?? {};
  const { records = [] } = routed ?? {};
  const tree = routed && withoutWaiting(routed.tree);
  const isOpen = tree?.states.includes('started') === true;
  const open: OpenState | null = isOpen ? { stage: 'routed', lane, tree, records } : null;
  const hasReached = records.some((leaf) => leaf.status !== 'UNDELIVERABLE');
  return unstarted({ ...base, ...(isOpen || hasReached ? { status } : { status: failed, reason, error }), events, open });
}

/** A step that starts no delivery. */
function unstarted(step: Step['step']) {
  return { step, deliveries: [], bases: [], renderedChars: 0 };
}

type Base = Omit<MessageStep, 'deliveries' | 'open' | 'status'>;

/** Warns about what the request names and does not exist: its tenant, without whose context it is sent, and providers. */
function contextWarnings(request: MessageRequested, context: RoutingContext | undefined) {
  if (!context) return [];
  const warnings = unknownProviderWarnings(request, context);
  const { tenantId } = request;
  if (tenantId === undefined || context.tenant) return warnings;
  return [`There is no tenant ${JSON.stringify(tenantId)}: the message is sent without the context of one`, ...warnings];
}

/** Adds warnings to PROFILE_LOADED. */
function withWarnings(events: readonly HistoryEvent[], warnings: readonly string[]) {
  return events.map((event) => (event.type === 'PROFILE_LOADED' ? { ...event, ...warned(warnings) } : event));
}

/** The fields of a step that its kind does not decide, with the first event of a message that is not stored yet. */
export function baseOf({ request, claimed }: PipelineItem, nowMs: number, context?: RoutingContext): Base {
  const template = context?.template;
  const tags = [...new Set([...request.tags, ...(template?.tags ?? [])])].slice(0, TAGS_MAX);
  const warnings = [...(request.warnings ?? []), ...contextWarnings(request, context)];
  return {
    workspaceId: request.workspaceId,
    uuid: requireMessageUuid(request.id),
    generation: claimed?.generation,
    before: claimed?.status,
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
    at: Math.max(nowMs, request.requestedAt),
    events: claimed ? [] : [Object.assign(enqueuedEvent(request), warned(warnings))],
  };
}
