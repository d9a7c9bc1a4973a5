import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { MessageContent } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import { DEFAULT_LIMITS, limitsOf } from '@tidings/contracts/messaging/timing/timeouts';
import type { Recipient } from '@tidings/providers/recipient';
import { isForChannel } from '@tidings/rendering/elemental/choose-channel';
import { messageInput } from '@tidings/rendering/message-input';
import type { PortableRenderInput } from '@tidings/rendering/pool/jobs';
import type { Rendered } from '@tidings/rendering/render';
import { warn } from '@tidings/rendering/scope';
import type { Utm } from '@tidings/rendering/urls';
import type { RenderResources } from '../content/content-loader';
import { type LeasedDelivery, toDelivery } from '../delivery/leased-delivery';
import { type StoredRendering, warned } from '../store/stored-events';
import { leafFields, leafOf, type LeafRecord } from '../store/step-store';
import { addresseeOf, type RoutePlan } from './decide';
import {
  brandIdOf,
  configurationOf,
  overridesOf,
  providerNames,
  type RoutingContext,
  settingsOfLeaf,
  tenantVariables,
  topicIdOf,
  utmOf,
} from './routing-context';
import { leafOutput, hasVisibleContent } from './leaf-output';
import type { Prepared } from './preparation';
import { channelStart, isLastRoute, type Leaf, leavesToStart, type RoutingTree, withStart, withState } from './tree/routing-tree';

/** Result of a rendering: undefined where the content has no part for the channel, an error where it cannot be rendered. */
export type Rendering = Rendered | ServiceError | undefined;

/** One leaf's content, ready to be rendered. */
export interface ToRender {
  readonly workspaceId: string;
  readonly input: PortableRenderInput;
  /** Identifies the content version for caches; undefined for content of a send, which is not shared. */
  readonly contentKey: string | undefined;
}

/** Renders one leaf; `'too large'`: must not run on this thread. */
export type Render = (one: ToRender) => Rendering | 'too large' | Promise<Rendering>;

/** Result of `startLeaves`. */
interface Started {
  readonly tree: RoutingTree;
  readonly events: readonly HistoryEvent[];
  /** Deliveries of the leaves whose providers are called next. */
  readonly deliveries: readonly LeasedDelivery[];
  /** Records of leaves that ended already: they could not be rendered, or were simulated. */
  readonly records: readonly LeafRecord[];
  /** Warnings of conditions and of skipped content; recorded in the UNROUTABLE event where no leaf was started. */
  readonly unreported: readonly string[];
  /** Length of the rendered texts, in characters. */
  readonly renderedChars: number;
}

/**
 * Renders the leaves to try next, until one can be called or none is left. Resolves with `'too large'` as soon as a leaf must not be
 * rendered on this thread.
 * @param more whether the message has an open state beside its deliveries.
 */
export async function startLeaves(item: Prepared, plan: RoutePlan, more: boolean, render: Render): Promise<Started | 'too large'> {
  const { request, context, resources, ts } = item;
  const { profiles, warnings = [] } = plan;
  const { lane = 'normal' } = request;
  const uuid = requireMessageUuid(request.id);
  const notification = context.template?.notification_id ?? '';
  const addressee = addresseeOf(request, context, profiles);
  // Then an address from the profile is not stored a second time.
  const recordsProfile = item.events.some(({ type }) => type === 'PROFILE_LOADED');
  let tree = withoutEmpty(plan.tree, plan.content);
  let renderedChars = 0;
  const events: HistoryEvent[] = [];
  const deliveries: LeasedDelivery[] = [];
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
      const pending = render(renderingOf(item, plan, leaf, utmOf(settings, request), brandId));
      const rendered = pending instanceof Promise ? await pending : pending;
      if (rendered === 'too large') return rendered;
      const { isBlank = false, warnings: ofContent = [] } = rendered instanceof ServiceError ? {} : (rendered ?? {});
      if (rendered === undefined || (isBlank && !hasVisibleContent(leaf, overrides))) {
        for (const warning of ofContent) warn({ warnings: unreported }, warning);
        tree = withState(tree, number, 'skipped');
        continue;
      }
      const where = leafFields(leaf);
      const record = leafOf(leaf, notification);
      events.push({ ts, type: 'ROUTED', ...where, ...(events.length === 0 && warned(warnings)) });
      const output = outputOf(rendered, overrides, context);
      if (output instanceof ServiceError) {
        const { message: error } = output;
        events.push({ ts, type: 'UNDELIVERABLE', ...where, error_message: error, reason: 'FAILED' });
        records.push({ ...record, status: 'UNDELIVERABLE', reason: 'FAILED', error });
        tree = withState(tree, number, 'failed');
        continue;
      }
      renderedChars += output.chars;
      const rendering: StoredRendering = {
        ...output.stored,
        ...(recordsProfile && isProfileAddress(recipient, profiles.merged) ? {} : { to: recipient }),
        // The delivery reads the attachments of the send under this name.
        ...(alias !== undefined && request.providers?.[alias]?.override?.attachments ? { alias } : {}),
        ...retryWindow(tree, number, limits, channelStartedAt, ts),
      };
      const leafWarnings = [...brandWarnings(brandId, resources), ...unsubscribeWarnings(leaf, overrides, context), ...ofContent];
      events.push({ ts, type: 'RENDERED', ...where, ...rendering, ...warned(leafWarnings) });
      if (request.mode === 'test') {
        events.push({ ts, type: 'SIMULATED', ...where });
        records.push({ ...record, status: 'SIMULATED' });
        tree = withState(tree, number, 'sent');
        continue;
      }
      const fields = { uuid, leaf: number, attempt: 1, notification, lane, isAnnounced: false, hasSlot: false, more, renderedAt: ts };
      deliveries.push(toDelivery(request, rendering, tree.since, { ...leaf, ...fields, recipient }));
      tree = withStart(tree, number, ts);
    }
  }
  return { tree, events, deliveries, records, unreported, renderedChars };
}

/**
 * Skips routes without content, so that the last route with content has the retry window of the last route. A single route is not
 * skipped: its rendering reports the empty content.
 */
function withoutEmpty(tree: RoutingTree, content: MessageContent) {
  if (tree.leaves.length === 1) return tree;
  return tree.leaves.reduce((current, { channel, provider }, number) => {
    const isEmpty = current.states[number] === 'waiting' && !isForChannel(content, channel, provider);
    return isEmpty ? withState(current, number, 'skipped') : current;
  }, tree);
}

/** Whether the address is in PROFILE_LOADED of the same step, so that it need not be stored again for every message. */
function isProfileAddress(recipient: Recipient, { email }: JsonObject) {
  return recipient.channel === 'email' && recipient.email === email;
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
  utm: Utm | undefined,
  brandId: string | null | undefined,
) {
  const { workspaceId } = request;
  const { template } = context;
  const contentKey = template ? JSON.stringify([workspaceId, template.tenant_id, template.notification_id, template.version]) : undefined;
  const input = messageInput({
    workspaceId,
    content,
    contentKey,
    channel,
    provider,
    brand: brandId === null ? null : resources.brandOf(brandId),
    catalogues: resources.catalogues,
    data: request.data,
    profile: profiles.merged,
    tenant: tenantVariables(context),
    utm,
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
  return { workspaceId, contentKey, input };
}
