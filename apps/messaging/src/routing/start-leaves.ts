import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { DEFAULT_LIMITS, limitsOf } from '@tidings/contracts/messaging/timing/timeouts';
import type { Recipient } from '@tidings/providers/recipient';
import { isForChannel } from '@tidings/rendering/elemental/choose-channel';
import { messageInput } from '@tidings/rendering/message-input';
import type { PortableRenderInput } from '@tidings/rendering/pool/jobs';
import type { Rendered } from '@tidings/rendering/render';
import { warn } from '@tidings/rendering/scope';
import type { RenderResources } from '../content/content-loader';
import { type StoredRendering, warned } from '../store/stored-events';
import { leafFields, leafOf, type LeafRecord } from '../store/step-store';
import { addresseeOf, type RoutePlan } from './decide';
import {
  brandIdOf,
  type LeafSettings,
  overridesOf,
  providerNames,
  type RoutingContext,
  settingsOfLeaf,
  tenantVariables,
  topicIdOf,
  utmOf,
} from './routing-context';
import { type LeafOutput, leafOutput, hasVisibleContent } from './leaf-output';
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

/** A leaf whose provider is called next. */
interface StartedLeaf extends Leaf {
  readonly number: number;
  readonly recipient: Recipient;
  readonly rendering: StoredRendering;
}

/** Result of `startLeaves`. */
export interface Started {
  readonly tree: RoutingTree;
  readonly events: readonly HistoryEvent[];
  readonly leaves: readonly StartedLeaf[];
  /** Records of leaves that ended already: they could not be rendered, or were simulated. */
  readonly records: readonly LeafRecord[];
  /** Warnings of conditions and of skipped content; recorded in the UNROUTABLE event where no leaf was started. */
  readonly unreported: readonly string[];
  /** Length of the rendered texts, in characters. */
  readonly renderedChars: number;
}

interface Starting {
  readonly resources: RenderResources;
  readonly ts: number;
  readonly render: Render;
  /** Whether the step records the profiles: then an address from the profile is not stored a second time. */
  readonly recordsProfile: boolean;
}

/**
 * Renders the leaves to try next, until one can be called or none is left. Resolves with `'too large'` as soon as a leaf must not be
 * rendered on this thread.
 */
export async function startLeaves(
  request: MessageRequested,
  context: RoutingContext,
  { content, profiles, tree: planned, warnings = [] }: Pick<RoutePlan, 'content' | 'profiles' | 'tree' | 'warnings'>,
  { resources, ts, render, recordsProfile }: Starting,
): Promise<Started | 'too large'> {
  let tree = withoutEmpty(planned, content);
  let renderedChars = 0;
  const events: HistoryEvent[] = [];
  const leaves: StartedLeaf[] = [];
  const records: LeafRecord[] = [];
  const unreported = [...warnings];
  const addressee = addresseeOf(request, context, profiles);
  for (let starts = leavesToStart(tree); starts.length > 0; starts = leavesToStart(tree)) {
    for (const number of starts) {
      const leaf = tree.leaves[number]!;
      const settings = settingsOfLeaf(leaf, request, context);
      const limits = limitsOf({
        timeouts: request.timeouts,
        channel: leaf.channel,
        provider: providerNames(leaf, context),
        channelSettings: settings.channel,
        providerSettings: settings.provider,
      });
      const channelStartedAt = channelStart(tree, leaf.channel) ?? ts;
      const recipient = context.integrations.find(({ id }) => id === leaf.integration)?.needs(addressee);
      // The channel's time is over, or the provider was reconfigured after the routes were planned.
      if (ts - channelStartedAt > limits.channelMs || !recipient) {
        tree = withState(tree, number, 'skipped');
        continue;
      }
      const brandId = brandIdOf(settings, request, context);
      const pending = render(renderingOf(leaf, settings, request, context, { content, profiles, resources, brandId, ts }));
      const rendered = pending instanceof Promise ? await pending : pending;
      if (rendered === 'too large') return rendered;
      const { isBlank = false, warnings: ofContent = [] } = rendered instanceof ServiceError ? {} : (rendered ?? {});
      if (rendered === undefined || (isBlank && !hasVisibleContent(leaf, overridesOf(settings)))) {
        for (const warning of ofContent) warn({ warnings: unreported }, warning);
        tree = withState(tree, number, 'skipped');
        continue;
      }
      const where = leafFields(leaf);
      events.push({ ts, type: 'ROUTED', ...where, ...(events.length === 0 && warned(warnings)) });
      const output = outputOf(rendered, settings, context);
      if (output instanceof ServiceError) {
        const { message: error } = output;
        events.push({ ts, type: 'UNDELIVERABLE', ...where, error_message: error, reason: 'FAILED' });
        records.push({ ...leafOf(leaf, context.template?.notification_id), status: 'UNDELIVERABLE', reason: 'FAILED', error });
        tree = withState(tree, number, 'failed');
        continue;
      }
      const { stored, chars } = output;
      renderedChars += chars;
      const rendering: StoredRendering = {
        ...stored,
        ...(recordsProfile && isProfileAddress(recipient, profiles.merged) ? {} : { to: recipient }),
        ...attachmentsAlias(leaf, request, context),
        ...retryWindow(tree, number, limits, channelStartedAt, ts),
      };
      const leafWarnings = [...brandWarnings(brandId, resources), ...unsubscribeWarnings(leaf, settings, context), ...ofContent];
      events.push({ ts, type: 'RENDERED', ...where, ...rendering, ...warned(leafWarnings) });
      if (request.mode === 'test') {
        events.push({ ts, type: 'SIMULATED', ...where });
        records.push({ ...leafOf(leaf, context.template?.notification_id), status: 'SIMULATED' });
        tree = withState(tree, number, 'sent');
        continue;
      }
      leaves.push({ ...leaf, number, recipient, rendering });
      tree = withStart(tree, number, ts);
    }
  }
  return { tree, events, leaves, records, unreported, renderedChars };
}

