import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { ServiceError } from '@tidings/contracts/core/errors';
import { withHiddenCredentials } from '@tidings/contracts/identity/profile-credentials';
import type { StoredDecision, StoredFailure } from '@tidings/contracts/messaging/decisions';
import type { MessageContent, MessageRequested } from '@tidings/contracts/messaging/events';
import { requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { DEFAULT_LIMITS, limitsOf } from '@tidings/contracts/messaging/timing/timeouts';
import { hasVisibleContent } from '@tidings/contracts/messaging/visible-content';
import { isForChannel } from '@tidings/rendering/elemental/choose-channel';
import { messageInput, plainLocale } from '@tidings/rendering/message-input';
import type { PortableRenderInput } from '@tidings/rendering/pool/jobs';
import type { Rendered } from '@tidings/rendering/render';
import { warn } from '@tidings/rendering/scope';
import type { RecipientLinks, RecipientUrls } from '@tidings/runtime/recipient-links';
import type { RenderResources } from '../context/content-loader';
import type { EmailBases } from './email-bases';
import { type LeasedDelivery, toDelivery } from './leased-delivery';
import { leafFields, leafOf, type LeafRecord } from '../record/leaf-record';
import { type StoredRendering, warned } from '../record/stored-events';
import type { RenderingBase } from '../record/short-email';
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
import { leafOutput } from './leaf-output';
import { listUnsubscribe, recipientUrls } from './recipient-urls';
import { isSuppression, suppressionFailure } from '../suppressions/found-suppressions';
import type { Prepared } from '../context/preparation';
import { channelStart, isLastRoute, type Leaf, leavesToStart, type RoutingTree, withStart, withState } from '../record/routing-tree';

/** Result of a rendering: undefined where the content has no part for the channel, an error where it cannot be rendered. */
export type Rendering = Rendered | ServiceError | undefined;

/** One leaf's content, ready to be rendered. */
export interface ToRender {
  readonly workspaceId: string;
  readonly input: PortableRenderInput;
}

/** Renders one leaf; `'too large'`: must not run on this thread. */
export type Render = (one: ToRender) => Rendering | 'too large' | Promise<Rendering>;

/** Why a leaf failed without a call. */
type LeafFailure = Pick<LeafRecord, 'reason'> & { readonly error: string; readonly reasonCode?: 'HARD'; readonly why: StoredFailure };

/** How leaves are rendered, and their e-mails stored. */
export interface RenderMeans {
  readonly render: Render;
  readonly emails: Pick<EmailBases, 'shorten'>;
  readonly links: RecipientLinks;
}

/**
 * Renders the leaves to try next, until one can be called or none is left. Resolves with `'too large'` as soon as a leaf must not be
 * rendered on this thread; else with the tree after it, its events, and the deliveries whose providers are called next. `records` are
 * those of leaves that ended already: they could not be rendered, their address is suppressed, or they were simulated. `unreported` are the
 * warnings of conditions and of skipped content; recorded in the UNROUTABLE event where no leaf was started. `decided` says why leaves were
 * started or skipped.
 * @param more whether the message has an open state beside its deliveries.
 */
export async function startLeaves(item: Prepared, plan: RoutePlan, more: boolean, { render, emails, links }: RenderMeans) {
  const { request, context, resources, suppressed, ts } = item;
  const { profiles, warnings = [] } = plan;
  const { lane = 'normal' } = request;
  const uuid = requireMessageUuid(request.id);
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
  const decided = startDecisions(item, plan.tree, tree);
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
      const needed = needs?.(addressee);
      // The channel's time is over, or the provider was reconfigured after the routes were planned.
      const isLate = ts - channelStartedAt > limits.channelMs;
      if (isLate || !needed) {
        decided.push(skipped(leaf, isLate ? 'late' : 'changed'));
        tree = withState(tree, number, 'skipped');
        continue;
      }
      const names = { channel: leaf.channel, integration: leaf.integration, provider: leaf.provider, alias };
      const { channel, integration } = leafFields(leaf);
      const routed = (): HistoryEvent => ({
        ts,
        type: 'ROUTED',
        channel,
        integration,
        warnings: events.length === 0 ? warned(warnings).warnings : undefined,
      });
      const fail = ({ error, reason, reasonCode, why }: LeafFailure) => {
        events.push(routed(), {
          ts,
          type: 'UNDELIVERABLE',
          channel,
          integration,
          error_message: error,
          reason,
          reasonCode,
          decided: [why],
        });
        records.push({ ...leafOf(names), status: 'UNDELIVERABLE', reason, error, attempts: 0 });
        tree = withState(tree, number, 'failed');
      };
      const recipient = suppressed.applyTo(request, needed);
      if (isSuppression(recipient)) {
        fail(suppressionFailure(recipient));
        continue;
      }
      const brandId = brandIdOf(settings, request, context);
      const urls = recipientUrls(links, item, recipient, brandId);
      const toRender = renderingOf(item, plan, leaf, settings, brandId, urls);
      const pending = render(toRender);
      const rendered = pending instanceof Promise ? await pending : pending;
      if (rendered === 'too large') return rendered;
      const { isBlank = false, warnings: ofContent = [] } = rendered instanceof ServiceError ? {} : (rendered ?? {});
      if (rendered === undefined || (isBlank && !hasVisibleContent(leaf.channel, overrides))) {
        for (const warning of ofContent) warn({ warnings: unreported }, warning);
        decided.push(skipped(leaf, 'empty'));
        tree = withState(tree, number, 'skipped');
        continue;
      }
      const output = outputOf(rendered, overrides, item);
      if (output instanceof ServiceError) {
        fail({ error: output.message, reason: 'FAILED', why: { code: 'unrendered' } });
        continue;
      }
      events.push(routed());
      renderedChars += output.chars;
      const { until, has_next } = retryWindow(tree, number, limits, channelStartedAt, ts);
      const rendering: StoredRendering = Object.assign(output.stored, {
        to: recordsProfile && recipient.channel === 'email' && recipient.email === profiles.merged.email ? undefined : recipient,
        // The delivery reads the attachments of the send under this name.
        alias: alias !== undefined && request.providers?.[alias]?.override?.attachments ? alias : undefined,
        until,
        has_next,
      });
      const { page, warning } = rendering.output ? listUnsubscribe(links, urls, context) : {};
      const leafWarnings = [
        ...brandWarnings(brandId, resources),
        ...overrideWarnings(leaf, overrides),
        ...(warning === undefined ? [] : [warning]),
        ...(output.warnings ?? []),
        ...ofContent,
      ];
      if (rendering.output) rendering.output.list_unsubscribe = page;
      const { stored, base } = emails.shorten(toRender, rendering);
      if (base) bases.push(base);
      const content = contentDecision(context.template, profiles.merged.locale, brandId);
      const shown = { ts, type: 'RENDERED' as const, channel, integration, warnings: warned(leafWarnings).warnings, decided: content };
      events.push(Object.assign(shown, stored));
      if (request.mode === 'test') {
        events.push({ ts, type: 'SIMULATED', channel, integration });
        records.push({ ...leafOf(names), status: 'SIMULATED', attempts: 0 });
        tree = withState(tree, number, 'sent');
        continue;
      }
      const opened = { uuid, leaf: number, lane, recipient, attempt: 1, isAnnounced: false, hasSlot: false, more, renderedAt: ts };
      deliveries.push(toDelivery(request, rendering, tree.since, Object.assign(opened, names)));
      tree = withStart(tree, number, ts);
    }
  }
  return { tree, events, deliveries, bases, records, unreported, renderedChars, decided };
}

