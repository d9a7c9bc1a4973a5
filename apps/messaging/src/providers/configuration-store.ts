import { ServiceError } from '@tidings/contracts/core/errors';
import { PROVIDERS_MAX } from '@tidings/contracts/messaging/providers';
import { advisoryLock } from '@tidings/persistence/advisory';
import { type Queryable, statement, type Transaction } from '@tidings/persistence/database';
import { CONFIGURATION_COLUMNS, type ConfigurationRow } from './configuration.rows';

const FIND = statement(
  'provider-configurations-find',
  `select ${CONFIGURATION_COLUMNS} from provider_configurations where workspace_id = $1 and configuration_id = $2`,
);
const OTHERS = statement(
  'provider-configurations-others',
  'select configuration_id from provider_configurations where workspace_id = $1 order by configuration_id limit $2',
);
const OF_ALIAS = statement(
  'provider-configurations-of-alias',
  'select configuration_id from provider_configurations where workspace_id = $1 and alias = $2',
);
const INSERT = statement(
  'provider-configurations-insert',
  `insert into provider_configurations
     (workspace_id, configuration_id, provider, channel, title, alias, settings, secrets, key_id, position)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${CONFIGURATION_COLUMNS}`,
);
const UPDATE = statement(
  'provider-configurations-update',
  `update provider_configurations
      set channel = $4, title = $5, alias = $6, settings = $7, secrets = $8, key_id = $9, position = $10,
          version = version + 1, updated_at = greatest(now(), created_at)
    where workspace_id = $1 and configuration_id = $2 and provider = $3 returning ${CONFIGURATION_COLUMNS}`,
);
const REMOVE = statement(
  'provider-configurations-remove',
  'delete from provider_configurations where workspace_id = $1 and configuration_id = $2',
);
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
export type ConfigurationValues = Pick<
  ConfigurationRow,
  'workspace_id' | 'configuration_id' | 'provider' | 'channel' | 'title' | 'alias' | 'settings' | 'secrets' | 'key_id' | 'position'
>;

/** Serializes changes of a workspace's configurations, because checks read the other ones. First lock of a transaction. */
export const lockConfigurations: (tx: Transaction, workspaceId: string) => Promise<void> = advisoryLock(
  'provider-configurations',
  'messaging',
);

/** @throws ServiceError `not_found` */
export async function findConfiguration(db: Queryable, workspaceId: string, id: string): Promise<ConfigurationRow> {
  const [row] = await db.query<ConfigurationRow>(FIND, [workspaceId, id]);
  if (!row) throw new ServiceError('not_found', `Provider configuration ${id} does not exist`);
  return row;
}

/** @throws ServiceError `conflict` when another configuration has the alias, `invalid_request` when the workspace has too many. */
export async function insertConfiguration(tx: Transaction, values: ConfigurationValues): Promise<ConfigurationRow> {
  const others = await tx.query(OTHERS, [values.workspace_id, PROVIDERS_MAX]);
  if (others.length >= PROVIDERS_MAX)
    throw new ServiceError('invalid_request', `A workspace has at most ${PROVIDERS_MAX} configured providers: remove one first`);
  await assertAlias(tx, values);
  const [row] = await tx.query<ConfigurationRow>(INSERT, columnsOf(values));
  return row!;
}

/** @throws ServiceError `conflict` when another configuration has the alias. */
export async function updateConfiguration(tx: Transaction, values: ConfigurationValues): Promise<ConfigurationRow> {
  await assertAlias(tx, values);
  const [row] = await tx.query<ConfigurationRow>(UPDATE, columnsOf(values));
  return row!;
}

/** @throws ServiceError `conflict` while deliveries wait for it. */
export async function removeConfiguration(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  const [open] = await tx.query(OPEN_DELIVERY, [workspaceId, id]);
  if (open) {
    throw new ServiceError('conflict', `Messages are in flight with provider configuration ${id}: remove it when they have arrived`, {
      shouldRetry: false,
    });
  }
  await tx.execute(REMOVE, [workspaceId, id]);
  await voidReservations(tx, workspaceId, id);
}

/** Voids the slots reserved under an old rate; deliveries that have one reserve again. */
export async function voidReservations(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  await tx.execute(DELETE_RATE, [workspaceId, id]);
  await tx.execute(FREE_SLOTS, [workspaceId, id]);
}

async function assertAlias(tx: Transaction, { workspace_id, configuration_id, alias }: ConfigurationValues): Promise<void> {
  if (alias === null) return;
  const [other] = await tx.query<{ configuration_id: string }>(OF_ALIAS, [workspace_id, alias]);
  if (!other || other.configuration_id === configuration_id) return;
  throw new ServiceError('conflict', `alias "${alias}" is that of provider configuration ${other.configuration_id}`, {
    shouldRetry: false,
  });
}

function columnsOf(values: ConfigurationValues): unknown[] {
  const { workspace_id, configuration_id, provider, channel, title, alias, settings, secrets, key_id, position } = values;
  return [workspace_id, configuration_id, provider, channel, title, alias, JSON.stringify(settings), secrets, key_id, position];
}
