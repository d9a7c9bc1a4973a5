import type { RoutingMethod } from '../content/routing';
import type { MessageReason } from './message-states';
import type { SuppressionReason } from './suppression-reasons';

/** The sources of preferences, by precedence. */
export type PreferenceSource = 'send' | 'user-in-tenant' | 'user' | 'tenant-default' | 'subscription' | 'list' | 'topic-default';

/** The preference that decided about a message. */
export interface PreferenceOrigin {
  readonly source: PreferenceSource;
  /** Id of its tenant, list or topic. */
  readonly id?: string;
  /** End of the snooze, ms since the epoch. */
  readonly until?: number;
}

/** Who set a routing: send, template (also by its strategy or tenant), or neither. */
export type RoutingOrigin = 'send' | 'template' | 'default';

/** A route: a provider on a channel, by the id of its configuration. */
interface RouteNames {
  readonly channel: string;
  readonly provider: string;
  readonly configuration?: string;
}

/** What the planner and the rendering decide about a message, by code. */
interface PlannedDecisions {
  /** Whether preferences allow the message; absent where none applies and it has no topic. */
  preference: {
    readonly result: 'passed' | 'opted_out' | 'snoozed' | 'opt_in_required';
    readonly topic?: string;
    readonly by?: PreferenceOrigin;
    /** The only channels that it allows. */
    readonly channels?: readonly string[];
    readonly required?: true;
  };
  /** The routing: its routes in order as `channel/provider`. */
  routing: { readonly from: RoutingOrigin; readonly method?: RoutingMethod; readonly routes?: readonly string[] };
  /** Channels that preferences removed from the routing. */
  removed: { readonly channels: readonly string[]; readonly by?: PreferenceOrigin };
  /** Entries of the routing for which no provider is configured. */
  unconfigured: { readonly channels: readonly string[] };
  /** What a provider on the channel needs and the recipient lacks: a field such as `profile.email`. */
  lacks: { readonly channel: string; readonly field: string; readonly isInvalid?: true };
  /** Entries of the routing whose conditions are not met. */
  condition: { readonly channels: readonly string[] };
  /** The template that was rendered, with the language and the brand. */
  content: {
    readonly template: string;
    readonly version?: string;
    readonly tenant?: string;
    readonly locale?: string;
    readonly brand?: string;
  };
  /** A route that was left without a call: the content has nothing for it, the time of its channel is over, or its provider changed. */
  skipped: RouteNames & { readonly why: 'empty' | 'late' | 'changed' };
  /** A route that the recipient did not react to in time: the next one is used too. */
  escalated: { readonly criteria: string; readonly afterMs: number };
}

/** Why a delivery ended without success, by code. Stored with the event that ends it, which names the route and has the error. */
interface FailedDecisions {
  /** The address of the route is suppressed. */
  suppressed: { readonly reason: SuppressionReason };
  /** The provider was not called. */
  uncalled: { readonly why: 'removed' | 'disabled' | 'paused' | 'breaker' | 'rate' | 'sender' | 'unavailable' };
  /** The provider refused the message for good. */
  refused: { readonly cause: 'permanent' | 'configuration' | 'recipient' | 'token' };
  /** Attempts failed until the end of the retry window. */
  exhausted: object;
  /** The content could not be rendered for the channel. */
  unrendered: object;
  /** The stored delivery, or the answer of the provider, could not be read. */
  unprocessable: object;
}

/** What events and tables of a message show besides; never stored as a decision. */
interface ShownDecisions {
  recipient: { readonly tenant?: string; readonly tenantIsOnly?: boolean; readonly list?: string; readonly request?: string };
  template: { readonly name: string; readonly template?: string };
  unpublished: { readonly error: string };
  delayed: { readonly untilMs: number };
  tried: RouteNames;
  accepted: RouteNames & { readonly attempts?: number; readonly response?: string };
  delivered: RouteNames;
  opened: RouteNames;
  clicked: RouteNames;
  simulated: RouteNames;
  waiting: RouteNames & { readonly attempts: number; readonly atMs?: number; readonly untilMs: number; readonly error?: string };
  failed: Partial<RouteNames> & {
    readonly why?: StoredFailure;
    readonly error: string;
    readonly reason?: MessageReason;
    readonly rule?: string;
  };
  filtered: { readonly error: string };
  canceled: object;
  archived: object;
}

type Coded<Codes> = { [Code in keyof Codes]: { readonly code: Code } & Codes[Code] }[keyof Codes];

/** Why a delivery ended, as its event stores it. */
export type StoredFailure = Coded<FailedDecisions>;
/** A decision as it is stored with the step that took it: codes and ids, no sentences and no personal data. */
export type StoredDecision = Coded<PlannedDecisions> | StoredFailure;

/** Every code with its fields. */
export type DecisionFields = PlannedDecisions & FailedDecisions & ShownDecisions;
export type DecisionCode = keyof DecisionFields;
/** A decision that is explained by itself: a failure is a part of `failed`. */
export type AnyDecision = Coded<PlannedDecisions & ShownDecisions>;
