import { IsIn } from 'class-validator';
import type { MessageOutputContent } from '../content/message-output';
import { AnyObject, Flag, Int, IsListOf, IsNested, OptionalInt, OptionalText, OptionalTextOf, Text, Texts } from '../core/fields';
import { declaredFields } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { PREFERENCE_FIELDS } from '../core/preferences';
import { MessageRequested } from './events';
import { ExplainedDecision, Remedy } from './explanations';
import { fieldsOfMessage } from './message-fields';
import { GetMessage } from './messages';
import { OutgoingMessage, Send } from './send';

/** Recipients of one dry run. */
export const DRY_RUN_RECIPIENTS_MAX = 10;

const DRY_RUN_OUTCOMES = ['sent', 'delayed', 'not_sent'] as const;
const ROUTE_USES = ['now', 'fallback', 'skipped', 'failed'] as const;
export type RouteUse = (typeof ROUTE_USES)[number];

/** A route of the message: a provider on a channel. */
export class DryRunRoute {
  /** The channel. @example "email" */
  @Text channel: string;

  /** Key of the provider. @example "smtp" */
  @Text provider: string;

  /** Id of its configuration. @example "default" */
  @Text configuration_id: string;

  /**
   * `now`: its provider would be called; `fallback`: when those before it fail; `skipped`: the content has nothing for it; `failed`: it
   * would end without a call.
   * @example "now"
   */
  @IsIn(ROUTE_USES) use: RouteUse;
}

/** The content of a route that would be used now. */
export class DryRunContent {
  /** The channel. @example "email" */
  @Text channel: string;

  /** Key of the provider. @example "smtp" */
  @Text provider: string;

  /**
   * The rendered parts, as in `GET /messages/:message_id/output`. Links to unsubscribe are examples.
   * @example { "html": "", "title": "Hello Ada", "body": "Your order has shipped.", "subject": "", "text": "", "blocks": [] }
   */
  @AnyObject content: MessageOutputContent;

  /** Sentences for the author about the content; empty if there are none. @example [] */
  @Texts warnings: string[];
}

/** When the message would be sent. Times are ms since the epoch. */
export class DryRunTiming {
  /** When its first provider would be called: now, or after its delay. @example 1772359200000 */
  @Int send_at: number;

  /** Until when the first route is retried; absent where it has none, or the default of 72 h. @example 1772359500000 */
  @OptionalInt retried_until?: number;

  /** When the next route is used although this one was sent; absent without an escalation. @example 1772362800000 */
  @OptionalInt escalates_at?: number;
}

/** What would happen to the message of one recipient. */
export class DryRunRecipient {
  /** The user id, or the address where there is none. @example "ada" */
  @Text recipient: string;

  /** The user; absent for an address. @example "ada" */
  @OptionalText user_id?: string;

  /** The tenant in whose context it would be sent. @example "acme" */
  @OptionalText tenant_id?: string;

  /** `delayed`: what follows is as it would be decided now for that time. @example "sent" */
  @IsIn(DRY_RUN_OUTCOMES) outcome: (typeof DRY_RUN_OUTCOMES)[number];

  /** The whole of it in one sentence. @example "Would be sent to user ada by smtp on email." */
  @Text sentence: string;

  /** The decisions, in order, as `GET /console/api/messages/:message_id/explain` has them. */
  @IsListOf(ExplainedDecision) decisions: ExplainedDecision[];

  /** What would help; empty where it would be sent. */
  @IsListOf(Remedy) remedies: Remedy[];

  /** The routes, in the order in which they would be tried. */
  @IsListOf(DryRunRoute) routes: DryRunRoute[];

  /** The content of each route that would be used now. */
  @IsListOf(DryRunContent) contents: DryRunContent[];

  /** When it would be sent, and until when its first route is retried. */
  @IsNested(DryRunTiming) timing: DryRunTiming;

  /** Sentences about the request and its template; empty if there are none. @example [] */
  @Texts warnings: string[];
}

export class DryRun {
  /** One entry for each of the first 10 recipients, in the order of the targets. */
  @IsListOf(DryRunRecipient) results: DryRunRecipient[];

  /** Whether the send has further recipients. @example false */
  @Flag more: boolean;

  /** Why the send has no recipients; absent where it has some. @example "No list \"beta\" exists" */
  @OptionalText error?: string;
}

/** A send as the gateway accepts it. */
export class PlanDryRun {
  @IsNested(MessageRequested) request: MessageRequested;
}

/** The body of a send, or a message that would be sent again. */
export class DryRunSend extends Send {
  /**
   * A message to send again, as `POST /messages/:message_id/resend` does, instead of a body. Needs the scope `read:messages` too.
   * @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe"
   */
  @OptionalTextOf(1, 256) message_id?: string | null;
}

export const dryRuns = defineOperations('gateway.dry-runs', 'dry-runs', {
  /**
   * Takes the body of `POST /send` and refuses what that refuses, or `message_id` of a message to be sent again. Recipients, preferences, routing and rendering run as for a send;
   * nothing is stored, and no provider is called.
   * @example { "message": { "to": { "user_id": "ada" }, "content": { "title": "Hello", "body": "Your order has shipped." } } }
   */
  simulate: {
    route: 'POST /console/api/dry-runs',
    generation: 'own',
    scope: 'read:dry-runs',
    summary: 'Show what a send would do for its first 10 recipients, without sending it',
    request: DryRunSend,
    requiresBody: true,
    unknownFields: 'reported',
    knownFields: declaredFields(DryRunSend, { message: fieldsOfMessage(OutgoingMessage), preferences: PREFERENCE_FIELDS }),
    response: DryRun,
  },
});

export const dryRunPlans = defineOperations('messaging.dry-run-plans', 'internal', {
  plan: {
    summary: 'Plan the messages of a send without storing them',
    request: PlanDryRun,
    response: DryRun,
    repeatable: true,
  },
  planMessage: {
    pattern: 'messaging.dry-run-plans.plan-message',
    summary: 'Plan a message that is sent again without storing it',
    request: GetMessage,
    response: DryRun,
    repeatable: true,
  },
});
