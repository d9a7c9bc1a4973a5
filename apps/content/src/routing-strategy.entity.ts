import { Column, Entity, type EntityManager } from 'typeorm';
import type { MessageRouting, SettingsByChannel, SettingsByProvider } from '@tidings/contracts/content/routing';
import type { RoutingStrategy, RoutingStrategySummary } from '@tidings/contracts/content/routing-strategies';
import { invalid } from '@tidings/contracts/core/refusals';
import { CreatedRow, Nullable, TextKey } from './rows';
import { authorship } from './templates/author';

/** A routing strategy. Its objects are `json`, not `jsonb`: clients get the keys in the order in which they put them. */
@Entity('routing_strategies')
export class RoutingStrategyEntity extends CreatedRow {
  @TextKey({ name: 'strategy_id' })
  id: string;

  @Column('text')
  name: string;

  @Nullable('text')
  description: string | null;

  @Column('text', { array: true, nullable: true })
  tags: string[] | null;

  @Column('json')
  routing: MessageRouting;

  /** The secrets of overrides are sealed, here and in `providers`. */
  @Column('json')
  channels: SettingsByChannel;

  @Column('json')
  providers: SettingsByProvider;

  /** What the objects take in a response. */
  @Column('integer')
  bytes: number;

  /** `null` for a strategy that was never replaced. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  updatedAt: Date | null;
}

/** The columns of a strategy in listings. */
export const SUMMARY_PROPERTIES = ['id', 'name', 'description', 'tags', 'createdAt', 'updatedAt'] as const;
type StrategySummaryRow = Pick<RoutingStrategyEntity, (typeof SUMMARY_PROPERTIES)[number]>;

export function toStrategySummary(row: StrategySummaryRow): RoutingStrategySummary {
  const { id, name, description, tags } = row;
  return { id, name, description: description ?? undefined, tags: tags ?? undefined, ...authorship(row) };
}

/** The secrets of its overrides are as they are stored. */
export function toStrategy(row: RoutingStrategyEntity): RoutingStrategy {
  const { routing, channels, providers } = row;
  return { ...toStrategySummary(row), routing, channels, providers };
}

/**
 * Locks a template's strategy, if it has one, against archiving until the transaction ends. Lock order: the template's row first, then the strategy.
 * @throws ServiceError `invalid_request` when it does not exist.
 */
export async function lockStrategy(tx: EntityManager, workspaceId: string, strategyId: string | null) {
  if (strategyId === null) return;
  const where = { workspaceId, id: strategyId };
  const found = await tx.findOne(RoutingStrategyEntity, { select: { id: true }, where, lock: { mode: 'for_key_share' } });
  if (!found) throw invalid(`routing.strategy_id: routing strategy ${strategyId} does not exist`);
}
