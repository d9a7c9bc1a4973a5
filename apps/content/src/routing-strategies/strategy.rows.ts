import type { ChannelSettings, MessageRouting, ProviderSettings } from '@tidings/contracts/content/routing';
import type { RoutingStrategy, RoutingStrategySummary } from '@tidings/contracts/content/routing-strategies';
import { AUTHOR } from '../templates/template.rows';

/** The columns of a strategy in listings. */
export interface StrategySummaryRow {
  strategy_id: string;
  name: string;
  description: string | null;
  tags: string[] | null;
  created_at: Date;
  updated_at: Date | null;
}

export interface StrategyRow extends StrategySummaryRow {
  routing: MessageRouting;
  channels: Record<string, ChannelSettings>;
  providers: Record<string, ProviderSettings>;
}

export const SUMMARY_COLUMNS = 'strategy_id, name, description, tags, created_at, updated_at';
export const STRATEGY_COLUMNS = `${SUMMARY_COLUMNS}, routing, channels, providers`;

export function toStrategySummary(row: StrategySummaryRow): RoutingStrategySummary {
  const { strategy_id, name, description, tags, created_at, updated_at } = row;
  return {
    id: strategy_id,
    name,
    ...(description !== null && { description }),
    ...(tags !== null && { tags }),
    created: created_at.getTime(),
    creator: AUTHOR,
    ...(updated_at !== null && { updated: updated_at.getTime(), updater: AUTHOR }),
  };
}

export function toStrategy({ routing, channels, providers, ...summary }: StrategyRow): RoutingStrategy {
  return { ...toStrategySummary(summary), routing, channels, providers };
}
