import { routingOver } from '@tidings/contracts/content/routing';
import { isGiven } from '@tidings/contracts/core/refusals';
import { mustBe } from '@tidings/contracts/core/violations';
import { withHiddenCredentials } from '@tidings/contracts/identity/profile-credentials';
import type { RoutingOrigin, StoredDecision } from '@tidings/contracts/messaging/decisions';
import type { MessageContent, MessageRequested } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import { dueAt } from '@tidings/contracts/messaging/timing/delay';
import { evaluate, type PreferencesDecision } from '@tidings/preferences/evaluate';
import { compileExpression } from '@tidings/rendering/expressions/expression';
import { RenderBudget } from '@tidings/rendering/render-budget';
import { leafOf, type LeafRecord } from '../record/leaf-record';
import {
  configurationOf,
  preferenceInput,
  type Profiles,
  profilesOf,
  type RoutingContext,
  settingsOf,
  tenantVariables,
  topicIdOf,
} from './routing-context';
import { DEFAULT_ROUTING, type Lacking, type NoRoute, planTree } from './plan-tree';
import type { RoutingTree } from '../record/routing-tree';

/** Verdict: the message ends before anything is sent. */
export interface Ended {
  readonly kind: 'ended';
  readonly status: MessageStatus;
  readonly reason?: MessageReason;
  readonly error?: string;
  /** The missing resource, where the workspace may have created it just now: the caller loads it once more. */
  readonly missing?: 'template' | 'provider';
  /** Where a preference stopped the message: the entry of its record that has no provider. */
  readonly records?: readonly LeafRecord[];
}

/** Verdict: there are routes to try. */
export interface RoutePlan {
  readonly kind: 'routes';
  readonly content: MessageContent;
  readonly profiles: Profiles;
  readonly tree: RoutingTree;
  /** Warnings about conditions that cannot be parsed or evaluated; these count as false. */
  readonly warnings?: readonly string[];
}

/** What is decided about a message; `delayed`: it continues at another time, ms since the epoch. */
export type Verdict = Ended | RoutePlan | { readonly kind: 'delayed'; readonly dueMs: number };

/** A verdict and the events that record it. */
export interface Decision {
  readonly verdict: Verdict;
  readonly events: readonly HistoryEvent[];
}

/** Maximum evaluation steps of all conditions of one message. */
const CONDITION_STEPS_MAX = 10_000;

/**
 * Decides about one message, in this order: template, profiles, delay, preferences, routes. Pure.
 * @param isDue whether its delay, if it has one, is over.
 * @param isStored whether an earlier step stored its acceptance: then these events have a history row of their own.
 * @param ts time of the events, ms since the epoch.
 */
