import { ServiceError } from '@tidings/contracts/core/errors';
import { PROVIDERS_MAX } from '@tidings/contracts/messaging/providers';
import { advisoryLock } from '@tidings/persistence/advisory';
import { statement, type Transaction, transactionOf } from '@tidings/persistence/database';
import type { EntityManager, ObjectLiteral, Repository } from 'typeorm';
import { ConfigurationEntity, type ConfigurationKey } from './configuration.entity';

/** Statements: rates and deliveries are on the path of a message. */
const DELETE_RATE = statement('provider-rates-delete', 'delete from provider_rates where workspace_id = $1 and configuration_id = $2');
const FREE_SLOTS = statement(
  'provider-rates-free-slots',
  `with waiting as (
     select message_id, leaf from deliveries
     where workspace_id = $1 and integration = $2 and integration <> 'default' and has_slot and not attempt_open
     order by message_id, leaf for update skip locked
   )
   update deliveries set has_slot = false, due_at = clock_timestamp()
   from waiting where deliveries.message_id = waiting.message_id and deliveries.leaf = waiting.leaf`,
);
const OPEN_DELIVERY = statement(
  'provider-configurations-open-delivery',
  "select message_id from deliveries where workspace_id = $1 and integration = $2 and integration <> 'default' limit 1",
);

/** The columns that clients decide. */
type ConfigurationValues = Pick<
  ConfigurationEntity,
  'provider' | 'channel' | 'title' | 'alias' | 'settings' | 'secrets' | 'keyId' | 'position'
>;

/** Serializes changes of a workspace's configurations, because checks read the other ones. First lock of a transaction. */
export const lockConfigurations: (tx: Transaction, workspaceId: string) => Promise<void> = advisoryLock(
  'provider-configurations',
  'messaging',
);

/** @throws ServiceError `not_found` */
export async function findConfiguration(rows: Repository<ConfigurationEntity>, key: ConfigurationKey): Promise<ConfigurationEntity> {
  const row = await rows.findOneBy(key);
  if (!row) throw new ServiceError('not_found', `Provider configuration ${key.id} does not exist`);
  return row;
}

/** @throws ServiceError `conflict` when another configuration has the alias, `invalid_request` when the workspace has too many. */
export async function insertConfiguration(tx: EntityManager, key: ConfigurationKey, values: ConfigurationValues): Promise<void> {
  if ((await tx.countBy(ConfigurationEntity, { workspaceId: key.workspaceId })) >= PROVIDERS_MAX)
    throw new ServiceError('invalid_request', `A workspace has at most ${PROVIDERS_MAX} configured providers: remove one first`);
  await assertAlias(tx, key, values);
  // `ObjectLiteral`: TypeORM's type of values does not accept settings of any type.
  await tx.insert<ObjectLiteral>(ConfigurationEntity, { ...key, ...values });
}

/** @throws ServiceError `conflict` when another configuration has the alias. */
export async function updateConfiguration(
  tx: EntityManager,
  key: ConfigurationKey,
  values: Omit<ConfigurationValues, 'provider'>,
): Promise<void> {
  await assertAlias(tx, key, values);
  const changed = { version: () => 'version + 1', updatedAt: () => 'greatest(now(), created_at)' };
  await tx.update<ObjectLiteral>(ConfigurationEntity, key, { ...values, ...changed });
}

/** @throws ServiceError `conflict` while deliveries wait for it. */
export async function removeConfiguration(tx: EntityManager, key: ConfigurationKey): Promise<void> {
  const [open] = await transactionOf(tx).query(OPEN_DELIVERY, [key.workspaceId, key.id]);
  if (open) {
    throw new ServiceError('conflict', `Messages are in flight with provider configuration ${key.id}: remove it when they have arrived`, {
      shouldRetry: false,
    });
  }
  await tx.delete(ConfigurationEntity, key);
  await voidReservations(transactionOf(tx), key);
}

/** Voids the slots reserved under an old rate; deliveries that have one reserve again. */
export async function voidReservations(tx: Transaction, { workspaceId, id }: ConfigurationKey): Promise<void> {
  await tx.execute(DELETE_RATE, [workspaceId, id]);
  await tx.execute(FREE_SLOTS, [workspaceId, id]);
}

async function assertAlias(
  tx: EntityManager,
  { workspaceId, id }: ConfigurationKey,
  { alias }: Pick<ConfigurationValues, 'alias'>,
): Promise<void> {
  if (alias === null) return;
  const other = await tx.findOne(ConfigurationEntity, { select: { id: true }, where: { workspaceId, alias } });
  if (!other || other.id === id) return;
  throw new ServiceError('conflict', `alias "${alias}" is that of provider configuration ${other.id}`, { shouldRetry: false });
}
