import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { MessageContent, MessageRequested } from '@tidings/contracts/messaging/events';
import { requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { DEFAULT_LIMITS, escalationOf, limitsOf } from '@tidings/contracts/messaging/timing/timeouts';
import { isForChannel } from '@tidings/rendering/elemental/choose-channel';
import { messageInput } from '@tidings/rendering/message-input';
import type { PortableRenderInput } from '@tidings/rendering/pool/jobs';
import type { Rendered } from '@tidings/rendering/render';
import { warn } from '@tidings/rendering/scope';
import type { RenderResources } from '../context/content-loader';
import type { EmailBases } from './email-bases';
import { type LeasedDelivery, toDelivery } from './leased-delivery';
import { leafFields, leafOf, type LeafRecord } from '../record/leaf-record';
import { deriveStatus } from '../record/derive-status';
import type { MessageStep, OpenState } from '../record/step-store';
import { enqueuedEvent, type StoredRendering, warned } from '../record/stored-events';
import type { RenderingBase } from '../record/short-email';
import { storable } from '../record/storable';
import { addresseeOf, type RoutePlan } from '../plan/decide';
import {
  brandIdOf,
  configurationOf,
  type LeafSettings,
  overridesOf,
  providerNames,
  type RoutingContext,
  settingsOfLeaf,
  tenantVariables,
  topicIdOf,
  utmOf,
} from '../plan/routing-context';
import { leafOutput, hasVisibleContent } from './leaf-output';
import type { Prepared } from '../context/preparation';
import type { PipelineItem } from '../plan/plan';
import {
  channelStart,
  escalationDue,
  isLastRoute,
  type Leaf,
  leavesToStart,
  type RoutingTree,
  withoutWaiting,
  withStart,
  withState,
} from '../record/routing-tree';

/** Result of a rendering: undefined where the content has no part for the channel, an error where it cannot be rendered. */
export type Rendering = Rendered | ServiceError | undefined;

/** One leaf's content, ready to be rendered. */
export interface ToRender {
  readonly workspaceId: string;
  readonly input: PortableRenderInput;
}

/** Renders one leaf; `'too large'`: must not run on this thread. */
export type Render = (one: ToRender) => Rendering | 'too large' | Promise<Rendering>;

/** How leaves are rendered, and their e-mails stored. */
interface RenderMeans {
  readonly render: Render;
  readonly emails: Pick<EmailBases, 'shorten'>;
}

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
export async function makeStep(item: Prepared, render: Render, emails: Pick<EmailBases, 'shorten'>): Promise<Step | 'too large'> {
  const { request, context, claimed, verdict, ts } = item;
  const first = baseOf(item, ts, context);
  // The first event of a stored message is in the history: its warnings go to the next one.
  const events = claimed ? withWarnings(item.events, tenantWarnings(request, context)) : item.events;
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
      return routedStep(item, verdict, base, { render, emails });
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
  const { tree, deliveries, bases, renderedChars } = started;
  const events = [...base.events, ...started.events];
  const records = [...earlier, ...started.records];
  const escalation = routed ? routed.escalation : escalationOf(request.timeouts ?? {});
  const dueMs = escalationDue(tree, escalation);
  const isOpen = tree.states.includes('started') || dueMs !== undefined;
  if (!isOpen && records.length === 0) {
    const reason = 'NO_CHANNELS';
    const error = 'The content is empty on the channels of its routing';
    events.push({ ts, type: 'UNROUTABLE', channel: { id: '' }, reason, error_message: error, ...warned(started.unreported) });
    return unstarted({ ...base, status: 'UNROUTABLE', reason, error, events, open: null });
  }
  // A message that was routed before may be delivered on one route while another starts.
  const { status, reason, error } = deriveStatus(claimed?.routed ? claimed.status : 'ROUTED', records, isOpen);
  const open: OpenState | null = isOpen && more ? { stage: 'routed', lane, tree, records, escalation, dueMs } : null;
  const step = Object.assign(base, { status, reason, error, events, open, providers: records.length > 0 ? records : undefined });
  return { step, deliveries, bases, renderedChars };
}

/**
 * Renders the leaves to try next, until one can be called or none is left. Resolves with `'too large'` as soon as a leaf must not be
 * rendered on this thread; else with the tree after it, its events, and the deliveries whose providers are called next. `records` are
 * those of leaves that ended already: they could not be rendered, or were simulated. `unreported` are the warnings of conditions and of
 * skipped content; recorded in the UNROUTABLE event where no leaf was started.
 * @param more whether the message has an open state beside its deliveries.
 */
async function startLeaves(item: Prepared, plan: RoutePlan, more: boolean, { render, emails }: RenderMeans) {
  const { request, context, resources, ts } = item;
  const { profiles, warnings = [] } = plan;
  const { lane = 'normal' } = request;
  const uuid = requireMessageUuid(request.id);
  const notification = context.template?.notification_id ?? '';
  const addressee = addresseeOf(request, context, profiles);
  // Then the address of the profile need not be stored again for every message.
  const recordsProfile = item.events.some(({ type }) => type === 'PROFILE_LOADED');
  let tree = withoutEmpty(plan.tree, plan.content);
  let renderedChars = 0;
  const events: HistoryEvent[] = [];
  const deliveries: LeasedDelivery[] = [];
  const bases: RenderingBase[] = [];
  const records: LeafRecord[] = [];
  const unreported = [...warnings];
  for (let starts = leavesToStart(tree); starts.length > 0; starts = leavesToStart(tree)) {
    for (const number of starts) {
      const leaf = tree.leaves[number]!;
      const settings = settingsOfLeaf(leaf, request, context);
      const overrides = overridesOf(settings);
      const limits = limitsOf({
        timeouts: request.timeouts,
        channel: leaf.channel,
        provider: providerNames(leaf, context),
        channelSettings: settings.channel,
        providerSettings: settings.provider,
      });
      const channelStartedAt = channelStart(tree, leaf.channel) ?? ts;
      const { alias, needs } = configurationOf(leaf.integration, context) ?? {};
      const recipient = needs?.(addressee);
      // The channel's time is over, or the provider was reconfigured after the routes were planned.
      if (ts - channelStartedAt > limits.channelMs || !recipient) {
        tree = withState(tree, number, 'skipped');
        continue;
      }
      const brandId = brandIdOf(settings, request, context);
      const toRender = renderingOf(item, plan, leaf, settings, brandId);
      const pending = render(toRender);
      const rendered = pending instanceof Promise ? await pending : pending;
      if (rendered === 'too large') return rendered;
      const { isBlank = false, warnings: ofContent = [] } = rendered instanceof ServiceError ? {} : (rendered ?? {});
      if (rendered === undefined || (isBlank && !hasVisibleContent(leaf.channel, overrides))) {
        for (const warning of ofContent) warn({ warnings: unreported }, warning);
        tree = withState(tree, number, 'skipped');
        continue;
      }
      const { channel, integration } = leafFields(leaf);
      const record = leafOf(leaf, notification);
      events.push({ ts, type: 'ROUTED', channel, integration, warnings: events.length === 0 ? warned(warnings).warnings : undefined });
      const output = outputOf(rendered, overrides, context);
      if (output instanceof ServiceError) {
        const { message: error } = output;
        events.push({ ts, type: 'UNDELIVERABLE', channel, integration, error_message: error, reason: 'FAILED' });
        records.push({ ...record, status: 'UNDELIVERABLE', reason: 'FAILED', error });
        tree = withState(tree, number, 'failed');
        continue;
      }
      renderedChars += output.chars;
      const { until, has_next } = retryWindow(tree, number, limits, channelStartedAt, ts);
      const rendering: StoredRendering = Object.assign(output.stored, {
        to: recordsProfile && recipient.channel === 'email' && recipient.email === profiles.merged.email ? undefined : recipient,
        // The delivery reads the attachments of the send under this name.
        alias: alias !== undefined && request.providers?.[alias]?.override?.attachments ? alias : undefined,
        until,
        has_next,
      });
      const leafWarnings = [...brandWarnings(brandId, resources), ...unsubscribeWarnings(leaf, overrides, context), ...ofContent];
      const { stored, base } = emails.shorten(toRender, rendering);
      if (base) bases.push(base);
      events.push(Object.assign({ ts, type: 'RENDERED' as const, channel, integration, warnings: warned(leafWarnings).warnings }, stored));
      if (request.mode === 'test') {
        events.push({ ts, type: 'SIMULATED', channel, integration });
        records.push({ ...record, status: 'SIMULATED' });
        tree = withState(tree, number, 'sent');
        continue;
      }
      const { integration: configuration, provider } = leaf;
      const names = { channel: leaf.channel, integration: configuration, provider, notification };
      const opened = { uuid, leaf: number, lane, recipient, attempt: 1, isAnnounced: false, hasSlot: false, more, renderedAt: ts };
      deliveries.push(toDelivery(request, rendering, tree.since, Object.assign(opened, names)));
      tree = withStart(tree, number, ts);
    }
  }
  return { tree, events, deliveries, bases, records, unreported, renderedChars };
}

/**
 * Skips routes without content, so that the last route with content has the retry window of the last route. A single route is not
 * skipped: its rendering reports the empty content.
 */
function withoutEmpty(tree: RoutingTree, content: MessageContent): RoutingTree {
  const { leaves, states } = tree;
  if (leaves.length === 1) return tree;
  const isEmpty = leaves.map(({ channel, provider }) => !isForChannel(content, channel, provider));
  return { ...tree, states: states.map((state, number) => (state === 'waiting' && isEmpty[number] ? 'skipped' : state)) };
}

/** Warns about an unknown brand: the message is sent without one. */
function brandWarnings(brandId: string | null | undefined, resources: RenderResources) {
  if (typeof brandId !== 'string' || resources.brandOf(brandId)) return [];
  return [`There is no brand ${JSON.stringify(brandId)}: the message is sent without one`];
}

/** E-mails carry no `List-Unsubscribe` yet: warns where a topic or an override requests it. */
function unsubscribeWarnings({ channel, provider }: Leaf, overrides: readonly JsonObject[], { topic }: RoutingContext) {
  if (channel !== 'email') return [];
  const warnings: string[] = [];
  if (topic?.include_unsubscribe_header) {
    const name = JSON.stringify(topic.name);
    warnings.push(`The topic ${name} requests include_unsubscribe_header: the e-mail is sent without List-Unsubscribe`);
  }
  const header = overrides
    .flatMap(({ headers }) => (isJsonObject(headers) ? Object.keys(headers) : []))
    .find((name) => /^list-unsubscribe(-post)?$/i.test(name));
  // HTTP providers send the headers of an override with the call itself.
  if (header !== undefined && provider === 'smtp') warnings.push(`override.headers requests ${header}: the e-mail is sent without it`);
  return warnings;
}

/** The output to send; an error where it is not valid. */
function outputOf(rendered: Rendered | ServiceError, overrides: readonly JsonObject[], { template }: RoutingContext) {
  if (rendered instanceof ServiceError) return rendered;
  try {
    return leafOutput(rendered, overrides, template);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** How long a leaf is retried: within the limits of provider and channel while another route is left, else within the message's. */
function retryWindow(
  tree: RoutingTree,
  number: number,
  limits: ReturnType<typeof limitsOf>,
  channelStartedAt: number,
  ts: number,
): Pick<StoredRendering, 'until' | 'has_next'> {
  const end = tree.since + limits.messageMs;
  if (isLastRoute(tree, number)) return limits.messageMs === DEFAULT_LIMITS.messageMs ? {} : { until: end };
  return { until: Math.min(ts + limits.providerMs, channelStartedAt + limits.channelMs, end), has_next: true };
}

/** @param brandId `null`: no brand; undefined: the default brand. */
function renderingOf(
  { request, context, resources, ts }: Prepared,
  { content, profiles }: RoutePlan,
  { channel, provider }: Leaf,
  settings: LeafSettings,
  brandId: string | null | undefined,
) {
  const { workspaceId } = request;
  const { template } = context;
  const input = messageInput({
    workspaceId,
    content,
    contentKey: contentKeyOf(request, template),
    channel,
    provider,
    brand: brandId === null ? null : resources.brandOf(brandId),
    catalogues: resources.catalogues,
    data: request.data,
    profile: profiles.merged,
    tenant: tenantVariables(context),
    utm: utmOf(settings, request),
    builtIns: {
      messageId: request.id,
      event: request.event,
      recipient: request.recipient,
      template: template?.notification_id ?? request.template ?? '',
      topicId: topicIdOf(request, template),
      mode: request.mode,
      scope: 'published',
      nowMs: ts,
    },
  });
  return { workspaceId, input };
}

/** Names content that many messages have: a version of a template, or the content of one send to a list, an audience, a tenant or a job. */
function contentKeyOf({ workspaceId, requestId, requestTarget, jobId }: MessageRequested, template: RoutingContext['template']) {
  if (template) return JSON.stringify([workspaceId, template.tenant_id, template.notification_id, template.version]);
  return requestTarget === undefined && jobId === undefined ? undefined : JSON.stringify([workspaceId, requestId]);
}

/** The step that stores a message unprocessed, due now: the runner claims it. */
export function parkingStep({ request, claimed }: PipelineItem, stage: 'parked' | 'long', nowMs: number): Step {
  const base = baseOf({ request, claimed }, nowMs);
  const { tree, records, escalation } = claimed?.routed ?? {};
  const { lane = 'normal' } = request;
  const open: OpenState = { stage, dueMs: nowMs, lane, isDue: claimed?.isDue || undefined, tree, records, escalation };
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
  const base = baseOf({ request: bare, claimed }, nowMs);
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

/** Warns about an unknown tenant: the message is sent without a tenant context. */
function tenantWarnings({ tenantId }: MessageRequested, context: RoutingContext | undefined) {
  if (tenantId === undefined || !context || context.tenant) return [];
  return [`There is no tenant ${JSON.stringify(tenantId)}: the message is sent without the context of one`];
}

/** Adds warnings to PROFILE_LOADED. */
function withWarnings(events: readonly HistoryEvent[], warnings: readonly string[]) {
  return events.map((event) => (event.type === 'PROFILE_LOADED' ? { ...event, ...warned(warnings) } : event));
}

/** The fields of a step that its kind does not decide, with the first event of a message that is not stored yet. */
export function baseOf({ request, claimed }: PipelineItem, nowMs: number, context?: RoutingContext): Base {
  const template = context?.template;
  const tags = [...new Set([...request.tags, ...(template?.tags ?? [])])].slice(0, TAGS_MAX);
  const warnings = [...(request.warnings ?? []), ...tenantWarnings(request, context)];
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
    at: Math.max(nowMs, request.requestedAt),
    events: claimed ? [] : [Object.assign(enqueuedEvent(request), warned(warnings))],
  };
}
