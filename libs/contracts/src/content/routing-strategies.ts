import { AnyObject, OptionalObject, OptionalText, OptionalTextOf, OptionalTexts, OptionalTextsOf, Text, TextOf } from '../core/fields';
import { declaredFields, FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { LimitedQuery, pageOf } from '../core/paging';
import { DELIVERY_FIELDS } from './delivery-fields';
import { Authored, StrategyId, TemplateSummary } from './template-fields';
import type { MessageRouting, SettingsByChannel, SettingsByProvider } from './routing';

/** A strategy without its id. Absent or `null` fields are removed. */
export class StrategyFields {
  /** Display name. @example "E-mail, then SMS" */
  @TextOf(1, 512) name: string;

  /** What the strategy is for. @example "For what is urgent" */
  @OptionalTextOf(10_000) description?: string | null;

  /** Tags of the strategy; at most 100, of 256 characters. @example ["orders"] */
  @OptionalTextsOf(100, 1, 256) tags?: string[] | null;

  /**
   * Channels in order and how they are used: `single`, the first that succeeds, or `all`.
   * @example { "method": "single", "channels": ["email", "sms"] }
   */
  @AnyObject routing: MessageRouting;

  /**
   * Settings by channel, as in a send: `if`, `override`, `providers`, `routing_method`, `brand_id`, `timeouts`.
   * @example { "email": { "providers": ["smtp"] } }
   */
  @OptionalObject channels?: SettingsByChannel | null;

  /**
   * Settings by the key, alias or id of a provider, as in a send: `if`, `override`, `timeouts`.
   * @example { "smtp": { "timeouts": 60000 } }
   */
  @OptionalObject providers?: SettingsByProvider | null;
}

export class NamedStrategy {
  @StrategyId id: string;
}

@FieldsOfAnswer(() => RoutingStrategy)
export class ReplaceStrategy extends StrategyFields {
  @StrategyId id: string;
}

/** A strategy in a listing. Times are ms since the epoch. */
export class RoutingStrategySummary extends Authored {
  /** Id of the routing strategy, generated when it was created. @example "rs_3Xo0aB1dQkS9fT2uVw5z" */
  @Text id: string;

  /** Display name. @example "E-mail, then SMS" */
  @Text name: string;

  /** What the strategy is for; absent if there is no text. @example "For what is urgent" */
  @OptionalText description?: string;

  /** Tags of the strategy; absent if there are none. @example ["orders"] */
  @OptionalTexts tags?: string[];
}

export class RoutingStrategy extends RoutingStrategySummary {
  /**
   * Channels in order and how they are used: `single`, the first that succeeds, or `all`.
   * @example { "method": "single", "channels": ["email", "sms"] }
   */
  @AnyObject routing: MessageRouting;

  /** Settings by channel; empty if there are none. @example {} */
  @AnyObject channels: SettingsByChannel;

  /** Settings by provider; empty if there are none. @example {} */
  @AnyObject providers: SettingsByProvider;
}

/** @property results The strategies of this page, the newest first. */
class RoutingStrategyPage extends pageOf(RoutingStrategySummary) {}

export class ListLinkedTemplates extends LimitedQuery {
  @StrategyId id: string;
}

/** @property results The templates of this page that are linked with the strategy, the newest first. */
class LinkedTemplatePage extends pageOf(TemplateSummary) {}

export const routingStrategies = defineOperations('content.routing-strategies', 'routing-strategies', {
  /**
   * Templates are linked with it by their `routing`; the id is generated.
   * @example { "name": "E-mail, then SMS", "routing": { "method": "single", "channels": ["email", "sms"] } }
   */
  create: {
    audit: 'routing-strategy:created',
    auditTarget: ['id'],
    command: true,
    route: 'POST /routing-strategies',
    status: 201,
    summary: 'Create a routing strategy',
    request: StrategyFields,
    knownFields: declaredFields(StrategyFields, DELIVERY_FIELDS),
    response: RoutingStrategy,
  },
  /** All strategies of the workspace, without their routing. Archived ones are not included. */
  list: {
    route: 'GET /routing-strategies',
    summary: 'List routing strategies, the newest first',
    request: LimitedQuery,
    response: RoutingStrategyPage,
  },
  /** Answers 404 for a strategy that does not exist, or is archived. */
  retrieve: {
    route: 'GET /routing-strategies/:id',
    summary: 'Get a routing strategy',
    request: NamedStrategy,
    response: RoutingStrategy,
  },
  /**
   * Applies to all templates that are linked with it, within a second.
   * @example { "name": "E-mail, then SMS", "routing": { "method": "single", "channels": ["email", "sms"] } }
   */
  replace: {
    audit: 'routing-strategy:replaced',
    command: true,
    route: 'PUT /routing-strategies/:id',
    summary: 'Replace a routing strategy; what is left out is cleared',
    request: ReplaceStrategy,
    knownFields: declaredFields(ReplaceStrategy, DELIVERY_FIELDS),
    response: RoutingStrategy,
  },
  /** Answers 409 while templates are linked with it. It is no longer found then. */
  archive: {
    audit: 'routing-strategy:archived',
    command: true,
    route: 'DELETE /routing-strategies/:id',
    summary: 'Archive a routing strategy; refused while templates are linked with it',
    request: NamedStrategy,
    mayConflict: true,
  },
  /** Answers 404 for a strategy that does not exist, or is archived. */
  templates: {
    route: 'GET /routing-strategies/:id/notifications',
    summary: 'List the templates linked with a routing strategy, the newest first',
    request: ListLinkedTemplates,
    response: LinkedTemplatePage,
  },
});
