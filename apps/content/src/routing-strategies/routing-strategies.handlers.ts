import { contentChanged } from '@tidings/contracts/content/events';
import { assertChannelSettings, assertProviderSettings, assertRouting } from '@tidings/contracts/content/routing';
import {
  type LinkedTemplatePage,
  type ListLinkedTemplates,
  type NamedStrategy,
  type ReplaceStrategy,
  routingStrategies,
  type RoutingStrategy,
  type RoutingStrategyPage,
  type StrategyFields,
} from '@tidings/contracts/content/routing-strategies';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { type LimitedQuery, PAGE_LIMIT_DEFAULT } from '@tidings/contracts/core/paging';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, statement, type Transaction } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { decodeCursor, toPage, toResultsPage } from '@tidings/persistence/page';
import { assertConditions } from '@tidings/rendering/checks/condition-check';
import { Handles } from '@tidings/rpc/handles';
import { newId } from '@tidings/persistence/new-id';
import { type SummaryRow, toSummary } from '../templates/template.rows';
import {
  STRATEGY_COLUMNS,
  type StrategyRow,
  type StrategySummaryRow,
  SUMMARY_COLUMNS,
  toStrategy,
  toStrategySummary,
} from './strategy.rows';

const INSERT = statement(
  'routing-strategies-insert',
  `insert into routing_strategies (workspace_id, strategy_id, name, description, tags, routing, channels, providers, bytes)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${STRATEGY_COLUMNS}`,
);
const UPDATE = statement(
  'routing-strategies-update',
  `update routing_strategies
      set name = $3, description = $4, tags = $5, routing = $6, channels = $7, providers = $8, bytes = $9, updated_at = greatest(now(), created_at)
    where workspace_id = $1 and strategy_id = $2 returning ${STRATEGY_COLUMNS}`,
);
const RETRIEVE = statement(
  'routing-strategies-retrieve',
  `select ${STRATEGY_COLUMNS} from routing_strategies where workspace_id = $1 and strategy_id = $2`,
);
const PAGE = statement(
  'routing-strategies-page',
  `select ${SUMMARY_COLUMNS} from routing_strategies where workspace_id = $1 and (created_at, strategy_id) < ($2, $3)
    order by created_at desc, strategy_id desc limit $4`,
);
const LOCK = statement(
  'routing-strategies-lock',
  'select strategy_id from routing_strategies where workspace_id = $1 and strategy_id = $2 for update',
);
const ANY_LINK = statement(
  'routing-strategies-any-link',
  'select template_id from notification_strategies where workspace_id = $1 and strategy_id = $2 order by created_at limit 1',
);
const REMOVE = statement('routing-strategies-remove', 'delete from routing_strategies where workspace_id = $1 and strategy_id = $2');
const LINKED = statement(
  'routing-strategies-linked-templates',
  `select link.template_id, link.created_at, template.updated_at, template.published_version, version.name, version.tags, version.topic_id
     from (select template_id, created_at from notification_strategies
            where workspace_id = $1 and strategy_id = $5 and (created_at, template_id) < ($2, $3)
            order by created_at desc, template_id desc limit $4) link
    cross join lateral (select updated_at, published_version from notification_templates
                         where workspace_id = $1 and template_id = link.template_id limit 1) template
    cross join lateral (select name, tags, topic_id from notification_versions
                         where workspace_id = $1 and template_id = link.template_id
                           and version = coalesce(template.published_version, 0) limit 1) version
    order by link.created_at desc, link.template_id desc`,
);

/** The cursor before the newest strategy or template. */
const NEWEST_CURSOR = ['9999-12-31T23:59:59.999Z', ''];