/** Why leaves are started now although another one was sent, and which are left out because the content has nothing for them. */
function startDecisions({ claimed }: Prepared, before: RoutingTree, after: RoutingTree): StoredDecision[] {
  const empty = after.leaves.filter((_leaf, number) => after.states[number] === 'skipped' && before.states[number] !== 'skipped');
  const { escalation, isEscalating } = claimed?.routed ?? {};
  const escalated = isEscalating && escalation ? [{ code: 'escalated' as const, ...escalation }] : [];
  return [...escalated, ...empty.map((leaf) => skipped(leaf, 'empty'))];
}

function skipped({ channel, provider, integration: configuration }: Leaf, why: 'empty' | 'late' | 'changed'): StoredDecision {
  return { code: 'skipped', channel, provider, configuration, why };
}

/** What was rendered; undefined where the send has the content itself. */
function contentDecision(template: RoutingContext['template'], locale: unknown, brand: string | null | undefined) {
  if (!template) return undefined;
  const { notification_id, version, tenant_id } = template;
  const own = { version: version ?? undefined, tenant: tenant_id ?? undefined, brand: brand ?? undefined };
  return [
    { code: 'content', template: notification_id, ...own, locale: typeof locale === 'string' ? plainLocale(locale) : undefined },
  ] as const;
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

/** Warns about `List-Unsubscribe` in an override of a mail by SMTP. HTTP providers send the headers of an override with the call itself. */
function overrideWarnings({ channel, provider }: Leaf, overrides: readonly JsonObject[]) {
  if (channel !== 'email' || provider !== 'smtp') return [];
  const header = overrides
    .flatMap(({ headers }) => (isJsonObject(headers) ? Object.keys(headers) : []))
    .find((name) => /^list-unsubscribe(-post)?$/i.test(name));
  return header === undefined ? [] : [`override.headers requests ${header}: the e-mail is sent without it`];
}

/** The output to send; an error where it is not valid. */
function outputOf(rendered: Rendered | ServiceError, overrides: readonly JsonObject[], { request, context, suppressed }: Prepared) {
  if (rendered instanceof ServiceError) return rendered;
  try {
    return leafOutput(rendered, overrides, context.template, {
      recipients: request.limits?.recipients,
      isSuppressed: (address) => suppressed.of(request, { channel: 'email', address }) !== undefined,
    });
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
  urls: RecipientUrls | undefined,
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
    profile: withHiddenCredentials(profiles.merged),
    tenant: tenantVariables(context),
    utm: utmOf(settings, request),
    requiresVariables: template?.throw_on_missing_variable,
    builtIns: {
      messageId: request.id,
      event: request.event,
      recipient: request.recipient,
      template: template?.notification_id ?? request.template ?? '',
      topicId: topicIdOf(request, template),
      mode: request.mode,
      scope: 'published',
      nowMs: ts,
      urls,
    },
  });
  return { workspaceId, input };
}

/** Names content that many messages have: a version of a template, or the content of one send to a list, an audience, a tenant or a job. */
function contentKeyOf({ workspaceId, requestId, requestTarget, jobId }: MessageRequested, template: RoutingContext['template']) {
  if (template) return JSON.stringify([workspaceId, template.tenant_id, template.notification_id, template.version]);
  return requestTarget === undefined && jobId === undefined ? undefined : JSON.stringify([workspaceId, requestId]);
}
