import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ChannelSettings, MessageRouting, ProviderSettings } from '@tidings/contracts/content/routing';
import type { RoutingStrategy, RoutingStrategySummary } from '@tidings/contracts/content/routing-strategies';
import { AUTHOR } from '../templates/author';
import { CreatedRow } from '../rows';

/** A routing strategy. Its objects are `json`, not `jsonb`: clients get the keys in the order in which they put them. */
@Entity('routing_strategies')
export class RoutingStrategyEntity extends CreatedRow {
  @PrimaryColumn('text', { name: 'strategy_id', collation: 'C' })
  id!: string;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { array: true, nullable: true })
  tags!: string[] | null;

  @Column('json')
  routing!: MessageRouting;

  @Column('json')
  channels!: Record<string, ChannelSettings>;

  @Column('json')
  providers!: Record<string, ProviderSettings>;

  /** What the objects take in a response. */
  @Column('integer')
  bytes!: number;

  /** `null` for a strategy that was never replaced. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  updatedAt!: Date | null;
}

/** The columns of a strategy in listings. */
export const SUMMARY_PROPERTIES = ['id', 'name', 'description', 'tags', 'createdAt', 'updatedAt'] as const;
type StrategySummaryRow = Pick<RoutingStrategyEntity, (typeof SUMMARY_PROPERTIES)[number]>;

export function toStrategySummary({ id, name, description, tags, createdAt, updatedAt }: StrategySummaryRow): RoutingStrategySummary {
  return {
    id,
    name,
    ...(description !== null && { description }),
    ...(tags !== null && { tags }),
    created: createdAt.getTime(),
    creator: AUTHOR,
    ...(updatedAt !== null && { updated: updatedAt.getTime(), updater: AUTHOR }),
  };
}

export function toStrategy(row: RoutingStrategyEntity): RoutingStrategy {
  const { routing, channels, providers } = row;
  return { ...toStrategySummary(row), routing, channels, providers };
}
