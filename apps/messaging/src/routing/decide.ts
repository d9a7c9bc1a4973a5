import type { ElementalContent } from '@tidings/contracts/content/elemental';
import { routingOver } from '@tidings/contracts/content/routing';
import type { MessageContent, MessageRequested } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageReason, MessageStatus } from '@tidings/contracts/messaging/message-states';
import { dueAt } from '@tidings/contracts/messaging/timing/delay';
import { evaluate, type PreferencesStop } from '@tidings/preferences/evaluate';
import { compileExpression } from '@tidings/rendering/expressions/expression';
import { RenderBudget } from '@tidings/rendering/render-budget';
import { leafOf, type LeafRecord } from '../store/leaf-record';
import { type RoutingContext, preferenceInput, type Profiles, profilesOf, settingsOf, tenantVariables } from './routing-context';
import { DEFAULT_ROUTING, type NoRoute, planTree, type RoutableProvider } from './tree/plan-tree';
import type { RoutingTree } from './tree/routing-tree';

/** The message ends before anything is sent. */
export interface Ended {
  readonly kind: 'ended';
  readonly status: MessageStatus;
  readonly reason?: MessageReason;
  readonly error?: string;
  /** What it ends for want of, of what is made by its sender: it may be there since a moment ago. */
  readonly want?: 'template' | 'provider';
  /** Where a person decided so: that nobody was asked to deliver it, as its record says among the providers. */
  readonly records?: readonly LeafRecord[];
}

/** It goes on at another time. */
interface Delayed {
  readonly kind: 'delayed';
  readonly dueMs: number;
}

/** There are ways to try. */
export interface RoutePlan {
  readonly kind: 'ways';
  readonly content: MessageContent | ElementalContent;
  readonly profiles: Profiles;
  readonly tree: RoutingTree;
  /** What is to be said of conditions that cannot be read or evaluated: these are false. */
  readonly doubts?: readonly string[];
}

/** It was routed before, and what it says is there no more. */
interface Exhausted {
  readonly kind: 'spent';
  readonly tree: RoutingTree;
}

export type Verdict = Ended | Delayed | RoutePlan | Exhausted;

/** What was decided, and the events that tell of it. */
export interface Decision {
  readonly verdict: Verdict;
  readonly events: readonly HistoryEvent[];
}

/** Steps of the conditions of one message, together. */
const CONDITION_STEPS_MAX = 10_000;

/**
 * Decides about one message, in this order: its template, its profiles, its delay, preferences, its ways. Pure.
 * @param isDue whether its delay, if it has one, is over.
 * @param isStored whether an earlier step told of its acceptance: then these events stand in a row of their own.
 * @param ts time of the events, ms since the epoch.
 */