export function decide(
  request: MessageRequested,
  context: RoutingContext,
  { isDue, isStored, ts }: { isDue: boolean; isStored: boolean; ts: number },
): Decision {
  const { template } = context;
  const events: HistoryEvent[] = [];
  /** Ends the message, with an event of `type` for each of `fields` with the cause. */
  const end = (
    type: 'UNMAPPED' | 'UNDELIVERABLE' | 'UNROUTABLE' | 'FILTERED',
    { reason, error, rule }: Pick<Ended, 'reason'> & Pick<NoRoute, 'error' | 'rule'>,
    fields: readonly object[],
    ended?: Partial<Ended>,
  ): Decision => {
    for (const own of fields) events.push({ ts, type, ...own, reason, error_message: error, rule });
    return { verdict: { kind: 'ended', status: type, reason, error, ...ended }, events };
  };

  if (template === null) {
    const name = JSON.stringify(request.template);
    const error = `No notification template ${name} exists, nor an event mapping from ${name} to an existing one`;
    return end('UNMAPPED', { error }, [{ event_id: request.template }], { missing: 'template' });
  }
  if (template && !isDue) events.push({ ts, type: 'MAPPED', event_id: request.template, notification_id: template.notification_id });

  const profiles = profilesOf(request, context);
  if (request.delay && !isDue) {
    const due = dueAt(request.delay, {
      nowMs: ts,
      acceptedMs: request.requestedAt,
      zones: { to: request.profile, profile: profiles.stored },
    });
    if ('error' in due) return end('UNDELIVERABLE', { reason: 'FAILED', error: due.error }, [NOWHERE]);
    if (due.dueMs > ts) {
      events.push({ ts, type: 'DELAYED', delay: due.dueMs - ts, details: due.details, until: due.dueMs });
      return { verdict: { kind: 'delayed', dueMs: due.dueMs }, events };
    }
  }
  /** Stored with the event, not shown with it: what follows is decided in its step. */
  const decided: StoredDecision[] = [];
  events.push({
    ts,
    type: 'PROFILE_LOADED',
    stored_profile: profiles.stored,
    decided,
    ...(isStored && { received_profile: request.profile }),
  });

  const content = template ? template.content : request.content;
  if (!content) {
    const error = `Template ${template?.notification_id} is not published`;
    return end('UNROUTABLE', { reason: 'UNPUBLISHED', error }, [inChannel('')], { missing: 'template' });
  }

  const preferences = evaluate(preferenceInput(request, context, ts));
  const topic = topicIdOf(request, template);
  if (preferences.by || topic !== undefined) decided.push(preferenceDecision(preferences, topic));
  if (!preferences.send) {
    const { status, error } = preferences;
    // Clients read failures among the providers of a record; here no provider was chosen yet.
    const none = leafOf({ channel: '', provider: '' });
    return end('UNDELIVERABLE', preferences, [NOWHERE], { status, records: [{ ...none, status: 'UNDELIVERABLE', error }] });
  }

  const warnings: string[] = [];
  const addressee = addresseeOf(request, context, profiles);
  const routing = routingOver(request.routing, routingOver(template?.routing, DEFAULT_ROUTING));
  // A configured webhook reaches no person: by default only a recipient with a webhook of their own gets one.
  const needsOwnWebhook = routing.channels === DEFAULT_ROUTING.channels;
  const excluded: StoredDecision[] = [];
  const tree = planTree({
    note: (decision) => excluded.push(decision),
    routing,
    channels: settingsOf(template?.channels, request.channels),
    providers: settingsOf(template?.providers, request.providers),
    configured: context.integrations,
    preferences,
    since: isDue ? ts : request.requestedAt,
    isMet: conditionsOf(request, context, profiles, warnings),
    lacks: (channel, { id, provider }) => {
      const own = provider === 'pagerduty' ? provider : 'webhook';
      if (needsOwnWebhook && channel === 'webhook' && !isGiven(profiles.merged[own]))
        return lacking(`${own} needs profile.${own}, or a routing that names it`, profiles);
      const configuration = configurationOf(id, context);
      if (configuration?.needs(addressee)) return undefined;
      if (channel === 'email' && isGiven(addressee.profile.email))
        return lacking(mustBe('an e-mail address', 'profile.email', addressee.profile.email), profiles);
      return lacking(configuration?.lacking ?? NEEDS[channel] ?? `${channel} has no address of the recipient`, profiles);
    },
  });
  const routes = 'reason' in tree ? [] : tree.leaves.map((leaf) => `${leaf.channel}/${leaf.provider}`);
  // A single route has events of its own.
  decided.push(
    { code: 'routing', from: routingOrigin(request, template), ...(routes.length > 1 && { method: routing.method, routes }) },
    ...excluded,
  );
  if (!('reason' in tree)) return { verdict: { kind: 'routes', content, profiles, tree, warnings }, events };
  const { reason, error: unmet, removed = [''], isUnconfigured } = tree;
  if (reason !== 'FILTERED') return end('UNROUTABLE', tree, removed.map(inChannel), { missing: isUnconfigured && 'provider' });
  // The first warning is added, so that its author finds a condition that cannot be parsed.
  return end('FILTERED', { reason, error: [unmet, ...warnings.slice(0, 1)].join('. ') }, [{}]);
}

const inChannel = (id: string) => ({ channel: { id } });
const NOWHERE = { ...inChannel(''), integration: { id: '', provider: '' } };

/** The data of the recipient that a provider derives its address from. */
export function addresseeOf({ userId, profile }: MessageRequested, { recipient, openProfile }: RoutingContext, { merged }: Profiles) {
  return { userId, profile: merged, received: profile, tokens: recipient?.tokens ?? [], open: openProfile };
}

/** Which preference decided. */
function preferenceDecision(decision: PreferencesDecision, topic: string | undefined): StoredDecision {
  const { by } = decision;
  if (decision.send) {
    return { code: 'preference', result: 'passed', topic, by, channels: decision.channels, required: decision.required || undefined };
  }
  const refusal = by?.until === undefined ? 'opted_out' : 'snoozed';
  return { code: 'preference', result: decision.reason === 'OPT_IN_REQUIRED' ? 'opt_in_required' : refusal, topic, by };
}

function routingOrigin({ routing }: MessageRequested, template: RoutingContext['template']): RoutingOrigin {
  if (routing && routing.channels.length > 0) return 'send';
  return template?.routing && template.routing.channels.length > 0 ? 'template' : 'default';
}

/** What such an error says, with the field that it names. */
function lacking(error: string, { merged }: Profiles): Lacking {
  const field = /profile(?:\.\w+)+|user_id|push token/.exec(error)?.[0] ?? 'an address';
  const [, name] = field.split('.');
  return { error, field, ...(name !== undefined && isGiven(merged[name]) && { isInvalid: true }) };
}

const NEEDS: Readonly<Record<string, string>> = {
  email: 'e-mail needs profile.email',
  sms: 'sms needs profile.phone_number, a number of 5 to 15 digits',
  push: 'push needs a push token of the user',
  direct_message: 'direct_message needs profile.slack, profile.ms_teams or profile.discord',
  inbox: 'inbox needs a user_id',
  webhook: 'profile.webhook is not a webhook: it needs url, an http or https URL, and may have method, headers and authentication',
};

/** @param warnings receives a warning per condition that cannot be parsed or evaluated; these count as false. */
function conditionsOf(request: MessageRequested, context: RoutingContext, { merged }: Profiles, warnings: string[]) {
  const budget = new RenderBudget(CONDITION_STEPS_MAX);
  const scope = { data: request.data, profile: withHiddenCredentials(merged), tenant: tenantVariables(context), budget, warnings };
  return (condition: string) => {
    try {
      return compileExpression(condition)(scope);
    } catch {
      // Only an exceeded budget throws; a condition that cannot be evaluated is false.
      return false;
    }
  };
}
