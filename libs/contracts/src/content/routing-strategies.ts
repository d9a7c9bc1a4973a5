import { AnyObject, OptionalObject, OptionalText, OptionalTextOf, OptionalTexts, OptionalTextsOf, Text, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { LimitedQuery, pageOf } from '../core/paging';
import { Authored, StrategyId, TemplateSummary } from './template-fields';
import type { MessageRouting, SettingsByChannel, SettingsByProvider } from './routing';

/** A strategy without its id. Absent or `null` fields are removed. */
export class StrategyFields {
  @TextOf(1, 512) name: string;

  @OptionalTextOf(10_000) description?: string | null;

  @OptionalTextsOf(100, 1, 256) tags?: string[] | null;

  @AnyObject routing: MessageRouting;

  @OptionalObject channels?: SettingsByChannel | null;

  @OptionalObject providers?: SettingsByProvider | null;
}

export class NamedStrategy {
  @StrategyId id: string;
}

export class ReplaceStrategy extends StrategyFields {
  @StrategyId id: string;
}

/** A strategy in a listing. Times are ms since the epoch. */
export class RoutingStrategySummary extends Authored {
  @Text id: string;

  @Text name: string;

  @OptionalText description?: string;

  @OptionalTexts tags?: string[];
}

export class RoutingStrategy extends RoutingStrategySummary {
  @AnyObject routing: MessageRouting;

  @AnyObject channels: SettingsByChannel;

  @AnyObject providers: SettingsByProvider;
}

class RoutingStrategyPage extends pageOf(RoutingStrategySummary) {}

export class ListLinkedTemplates extends LimitedQuery {
  @StrategyId id: string;
}

class LinkedTemplatePage extends pageOf(TemplateSummary) {}

export const routingStrategies = defineOperations('content.routing-strategies', 'routing-strategies', {
  create: {
    command: true,
    route: 'POST /routing-strategies',
    status: 201,
    summary: 'Create a routing strategy',
    request: StrategyFields,
    response: RoutingStrategy,
  },
  list: {
    route: 'GET /routing-strategies',
    summary: 'List routing strategies, the newest first',
    request: LimitedQuery,
    response: RoutingStrategyPage,
  },
  retrieve: {
    route: 'GET /routing-strategies/:id',
    summary: 'Get a routing strategy',
    request: NamedStrategy,
    response: RoutingStrategy,
  },
  replace: {
    command: true,
    route: 'PUT /routing-strategies/:id',
    summary: 'Replace a routing strategy; what is left out is cleared',
    request: ReplaceStrategy,
    response: RoutingStrategy,
  },
  archive: {
    command: true,
    route: 'DELETE /routing-strategies/:id',
    summary: 'Archive a routing strategy; refused while templates are linked with it',
    request: NamedStrategy,
    mayConflict: true,
  },
  templates: {
    route: 'GET /routing-strategies/:id/notifications',
    summary: 'List the templates linked with a routing strategy, the newest first',
    request: ListLinkedTemplates,
    response: LinkedTemplatePage,
  },
});
