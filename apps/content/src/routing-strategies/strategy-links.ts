import { invalid } from '@tidings/contracts/core/refusals';
import type { EntityManager } from 'typeorm';
import { RoutingStrategyEntity } from './routing-strategy.entity';

/**
 * Locks a strategy against archiving until the transaction ends. Lock order: the template's row first, then the strategy.
 * @throws ServiceError `invalid_request` when it does not exist.
 */
export async function lockStrategy(tx: EntityManager, workspaceId: string, strategyId: string): Promise<void> {
  const where = { workspaceId, id: strategyId };
  const found = await tx.findOne(RoutingStrategyEntity, { select: { id: true }, where, lock: { mode: 'for_key_share' } });
  if (!found) throw invalid(`routing.strategy_id: routing strategy ${strategyId} does not exist`);
}
