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
import { warned } from '../store/history-row';
import { leafOf, type LeafRecord, placeOf } from '../store/leaf-record';
import type { StoredRendering } from '../store/stored-output';
import { addresseeOf, type RoutePlan } from './decide';
import { type RoutingContext, tenantVariables, topicIdOf } from './routing-context';
import { type LeafOutput, leafOutput, hasVisibleContent } from './leaf-output';
import { brandIdOf, type LeafSettings, overridesOf, providerNames, settingsOfLeaf, utmOf } from './leaf-settings';
import { channelStart, isLastRoute, type Leaf, leavesToStart, type RoutingTree, withStart, withState } from './tree/routing-tree';

/** What rendering came to: undefined where the content has nothing for the channel, an error where it cannot be rendered. */
export type Rendering = Rendered | ServiceError | undefined;

/** One leaf's content, ready to be rendered. */
export interface ToRender {
  readonly workspaceId: string;
  readonly input: PortableRenderInput;
  /** Names the content for good; texts of a send itself are nobody else's. */
  readonly contentKey: string | undefined;
}

/** `'too large'`: not on this thread. */
export type Render = (one: ToRender) => Rendering | 'too large' | Promise<Rendering>;

/** A leaf whose provider is to be called now. */
interface StartedLeaf extends Leaf {
  readonly number: number;
  readonly recipient: Recipient;
  readonly rendering: StoredRendering;
}

export interface Started {
  readonly tree: RoutingTree;
  readonly events: readonly HistoryEvent[];
  readonly leaves: readonly StartedLeaf[];
  /** Of leaves that ended already: they could not be rendered, or were simulated. */
  readonly records: readonly LeafRecord[];
  /** Why conditions are false, and what was left out of content of which nothing is left; told where nothing else is. */
  readonly untold: readonly string[];
  /** Length of what was rendered. */
  readonly renderedChars: number;
}

interface Starting {
  readonly voice: RenderResources;
  readonly ts: number;
  readonly render: Render;
  /** Whether the step tells of the profiles: where it does, an address that stands in them is not written again. */
  readonly tellsProfile: boolean;
}

/**
 * Renders what is to be tried next, until something can be called or nothing is left. Resolves with `'too large'` as soon as
 * one of the leaves is not to be rendered on this thread.
 */
export async function startLeaves(
  request: MessageRequested,
  known: RoutingContext,
  { content, profiles, tree: planned, doubts = [] }: Pick<RoutePlan, 'content' | 'profiles' | 'tree' | 'doubts'>,
  { voice, ts, render, tellsProfile }: Starting,
): Promise<Started | 'too large'> {
  let tree = withoutSilent(planned, content);
  let renderedChars = 0;
  const events: HistoryEvent[] = [];
  const leaves: StartedLeaf[] = [];
  const records: LeafRecord[] = [];
  const untold = [...doubts];
  const addressee = addresseeOf(request, known, profiles);
  for (let starts = leavesToStart(tree); starts.length > 0; starts = leavesToStart(tree)) {
    for (const number of starts) {
      const leaf = tree.leaves[number]!;
      const settings = settingsOfLeaf(leaf, request, known);
      const limits = limitsOf({
        timeouts: request.timeouts,
        channel: leaf.channel,
        provider: providerNames(leaf, known),
        channelSettings: settings.channel,
        providerSettings: settings.provider,
      });
      const channelBegan = channelStart(tree, leaf.channel) ?? ts;
      const recipient = known.integrations.find(({ id }) => id === leaf.integration)?.needs(addressee);
      // The time of its channel is over, or it was reconfigured since the ways were chosen.
      if (ts - channelBegan > limits.channelMs || !recipient) {
        tree = withState(tree, number, 'skipped');
        continue;
      }
      const brandId = brandIdOf(settings, request, known);
      const pending = render(renderingOf(leaf, settings, request, known, { content, profiles, voice, brandId, ts }));
      const rendered = pending instanceof Promise ? await pending : pending;
      if (rendered === 'too large') return rendered;
      if (rendered === undefined || (isBlank(rendered) && !hasVisibleContent(leaf, overridesOf(settings)))) {
        if (rendered) for (const sentence of warningsOf(rendered)) warn({ warnings: untold }, sentence);
        tree = withState(tree, number, 'skipped');
        continue;
      }
      const where = placeOf(leaf);
      events.push({ ts, type: 'ROUTED', ...where, ...(events.length === 0 && warned(doubts)) });
      const output = outputOf(rendered, settings, known);
      if (output instanceof ServiceError) {
        const { message: error } = output;
        events.push({ ts, type: 'UNDELIVERABLE', ...where, error_message: error, reason: 'FAILED' });
        records.push({ ...leafOf(leaf, known.template?.notification_id), status: 'UNDELIVERABLE', reason: 'FAILED', error });
        tree = withState(tree, number, 'failed');
        continue;
      }
      const { stored, chars } = output;
      renderedChars += chars;
      const rendering: StoredRendering = {
        ...stored,
        ...(tellsProfile && isProfileAddress(recipient, profiles.merged) ? {} : { to: recipient }),
        ...filesName(leaf, request, known),
        ...patience(tree, number, { ...limits, channelBegan, ts }),
      };
      const doubtsOfLeaf = [...brandDoubts(brandId, voice), ...unsubscribeDoubts(leaf, settings, known), ...warningsOf(rendered)];
      events.push({ ts, type: 'RENDERED', ...where, ...rendering, ...warned(doubtsOfLeaf) });
      if (request.mode === 'test') {
        events.push({ ts, type: 'SIMULATED', ...where });
        records.push({ ...leafOf(leaf, known.template?.notification_id), status: 'SIMULATED' });
        tree = withState(tree, number, 'sent');
        continue;
      }
      leaves.push({ ...leaf, number, recipient, rendering });
      tree = withStart(tree, number, ts);
    }
  }
  return { tree, events, leaves, records, untold, renderedChars };
}