export function decide(
  request: MessageRequested,
  known: RoutingContext,
  { isDue, isStored, ts }: { isDue: boolean; isStored: boolean; ts: number },
): Decision {
  const { template } = known;
  const events: HistoryEvent[] = [];
  const decided = (verdict: Verdict, ...more: HistoryEvent[]): Decision => ({ verdict, events: [...events, ...more] });

  if (template === null) {
    const error = `No notification template or event mapping ${JSON.stringify(request.template)} exists`;
    const unmapped: HistoryEvent = { ts, type: 'UNMAPPED', event_id: request.template, error_message: error };
    return decided({ kind: 'ended', status: 'UNMAPPED', error, want: 'template' }, unmapped);
  }
  if (template && !isDue) events.push({ ts, type: 'MAPPED', event_id: request.template, notification_id: template.notification_id });

  const profiles = profilesOf(request, known);
  if (request.delay && !isDue) {
    const due = dueAt(request.delay, {
      nowMs: ts,
      acceptedMs: request.requestedAt,
      zones: { to: request.profile, profile: profiles.stored },
    });
    if ('error' in due) return decided(...failed(ts, due.error));
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

  const preferences = evaluate(preferenceInput(request, known, ts));
  if (!preferences.send) return decided(...stoppedBy(ts, preferences, template?.notification_id));

  const doubts: string[] = [];
  const tree = planTree({
    routing: routingOver(request.routing, routingOver(template?.routing, DEFAULT_ROUTING)),
    channels: settingsOf(template?.channels, request.channels),
    providers: settingsOf(template?.providers, request.providers),
    configured: known.integrations,
    preferences,
    since: isDue ? ts : request.requestedAt,
    holds: conditionsOf(request, known, profiles, doubts),
    lacks: (channel, provider) => lackOf(channel, provider, request, known, profiles),
  });
  if ('reason' in tree)
    return decided(...(tree.reason === 'FILTERED' ? filtered(ts, tree, doubts) : unroutable(ts, tree, tree.isUnconfigured && 'provider')));
  return decided({ kind: 'ways', content, profiles, tree, doubts });
}

/** What the recipient is to a provider. */
export function addresseeOf({ userId, profile }: MessageRequested, { recipient }: RoutingContext, { merged }: Profiles) {
  return { ...(userId !== undefined && { userId }), profile: merged, received: profile, tokens: recipient?.tokens ?? [] };
}

const NEEDS: Readonly<Record<string, string>> = {
  email: 'e-mail needs profile.email',
  sms: 'sms needs profile.phone_number',
  push: 'push needs a push token of the user',
  direct_message: 'direct_message needs profile.slack, profile.ms_teams or profile.discord',
  inbox: 'inbox needs a user_id',
  webhook: 'profile.webhook is not a webhook: it needs url, an http or https URL, and may have method, headers and authentication',
};

function lackOf(
  channel: string,
  { id }: RoutableProvider,
  request: MessageRequested,
  known: RoutingContext,
  profiles: Profiles,
): string | undefined {
  const integration = known.integrations.find((one) => one.id === id);
  if (integration?.needs(addresseeOf(request, known, profiles))) return undefined;
  return NEEDS[channel] ?? `${channel} has no address of the recipient`;
}

/** @param doubts takes what is to be said of conditions that cannot be read or evaluated: these are false. */
function conditionsOf(request: MessageRequested, known: RoutingContext, { merged }: Profiles, doubts: string[]): (condition: string) => boolean {
  const budget = new RenderBudget(CONDITION_STEPS_MAX);
  const scope = { data: request.data, profile: merged, tenant: tenantVariables(known), budget, warnings: doubts };
  return (condition) => {
    try {
      return compileExpression(condition)(scope);
    } catch {
      // Only a spent budget throws: what cannot be evaluated is false.
      return false;
    }
  };
}

type Ending = [Ended, ...HistoryEvent[]];

const NOWHERE = { channel: { id: '' }, integration: { id: '', provider: '' } };

function failed(ts: number, error: string): Ending {
  return [
    { kind: 'ended', status: 'UNDELIVERABLE', reason: 'FAILED', error },
    { ts, type: 'UNDELIVERABLE', ...NOWHERE, error_message: error, reason: 'FAILED' },
  ];
}

function stoppedBy(ts: number, { status, reason, error, rule }: PreferencesStop, template: string | undefined): Ending {
  // Clients look for what went wrong among the providers: here before any was chosen.
  const record: LeafRecord = { ...leafOf({ channel: '', provider: '' }, template), status: 'UNDELIVERABLE', error };
  return [
    { kind: 'ended', status, reason, error, records: [record] },
    { ts, type: 'UNDELIVERABLE', ...NOWHERE, reason, error_message: error, rule },
  ];
}

function unroutable(ts: number, { reason, error, rule, removed = [''] }: NoRoute, want?: Ended['want']): Ending {
  const told = { reason, error_message: error, ...(rule !== undefined && { rule }) };
  return [
    { kind: 'ended', status: 'UNROUTABLE', reason, error, ...(want && { want }) },
    ...removed.map((id): HistoryEvent => ({ ts, type: 'UNROUTABLE', channel: { id }, ...told })),
  ];
}

/** Who made the condition that cannot be read learns so here, of the first one. */
function filtered(ts: number, { reason, error: unmet }: NoRoute, [doubt]: readonly string[]): Ending {
  const error = doubt === undefined ? unmet : `${unmet}. ${doubt}`;
  return [
    { kind: 'ended', status: 'FILTERED', reason, error },
    { ts, type: 'FILTERED', reason, error_message: error },
  ];
}
