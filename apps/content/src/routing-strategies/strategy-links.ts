import { ServiceError } from '@tidings/contracts/core/errors';
import { statement, type Transaction } from '@tidings/persistence/database';

const HOLD = statement(
  'routing-strategies-hold',
  'select strategy_id from routing_strategies where workspace_id = $1 and strategy_id = $2 for key share',
);

/**
 * Keeps a strategy from being archived until the transaction ends. Whoever holds a template's row may take it; never the other way round.
 * @throws ServiceError `invalid_request` when it does not exist.
 */
export async function holdStrategy(tx: Transaction, workspaceId: string, strategyId: string): Promise<void> {
  const [found] = await tx.query(HOLD, [workspaceId, strategyId]);
  if (!found) throw new ServiceError('invalid_request', `routing.strategy_id: routing strategy ${strategyId} does not exist`);
}
