import type { ElementalContent } from '@tidings/contracts/content/elemental';
import { routingOver } from '@tidings/contracts/content/routing';
import type { MessageContent, MessageRequested } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import { dueAt } from '@tidings/contracts/messaging/timing/delay';
import { evaluate, type PreferencesStop } from '@tidings/preferences/evaluate';
import { compileExpression } from '@tidings/rendering/expressions/expression';
import { RenderBudget } from '@tidings/rendering/render-budget';
import { leafOf, type LeafRecord } from '../store/step-store';
import { preferenceInput, type Profiles, profilesOf, type RoutingContext, settingsOf, tenantVariables } from './routing-context';
import { DEFAULT_ROUTING, type NoRoute, planTree, type RoutableProvider } from './tree/plan-tree';
import type { RoutingTree } from './tree/routing-tree';

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

/** Verdict: the message continues at another time, ms since the epoch. */
interface Delayed {
  readonly kind: 'delayed';
  readonly dueMs: number;
}

/** Verdict: there are routes to try. */
export interface RoutePlan {
  readonly kind: 'routes';
  readonly content: MessageContent | ElementalContent;
  readonly profiles: Profiles;
  readonly tree: RoutingTree;
  /** Warnings about conditions that cannot be parsed or evaluated; these count as false. */
  readonly warnings?: readonly string[];
}

/** Verdict: the message was routed before, and its content no longer exists. */
interface Exhausted {
  readonly kind: 'exhausted';
  readonly tree: RoutingTree;
}

export type Verdict = Ended | Delayed | RoutePlan | Exhausted;

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
  const decided = (verdict: Verdict, ...more: HistoryEvent[]): Decision => ({ verdict, events: [...events, ...more] });

  if (template === null) {
    const error = `No notification template or event mapping ${JSON.stringify(request.template)} exists`;
    return decided(...ending(ts, 'UNMAPPED', { error }, [{ event_id: request.template }], { missing: 'template' }));
  }
  if (template && !isDue) events.push({ ts, type: 'MAPPED', event_id: request.template, notification_id: template.notification_id });

  const profiles = profilesOf(request, context);
  if (request.delay && !isDue) {
    const due = dueAt(request.delay, {
      nowMs: ts,
      acceptedMs: request.requestedAt,
      zones: { to: request.profile, profile: profiles.stored },
    });
    if ('error' in due) return decided(...ending(ts, 'UNDELIVERABLE', { reason: 'FAILED', error: due.error }, [NOWHERE]));
    if (due.dueMs > ts) {
      const delayed: HistoryEvent = { ts, type: 'DELAYED', delay: due.dueMs - ts, details: due.details, until: due.dueMs };
      return decided({ kind: 'delayed', dueMs: due.dueMs }, delayed);
    }
  }
  events.push({ ts, type: 'PROFILE_LOADED', stored_profile: profiles.stored, ...(isStored && { received_profile: request.profile }) });

  const content = template ? template.content : request.content;
  if (!content)
    return decided(
      ...unroutable(ts, { reason: 'UNPUBLISHED', error: `Template ${template?.notification_id} is not published` }, 'template'),
    );

  const preferences = evaluate(preferenceInput(request, context, ts));
  if (!preferences.send) return decided(...stoppedBy(ts, preferences, template?.notification_id));

  const warnings: string[] = [];
  const tree = planTree({
    routing: routingOver(request.routing, routingOver(template?.routing, DEFAULT_ROUTING)),
    channels: settingsOf(template?.channels, request.channels),
    providers: settingsOf(template?.providers, request.providers),
    configured: context.integrations,
    preferences,
    since: isDue ? ts : request.requestedAt,
    isMet: conditionsOf(request, context, profiles, warnings),
    lacks: (channel, provider) => missingAddress(channel, provider, request, context, profiles),
  });
  if ('reason' in tree)
    return decided(
      ...(tree.reason === 'FILTERED' ? filtered(ts, tree, warnings) : unroutable(ts, tree, tree.isUnconfigured && 'provider')),
    );
  return decided({ kind: 'routes', content, profiles, tree, warnings });
}

/** The data of the recipient that a provider derives its address from. */
export function addresseeOf({ userId, profile }: MessageRequested, { recipient }: RoutingContext, { merged }: Profiles) {
  return { userId, profile: merged, received: profile, tokens: recipient?.tokens ?? [] };
}

const NEEDS: Readonly<Record<string, string>> = {
  email: 'e-mail needs profile.email',
  sms: 'sms needs profile.phone_number',
  push: 'push needs a push token of the user',
  direct_message: 'direct_message needs profile.slack, profile.ms_teams or profile.discord',
  inbox: 'inbox needs a user_id',
  webhook: 'profile.webhook is not a webhook: it needs url, an http or https URL, and may have method, headers and authentication',
};

/** What a provider needs of the recipient and does not find; undefined: nothing is missing. */
function missingAddress(channel: string, { id }: RoutableProvider, request: MessageRequested, context: RoutingContext, profiles: Profiles) {
  const integration = context.integrations.find((one) => one.id === id);
  if (integration?.needs(addresseeOf(request, context, profiles))) return undefined;
  return NEEDS[channel] ?? `${channel} has no address of the recipient`;
}

/** @param warnings receives a warning per condition that cannot be parsed or evaluated; these count as false. */
function conditionsOf(
  request: MessageRequested,
  context: RoutingContext,
  { merged }: Profiles,
  warnings: string[],
): (condition: string) => boolean {
  const budget = new RenderBudget(CONDITION_STEPS_MAX);
  const scope = { data: request.data, profile: merged, tenant: tenantVariables(context), budget, warnings };
  return (condition) => {
    try {
      return compileExpression(condition)(scope);
    } catch {
      // Only an exceeded budget throws; a condition that cannot be evaluated is false.
      return false;
    }
  };
}

type Ending = [Ended, ...HistoryEvent[]];

/** The end of a message: its verdict, and an event of `type` for each of `fields` with the cause. */
function ending(
  ts: number,
  type: 'UNMAPPED' | 'UNDELIVERABLE' | 'UNROUTABLE' | 'FILTERED',
  { reason, error, rule }: Pick<NoRoute, 'error' | 'rule'> & { reason?: MessageReason },
  fields: readonly object[],
  ended?: Partial<Ended>,
): Ending {
  return [
    { kind: 'ended', status: type, reason, error, ...ended },
    ...fields.map((own): HistoryEvent => ({ ts, type, ...own, reason, error_message: error, rule })),
  ];
}

const NOWHERE = { channel: { id: '' }, integration: { id: '', provider: '' } };

function stoppedBy(ts: number, stop: PreferencesStop, template: string | undefined): Ending {
  // Clients read failures among the providers of a record; here no provider was chosen yet.
  const record: LeafRecord = { ...leafOf({ channel: '', provider: '' }, template), status: 'UNDELIVERABLE', error: stop.error };
  return ending(ts, 'UNDELIVERABLE', stop, [NOWHERE], { status: stop.status, records: [record] });
}

function unroutable(ts: number, cause: NoRoute, missing?: Ended['missing']): Ending {
  const { removed = [''] } = cause;
  const channels = removed.map((id) => ({ channel: { id } }));
  return ending(ts, 'UNROUTABLE', cause, channels, { missing });
}

/** The error includes the first warning, so that its author finds a condition that cannot be parsed. */
function filtered(ts: number, { reason, error: unmet }: NoRoute, [warning]: readonly string[]): Ending {
  return ending(ts, 'FILTERED', { reason, error: warning === undefined ? unmet : `${unmet}. ${warning}` }, [{}]);
}
