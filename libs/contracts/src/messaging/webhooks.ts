import { ArrayMinSize, IsIn } from 'class-validator';
import { Flag, Int, Optional, OptionalInt, OptionalOneOf, OptionalText, OptionalTextOf, SomeOf, Text, TextOf } from '../core/fields';
import { IsHttpUrl } from '../core/http-url';
import { IsInstant } from '../core/instant';
import { FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';
import { MESSAGE_STATUSES, type MessageStatus } from './message-states';

/** Maximum webhooks of one workspace. */
export const WEBHOOKS_MAX = 20;
/** Maximum deliveries of a page of the log. */
export const WEBHOOK_DELIVERIES_PAGE_MAX = 100;
/** Maximum deliveries that one replay of a range schedules. */
export const WEBHOOK_REPLAYS_MAX = 10_000;
/** More than the 10 s that a receiver has to answer. */
const TEST_DEADLINE_MS = 15_000;

/** The events that a webhook may receive. */
export const WEBHOOK_EVENT_TYPES = ['message:updated'] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

const WEBHOOK_STATES = ['active', 'paused', 'disabled'] as const;
/** `paused` by the workspace, events wait; `disabled` because its receiver failed or refused, events are not recorded. */
export type WebhookState = (typeof WEBHOOK_STATES)[number];

export const WEBHOOK_RESULTS = ['pending', 'delivered', 'failed'] as const;
export type WebhookResult = (typeof WEBHOOK_RESULTS)[number];

/** Id of the webhook, generated when it was created. @example "whk_3Xo0aB1dQkS9fT2uVw5z" */
const WebhookId = TextOf(1, 256);

export class CreateWebhook {
  /** Where events are posted to: http or https, at a public address. @example "https://example.com/hooks/tidings" */
  @IsHttpUrl url: string;

  /** Text for people. @example "Order service" */
  @OptionalTextOf(512) description?: string | null;

  /** The events that it receives. Default: all. @example ["message:updated"] */
  @Optional(SomeOf(WEBHOOK_EVENT_TYPES, WEBHOOK_EVENT_TYPES.length), ArrayMinSize(1)) event_types?: WebhookEventType[] | null;
}

export class NamedWebhook {
  @WebhookId id: string;
}

/** Absent fields stay; `null` removes the description, and sets `event_types` to all. */
@FieldsOfAnswer(() => Webhook)
export class ChangeWebhook {
  @WebhookId id: string;

  /** Where events are posted to from now on, retries included. @example "https://example.com/hooks/tidings" */
  @Optional(IsHttpUrl) url?: string;

  /** Text for people. @example "Order service" */
  @OptionalTextOf(512) description?: string | null;

  /** The events that it receives. @example ["message:updated"] */
  @Optional(SomeOf(WEBHOOK_EVENT_TYPES, WEBHOOK_EVENT_TYPES.length), ArrayMinSize(1)) event_types?: WebhookEventType[] | null;
}

/** A URL that receives the workspace's events. */
export class Webhook {
  /** Id of the webhook, generated when it was created. @example "whk_3Xo0aB1dQkS9fT2uVw5z" */
  @Text id: string;

  /** Where events are posted to. @example "https://example.com/hooks/tidings" */
  @Text url: string;

  /** Text for people; absent if it has none. @example "Order service" */
  @OptionalText description?: string;

  /** The events that it receives. @example ["message:updated"] */
  @SomeOf(WEBHOOK_EVENT_TYPES) event_types: WebhookEventType[];

  /**
   * `paused`: events wait until it is resumed. `disabled`: its receiver failed for days, or refused; events are not recorded.
   * @example "active"
   */
  @IsIn(WEBHOOK_STATES) state: WebhookState;

  /** Why it is disabled; absent otherwise. @example "The receiver answered 410" */
  @OptionalText state_reason?: string;

  /** When it was created, ms since the epoch. @example 1772359200000 */
  @Int created: number;

  /** When it was last changed, ms since the epoch; absent before. @example 1772359200000 */
  @OptionalInt updated?: number;
}

/** A webhook with its new secret, which no other answer shows. */
export class WebhookWithSecret extends Webhook {
  /** Signs its requests. Store it: it is not shown again. @example "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" */
  @Text secret: string;
}

/** @property results The webhooks of this page, at most 20, the oldest first. */
class WebhookPage extends pageOf(Webhook) {}

/** The answer of a receiver to an example request. */
export class WebhookTest {
  /** Whether it accepted the request: it answered 2xx. @example true */
  @Flag ok: boolean;

  /** The status of its answer; absent if there was none. @example 200 */
  @OptionalInt code?: number;

  /** Duration of the call in ms. @example 38 */
  @Int duration_ms: number;

  /** Why it did not accept the request; absent if it did. @example "The receiver answered 500" */
  @OptionalText error?: string;
}

export const webhooks = defineOperations(
  'messaging.webhooks',
  'webhooks',
  {
    /** The oldest first, without their secrets. */
    list: {
      route: 'GET /webhooks',
      summary: 'List webhooks',
      request: CursorQuery,
      response: WebhookPage,
    },
    /**
     * It receives what happens from now on. The answer has the secret, which is not shown again. A workspace has at most 20 webhooks.
     * @example { "url": "https://example.com/hooks/tidings" }
     */
    create: {
      audit: 'webhook:created',
      auditTarget: ['id'],
      route: 'POST /webhooks',
      status: 201,
      summary: 'Create a webhook',
      request: CreateWebhook,
      response: WebhookWithSecret,
      secretAnswer: true,
      mayConflict: true,
    },
    /** Its secrets are never returned. */
    retrieve: {
      route: 'GET /webhooks/:id',
      summary: 'Get a webhook',
      request: NamedWebhook,
      response: Webhook,
    },
    /**
     * Events that wait are posted to the new URL as well.
     * @example { "description": "Order service" }
     */
    change: {
      audit: 'webhook:changed',
      command: true,
      route: 'PATCH /webhooks/:id',
      summary: 'Change a webhook; omitted fields stay',
      request: ChangeWebhook,
      response: Webhook,
    },
    /** Events that wait for it are dropped. */
    remove: {
      audit: 'webhook:deleted',
      command: true,
      route: 'DELETE /webhooks/:id',
      summary: 'Remove a webhook',
      request: NamedWebhook,
    },
    /** For 24 hours requests are signed with the secret before as well. The answer has the new one, which is not shown again. */
    rotateSecret: {
      audit: 'webhook:secret-rotated',
      route: 'POST /webhooks/:id/rotate-secret',
      summary: 'Replace the secret of a webhook',
      request: NamedWebhook,
      response: WebhookWithSecret,
      secretAnswer: true,
      mayConflict: true,
    },
    /** Events are recorded and wait, for 14 days at most. */
    pause: {
      audit: 'webhook:paused',
      command: true,
      route: 'POST /webhooks/:id/pause',
      summary: 'Pause a webhook',
      request: NamedWebhook,
      response: Webhook,
    },
    /** Also one that was disabled. Events that wait are posted, each message's in order. */
    resume: {
      audit: 'webhook:resumed',
      command: true,
      route: 'POST /webhooks/:id/resume',
      summary: 'Resume a paused or disabled webhook',
      request: NamedWebhook,
      response: Webhook,
    },
    /** Posts an event of the type `webhook:test` now, once, whatever its state. A workspace may test 20 times a minute. */
    test: {
      audit: 'webhook:tested',
      route: 'POST /webhooks/:id/test',
      summary: 'Post an example event to a webhook',
      request: NamedWebhook,
      response: WebhookTest,
      waits: true,
      deadlineMs: TEST_DEADLINE_MS,
    },
  },
  { generation: 'own' },
);

export class ListWebhookDeliveries extends CursorQuery {
  @WebhookId id: string;

  /** Only deliveries with this result. @example "failed" */
  @OptionalOneOf(WEBHOOK_RESULTS) result?: WebhookResult;

  /** Only deliveries of the message with this id. @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe" */
  @OptionalTextOf(512) message_id?: string;
}

export class NamedWebhookDelivery {
  @WebhookId id: string;

  /** Id of the delivery, as in the log. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @TextOf(1, 64) delivery_id: string;
}

/** Which deliveries of the log are repeated. */
export class ReplayWebhook {
  @WebhookId id: string;

  /** Only events from this instant on, ISO 8601. @example "2026-03-01T10:00:00Z" */
  @IsInstant from: string;

  /** Only events before this instant, ISO 8601. Default: now. @example "2026-03-01T12:00:00Z" */
  @Optional(IsInstant) to?: string | null;

  /** Only deliveries with this result. Default: those that ended. @example "failed" */
  @OptionalOneOf(['delivered', 'failed']) result?: 'delivered' | 'failed' | null;
}

/** An event for one webhook, with its last attempt. */
export class WebhookDelivery {
  /** Id of the delivery, also of its repetitions: the header `webhook-id`. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @Text id: string;

  /** Type of the event. @example "message:updated" */
  @IsIn(WEBHOOK_EVENT_TYPES) type: WebhookEventType;

  /** Id of the message. @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe" */
  @Text message_id: string;

  /** The status that the message changed to. @example "DELIVERED" */
  @IsIn(MESSAGE_STATUSES) status: MessageStatus;

  /** `pending` until the receiver has accepted it, or it has failed for good. @example "delivered" */
  @IsIn(WEBHOOK_RESULTS) result: WebhookResult;

  /** Attempts since the event, or since its last replay. @example 1 */
  @Int attempts: number;

  /** Status of the answer to the last attempt; absent without an answer. @example 200 */
  @OptionalInt code?: number;

  /** Duration of the last attempt in ms; absent before the first. @example 38 */
  @OptionalInt duration_ms?: number;

  /** Why the last attempt failed; absent if it did not. @example "The receiver did not answer within 10000 ms" */
  @OptionalText error?: string;

  /** When the event happened, ms since the epoch. @example 1772359200000 */
  @Int created: number;

  /** When the last attempt ended, ms since the epoch; absent before. @example 1772359200100 */
  @OptionalInt attempted?: number;

  /** While it is pending: when the next attempt is due at the earliest, ms since the epoch. @example 1772359205000 */
  @OptionalInt next_attempt?: number;
}

/** @property results The deliveries of this page, at most 100, the newest event first. */
class WebhookDeliveryPage extends pageOf(WebhookDelivery) {}

export class ReplayedWebhook {
  /** How many deliveries are repeated. @example 120 */
  @Int deliveries: number;

  /** Present if the range has more than 10,000: the `from` of the next call. @example "2026-03-01T10:20:00.000Z" */
  @OptionalText next_from?: string;
}

/** The log of a webhook. Deliveries are stored for 14 days after their event. */
export const webhookDeliveries = defineOperations(
  'messaging.webhook-deliveries',
  'webhooks',
  {
    /** Also of events that wait. Deliveries are stored for 14 days after their event. */
    list: {
      route: 'GET /webhooks/:id/deliveries',
      summary: 'List the deliveries of a webhook, newest event first',
      request: ListWebhookDeliveries,
      response: WebhookDeliveryPage,
    },
    /** The event that it posts, and what became of its last attempt. */
    retrieve: {
      route: 'GET /webhooks/:id/deliveries/:delivery_id',
      summary: 'Get a delivery of a webhook',
      request: NamedWebhookDelivery,
      response: WebhookDelivery,
    },
    /** It is posted again with its id, in the record's present form. A pending one is posted now. */
    replayOne: {
      audit: 'webhook:replayed',
      command: true,
      route: 'POST /webhooks/:id/deliveries/:delivery_id/replay',
      status: 202,
      summary: 'Post an event to a webhook again',
      request: NamedWebhookDelivery,
      response: WebhookDelivery,
    },
    /**
     * The oldest 10,000 of the range; the answer says where the next call continues. Events of one message are repeated in order.
     * @example { "from": "2026-03-01T10:00:00Z", "to": "2026-03-01T12:00:00Z", "result": "failed" }
     */
    replay: {
      audit: 'webhook:replayed',
      command: true,
      route: 'POST /webhooks/:id/replay',
      status: 202,
      summary: 'Post the events of a time range to a webhook again',
      request: ReplayWebhook,
      response: ReplayedWebhook,
    },
  },
  { generation: 'own' },
);
