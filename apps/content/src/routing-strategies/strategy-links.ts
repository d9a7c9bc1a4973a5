import { ServiceError } from '@tidings/contracts/core/errors';
import { statement, type Transaction } from '@tidings/persistence/database';

const LOCK_SHARED = statement(
  'routing-strategies-lock-shared',
  'select strategy_id from routing_strategies where workspace_id = $1 and strategy_id = $2 for key share',
);

/**
 * Locks a strategy against archiving until the transaction ends. Lock order: the template's row first, then the strategy.
 * @throws ServiceError `invalid_request` when it does not exist.
 */
export async function lockStrategy(tx: Transaction, workspaceId: string, strategyId: string): Promise<void> {
  const [found] = await tx.query(LOCK_SHARED, [workspaceId, strategyId]);
  if (!found) throw new ServiceError('invalid_request', `routing.strategy_id: routing strategy ${strategyId} does not exist`);
}