/**
 * Skips routes without content, so that the last route with content has the retry window of the last route. A single route is not
 * skipped: its rendering reports the empty content.
 */
function withoutEmpty(tree: RoutingTree, content: RoutePlan['content']): RoutingTree {
  if (tree.leaves.length === 1) return tree;
  return tree.leaves.reduce((current, { channel, provider }, number) => {
    const isEmpty = current.states[number] === 'waiting' && !isForChannel(content, channel, provider);
    return isEmpty ? withState(current, number, 'skipped') : current;
  }, tree);
}

/** Whether the address is in PROFILE_LOADED of the same step, so that it need not be stored again for every message. */
function isProfileAddress(recipient: Recipient, { email }: Record<string, unknown>): boolean {
  return recipient.channel === 'email' && recipient.email === email;
}

/** Warns about an unknown brand: the message is sent without one. */
function brandWarnings(brandId: string | null | undefined, resources: RenderResources): string[] {
  if (typeof brandId !== 'string' || resources.brandOf(brandId)) return [];
  return [`There is no brand ${JSON.stringify(brandId)}: the message is sent without one`];
}

/** E-mails carry no `List-Unsubscribe` yet: warns where a topic or an override requests it. */
function unsubscribeWarnings({ channel, provider }: Leaf, settings: LeafSettings, { topic }: RoutingContext): string[] {
  if (channel !== 'email') return [];
  const warnings: string[] = [];
  if (topic?.include_unsubscribe_header) {
    const name = JSON.stringify(topic.name);
    warnings.push(`The topic ${name} requests include_unsubscribe_header: the e-mail is sent without List-Unsubscribe`);
  }
  const header = overridesOf(settings)
    .flatMap(({ headers }) => (isJsonObject(headers) ? Object.keys(headers) : []))
    .find((name) => /^list-unsubscribe(-post)?$/i.test(name));
  // HTTP providers send the headers of an override with the call itself.
  if (header !== undefined && provider === 'smtp') warnings.push(`override.headers requests ${header}: the e-mail is sent without it`);
  return warnings;
}

/** The output to send; an error where it is not valid. */
function outputOf(rendered: Rendered | ServiceError, settings: LeafSettings, { template }: RoutingContext): LeafOutput | ServiceError {
  if (rendered instanceof ServiceError) return rendered;
  try {
    return leafOutput(rendered, overridesOf(settings), template);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** The alias under which the send has attachments for this configuration: its delivery does not store the alias. */
function attachmentsAlias(
  { integration }: Leaf,
  { providers }: MessageRequested,
  { integrations }: RoutingContext,
): Pick<StoredRendering, 'alias'> {
  const alias = providers && integrations.find(({ id }) => id === integration)?.alias;
  return alias !== undefined && providers?.[alias]?.override?.attachments ? { alias } : {};
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

/** Sources of the rendering of a leaf. */
interface Sources extends Pick<RoutePlan, 'content' | 'profiles'>, Pick<Starting, 'resources' | 'ts'> {
  /** `null`: no brand; undefined: the default brand. */
  readonly brandId: string | null | undefined;
}

function renderingOf(
  leaf: Leaf,
  settings: LeafSettings,
  request: MessageRequested,
  context: RoutingContext,
  { content, profiles, resources, brandId, ts }: Sources,
): ToRender {
  const { workspaceId } = request;
  const { template } = context;
  const contentKey = template ? JSON.stringify([workspaceId, template.tenant_id, template.notification_id, template.version]) : undefined;
  const input = messageInput({
    workspaceId,
    content,
    contentKey,
    channel: leaf.channel,
    provider: leaf.provider,
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
  return { workspaceId, contentKey, input };
}