@Handles(routingStrategies)
export class RoutingStrategiesHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
    private readonly outbox: Outbox,
  ) {}

  async create(context: CallContext, fields: StrategyFields): Promise<RoutingStrategy> {
    const values = valuesOf(fields);
    return this.calls.once(context, async (tx) => {
      const [row] = await tx.query<StrategyRow>(INSERT, [context.workspaceId, newId('rs'), ...values]);
      return toStrategy(row!);
    });
  }

  async list({ workspaceId }: CallContext, { cursor: given, starting_after, limit, ...rest }: LimitedQuery): Promise<RoutingStrategyPage> {
    rest satisfies Record<string, never>;
    const cursor = given ?? starting_after;
    const size = limit ?? PAGE_LIMIT_DEFAULT;
    const tag = `routing-strategies ${workspaceId}`;
    const after = cursor === undefined ? NEWEST_CURSOR : decodeCursor(tag, cursor, ['instant', 'text']);
    const rows = await this.db.query<StrategySummaryRow>(PAGE, [workspaceId, ...after, size + 1]);
    const cursorOf = ({ created_at, strategy_id }: StrategySummaryRow): string[] => [created_at.toISOString(), strategy_id];
    return toResultsPage(toPage(rows, { tag, limit: size, cursorOf, toItem: toStrategySummary }));
  }

  async retrieve({ workspaceId }: CallContext, { id, ...rest }: NamedStrategy): Promise<RoutingStrategy> {
    rest satisfies Record<string, never>;
    const [row] = await this.db.query<StrategyRow>(RETRIEVE, [workspaceId, id]);
    if (!row) throw noStrategy(id);
    return toStrategy(row);
  }

  async replace(context: CallContext, { id, ...fields }: ReplaceStrategy): Promise<RoutingStrategy> {
    const values = valuesOf(fields);
    const { workspaceId } = context;
    return this.calls.once(context, async (tx) => {
      const [row] = await tx.query<StrategyRow>(UPDATE, [workspaceId, id, ...values]);
      if (!row) throw noStrategy(id);
      await this.publishChange(tx, workspaceId, id);
      return toStrategy(row);
    });
  }

  /** Refused while a draft or a published version is linked with the strategy. */
  async archive(context: CallContext, { id, ...rest }: NamedStrategy): Promise<void> {
    rest satisfies Record<string, never>;
    const { workspaceId } = context;
    await this.calls.once(context, async (tx) => {
      const [strategy] = await tx.query(LOCK, [workspaceId, id]);
      if (!strategy) throw noStrategy(id);
      const [link] = await tx.query<{ template_id: string }>(ANY_LINK, [workspaceId, id]);
      if (link) {
        throw new ServiceError(
          'conflict',
          `Routing strategy ${id} is linked with templates, ${link.template_id} among them: link them with another one first`,
          { shouldRetry: false },
        );
      }
      await tx.execute(REMOVE, [workspaceId, id]);
      await this.publishChange(tx, workspaceId, id);
    });
  }

  async templates({ workspaceId }: CallContext, request: ListLinkedTemplates): Promise<LinkedTemplatePage> {
    const { id, cursor: given, starting_after, limit, ...rest } = request;
    rest satisfies Record<string, never>;
    const cursor = given ?? starting_after;
    const size = limit ?? PAGE_LIMIT_DEFAULT;
    const tag = `routing-strategy-templates ${workspaceId} ${id}`;
    const after = cursor === undefined ? NEWEST_CURSOR : decodeCursor(tag, cursor, ['instant', 'text']);
    const [[strategy], rows] = await Promise.all([
      this.db.query(RETRIEVE, [workspaceId, id]),
      this.db.query<SummaryRow>(LINKED, [workspaceId, ...after, size + 1, id]),
    ]);
    if (!strategy) throw noStrategy(id);
    const cursorOf = ({ created_at, template_id }: SummaryRow): string[] => [created_at.toISOString(), template_id];
    return toResultsPage(toPage(rows, { tag, limit: size, cursorOf, toItem: toSummary }));
  }

  private async publishChange(tx: Transaction, workspaceId: string, id: string): Promise<void> {
    await this.outbox.add(tx, contentChanged, { payload: { workspaceId, kind: 'routing_strategy', id } });
  }
}

/** The columns from `name` to `bytes`. */
function valuesOf({ name, description, tags, routing, channels, providers, ...rest }: StrategyFields): unknown[] {
  rest satisfies Record<string, never>;
  assertRouting(routing, 'routing');
  if (channels) assertChannelSettings(channels, 'channels');
  if (providers) assertProviderSettings(providers, 'providers');
  assertConditions({ routing, channels, providers });
  const texts = [routing, channels ?? {}, providers ?? {}].map((value) => JSON.stringify(value));
  return [name, description ?? null, tags ?? null, ...texts, Buffer.byteLength(texts.join(''))];
}

function noStrategy(id: string): ServiceError {
  return new ServiceError('not_found', `Routing strategy ${id} does not exist`);
}
