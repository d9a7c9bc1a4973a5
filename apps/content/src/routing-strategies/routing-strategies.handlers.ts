import { InjectRepository } from '@nestjs/typeorm';
import { conflict, notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, type QueryDeepPartialEntity, Repository } from 'typeorm';
import { assertChannelSettings, assertProviderSettings, assertRouting } from '@tidings/contracts/content/routing';
import {
  type ListLinkedTemplates,
  type NamedStrategy,
  type ReplaceStrategy,
  type RoutingStrategy,
  routingStrategies,
  type StrategyFields,
} from '@tidings/contracts/content/routing-strategies';
import type { CallContext } from '@tidings/contracts/core/context';
import { type LimitedQuery, PAGE_LIMIT_DEFAULT } from '@tidings/contracts/core/paging';
import { Database, statement } from '@tidings/persistence/database';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { newId } from '@tidings/persistence/new-id';
import { Outbox } from '@tidings/persistence/outbox';
import { decodeCursor, toPage, toResultsPage } from '@tidings/persistence/page';
import { assertConditions } from '@tidings/rendering/checks/condition-check';
import { Handles } from '@tidings/rpc/handles';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { jsonBytes } from '../json-bytes';
import { publishChange } from '../publish-change';
import { TemplateStrategyEntity } from '../templates/template-links.entity';
import { type SummaryRow, toSummary } from '../templates/template.entity';
import { RoutingStrategyEntity, SUMMARY_PROPERTIES, toStrategy, toStrategySummary } from '../routing-strategy.entity';

// SQL because the templates of a page and the versions that they show are one index lookup each.
const LINKED = statement(
  'routing-strategies-linked-templates',
  `select link.template_id as id, link.created_at as "createdAt", template.updated_at as "updatedAt",
          template.published_version as "publishedVersion", version.name, version.tags, version.topic_id as "topicId"
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

/** The cursor before the newest template. */
const NEWEST_CURSOR = ['9999-12-31T23:59:59.999Z', ''];

@Handles(routingStrategies)
export class RoutingStrategiesHandlers {
  constructor(
    @InjectRepository(RoutingStrategyEntity) private readonly rows: Repository<RoutingStrategyEntity>,
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly secrets: OverrideSecrets,
  ) {}

  async create({ workspaceId }: CallContext, fields: StrategyFields, tx: EntityManager) {
    const key = { workspaceId, id: newId('rs') };
    await tx.insert(RoutingStrategyEntity, { ...key, ...this.storedFields(workspaceId, fields) });
    return toStrategy(await tx.findOneByOrFail(RoutingStrategyEntity, key));
  }

  presentCreate({ workspaceId }: CallContext, recorded: RoutingStrategy) {
    return this.opened(workspaceId, recorded);
  }

  async list({ workspaceId }: CallContext, { cursor, starting_after, limit }: LimitedQuery) {
    const query = this.rows
      .createQueryBuilder('strategy')
      .select(SUMMARY_PROPERTIES.map((property) => `strategy.${property}`))
      .where('strategy.workspaceId = :workspaceId', { workspaceId });
    return toResultsPage(
      await keysetPage(query, {
        tag: `routing-strategies ${workspaceId}`,
        limit,
        cursor: cursor ?? starting_after,
        orderedBy: ['createdAt', 'id'],
        direction: 'DESC',
        toItem: toStrategySummary,
      }),
    );
  }

  async retrieve({ workspaceId }: CallContext, { id }: NamedStrategy) {
    const row = await this.rows.findOneBy({ workspaceId, id });
    if (!row) throw noStrategy(id);
    return this.opened(workspaceId, toStrategy(row));
  }

  async replace({ workspaceId }: CallContext, { id, ...fields }: ReplaceStrategy, tx: EntityManager) {
    const stored = await tx.findOneBy(RoutingStrategyEntity, { workspaceId, id });
    const updated = { ...this.storedFields(workspaceId, fields, stored), updatedAt: () => 'greatest(now(), created_at)' };
    const { affected } = await tx.update(RoutingStrategyEntity, { workspaceId, id }, updated);
    if (!affected) throw noStrategy(id);
    await publishChange(this.outbox, tx, { workspaceId, kind: 'routing_strategy', id });
    return toStrategy(await tx.findOneByOrFail(RoutingStrategyEntity, { workspaceId, id }));
  }

  presentReplace({ workspaceId }: CallContext, recorded: RoutingStrategy) {
    return this.opened(workspaceId, recorded);
  }

  /** Refused while a draft or a published version is linked with the strategy. */
  async archive({ workspaceId }: CallContext, { id }: NamedStrategy, tx: EntityManager) {
    const lock = { mode: 'pessimistic_write' } as const;
    if (!(await tx.findOne(RoutingStrategyEntity, { select: { id: true }, where: { workspaceId, id }, lock }))) throw noStrategy(id);
    const link = await tx.findOne(TemplateStrategyEntity, { where: { workspaceId, strategyId: id }, order: { createdAt: 'ASC' } });
    if (link) {
      throw conflict(`Routing strategy ${id} is linked with templates, ${link.templateId} among them: link them with another one first`);
    }
    await tx.delete(RoutingStrategyEntity, { workspaceId, id });
    await publishChange(this.outbox, tx, { workspaceId, kind: 'routing_strategy', id });
  }

  async templates({ workspaceId }: CallContext, request: ListLinkedTemplates) {
    const { id, cursor: given, starting_after, limit } = request;
    const cursor = given ?? starting_after;
    const size = limit ?? PAGE_LIMIT_DEFAULT;
    const tag = `routing-strategy-templates ${workspaceId} ${id}`;
    const after = cursor === undefined ? NEWEST_CURSOR : decodeCursor(tag, cursor, ['instant', 'text']);
    const [exists, rows] = await Promise.all([
      this.rows.existsBy({ workspaceId, id }),
      this.database.query<SummaryRow>(LINKED, [workspaceId, ...after, size + 1, id]),
    ]);
    if (!exists) throw noStrategy(id);
    const cursorOf = (row: SummaryRow) => [row.createdAt.toISOString(), row.id];
    return toResultsPage(toPage(rows, { tag, limit: size, cursorOf, toItem: toSummary }));
  }

  private opened(workspaceId: string, strategy: RoutingStrategy) {
    return this.secrets.openSettingsForReader(workspaceId, strategy, `routing strategy ${strategy.id}`);
  }

  /** @param stored what they replace. */
  private storedFields(workspaceId: string, fields: StrategyFields, stored?: RoutingStrategyEntity | null) {
    const { name, description, tags, routing, channels, providers, ...rest } = fields;
    rest satisfies Record<string, never>;
    assertRouting(routing, 'routing');
    if (channels) assertChannelSettings(channels, 'channels');
    if (providers) assertProviderSettings(providers, 'providers');
    assertConditions({ routing, channels, providers });
    const settings = this.secrets.acceptSettings(workspaceId, { channels: channels ?? {}, providers: providers ?? {} }, { stored });
    const objects = { routing, ...settings };
    return {
      name,
      description: description ?? null,
      tags: tags ?? null,
      bytes: jsonBytes(Object.values(objects)),
      ...objects,
    } as QueryDeepPartialEntity<RoutingStrategyEntity>;
  }
}

const noStrategy = (id: string) => notFound(`Routing strategy ${id} does not exist`);