/**
 * Without the ways on which the content has nothing to say: a way with such ways alone behind it is the last one, and is tried as long as
 * the last one is. Of one way its rendering says so.
 */
function withoutSilent(tree: RoutingTree, content: RoutePlan['content']): RoutingTree {
  if (tree.leaves.length === 1) return tree;
  return tree.leaves.reduce((current, { channel, provider }, number) => {
    const isSilent = current.states[number] === 'waiting' && !isForChannel(content, channel, provider);
    return isSilent ? withState(current, number, 'skipped') : current;
  }, tree);
}

/** The address is in the same step of the history already: every byte is written for every message. */
function isProfileAddress(recipient: Recipient, { email }: Record<string, unknown>): boolean {
  return recipient.channel === 'email' && recipient.email === email;
}

/** A brand that is not there is passed over: the message is sent without one. */
function brandDoubts(brandId: string | null | undefined, voice: RenderResources): string[] {
  if (typeof brandId !== 'string' || voice.brandOf(brandId)) return [];
  return [`There is no brand ${JSON.stringify(brandId)}: the message is sent without one`];
}

/** E-mails carry no `List-Unsubscribe` yet: whoever asked for one learns that it is missing. */
function unsubscribeDoubts({ channel, provider }: Leaf, settings: LeafSettings, { topic }: RoutingContext): string[] {
  if (channel !== 'email') return [];
  const doubts: string[] = [];
  if (topic?.include_unsubscribe_header) {
    doubts.push(`The topic ${JSON.stringify(topic.name)} asks for include_unsubscribe_header: the e-mail is sent without List-Unsubscribe`);
  }
  const overrides = overridesOf(settings);
  const header = [overrides.channel, overrides.provider]
    .flatMap(({ headers }) => (isJsonObject(headers) ? Object.keys(headers) : []))
    .find((name) => /^list-unsubscribe(-post)?$/i.test(name));
  // Over HTTP headers of an override go with the call itself.
  if (header !== undefined && provider === 'smtp') doubts.push(`override.headers asks for ${header}: the e-mail is sent without it`);
  return doubts;
}

function warningsOf(rendered: Rendered | ServiceError): readonly string[] {
  return rendered instanceof ServiceError ? [] : rendered.warnings;
}

function isBlank(rendered: Rendered | ServiceError): boolean {
  return !(rendered instanceof ServiceError) && rendered.isBlank === true;
}

/** What is to be sent; an error where something of it cannot be. */
function outputOf(rendered: Rendered | ServiceError, settings: LeafSettings, { template }: RoutingContext): LeafOutput | ServiceError {
  if (rendered instanceof ServiceError) return rendered;
  try {
    return leafOutput(rendered, overridesOf(settings), template);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Files may stand under the alias of a configuration, which its delivery does not know. */
function filesName({ integration }: Leaf, { providers }: MessageRequested, { integrations }: RoutingContext): Pick<StoredRendering, 'alias'> {
  const alias = providers && integrations.find(({ id }) => id === integration)?.alias;
  return alias !== undefined && providers?.[alias]?.override?.attachments ? { alias } : {};
}

interface Patience {
  readonly messageMs: number;
  readonly channelMs: number;
  readonly providerMs: number;
  readonly channelBegan: number;
  readonly ts: number;
}

/** How long a leaf is tried: while there is something else to try the limits of provider and channel, else that of the message. */
function patience(tree: RoutingTree, number: number, limits: Patience): Pick<StoredRendering, 'until' | 'has_next'> {
  const end = tree.since + limits.messageMs;
  if (isLastRoute(tree, number)) return limits.messageMs === DEFAULT_LIMITS.messageMs ? {} : { until: end };
  return { until: Math.min(limits.ts + limits.providerMs, limits.channelBegan + limits.channelMs, end), has_next: true };
}

/** Everything a leaf is rendered from. */
interface Sources {
  readonly content: RoutePlan['content'];
  readonly profiles: RoutePlan['profiles'];
  readonly voice: RenderResources;
  /** `null`: without a brand; undefined: the default one. */
  readonly brandId: string | null | undefined;
  readonly ts: number;
}

function renderingOf(
  leaf: Leaf,
  settings: LeafSettings,
  request: MessageRequested,
  known: RoutingContext,
  { content, profiles, voice, brandId, ts }: Sources,
): ToRender {
  const { workspaceId } = request;
  const { template } = known;
  const contentKey = template ? JSON.stringify([workspaceId, template.tenant_id, template.notification_id, template.version]) : undefined;
  const input = messageInput({
    workspaceId,
    content,
    ...(contentKey !== undefined && { contentKey }),
    channel: leaf.channel,
    provider: leaf.provider,
    brand: brandId === null ? null : voice.brandOf(brandId),
    catalogues: voice.catalogues,
    data: request.data,
    profile: profiles.merged,
    ...optional('tenant', tenantVariables(known)),
    ...optional('utm', utmOf(settings, request)),
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

function optional<Name extends string, Value>(name: Name, value: Value | undefined): { [K in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [K in Name]?: Value };
}
