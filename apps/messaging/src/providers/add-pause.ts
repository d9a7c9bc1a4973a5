import { SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { conflict } from '@tidings/contracts/core/refusals';
import { PROVIDER_PAUSES_MAX } from '@tidings/contracts/messaging/provider-pauses';
import { advisoryLock } from '@tidings/persistence/advisory';
import { transactionOf } from '@tidings/persistence/database';
import type { EntityManager } from 'typeorm';
import type { ProviderChanges } from './provider-configurations';
import { ProviderPauseEntity } from './provider-pause.entity';

const lock = advisoryLock('provider-pauses', 'messaging');

/** Serializes pauses, since their number is bounded. First lock of a transaction. */
export const lockPauses = (tx: EntityManager) => lock(tx, SYSTEM_WORKSPACE_ID);

/**
 * Pauses a provider; one that is paused stays as it is. The caller has called `lockPauses`. Resolves with the pause, and whether it is new.
 * @throws ServiceError `conflict` where there are too many pauses.
 */
export async function addPause(
  tx: EntityManager,
  changes: ProviderChanges,
  given: Omit<ProviderPauseEntity, 'pausedAt'>,
): Promise<{ pause: ProviderPauseEntity; isNew: boolean }> {
  const { workspaceId, name } = given;
  const rows = tx.getRepository(ProviderPauseEntity);
  const earlier = await rows.findOneBy({ workspaceId, name });
  if (earlier) return { pause: earlier, isNew: false };
  if ((await rows.count()) >= PROVIDER_PAUSES_MAX)
    throw conflict(`There are ${PROVIDER_PAUSES_MAX} pauses already: resume a provider first`);
  await rows.insert(given);
  await publishPause(tx, changes, given);
  return { pause: await rows.findOneByOrFail({ workspaceId, name }), isNew: true };
}

/** Publishes that a pause begins or ends. */
export function publishPause(
  tx: EntityManager,
  changes: ProviderChanges,
  { workspaceId, name: id }: Pick<ProviderPauseEntity, 'workspaceId' | 'name'>,
): Promise<void> {
  return changes.publish(transactionOf(tx), { workspaceId, id });
}
