import { columnsOf } from '@tidings/persistence/columns-of';
import { type Database, type Queryable, statement } from '@tidings/persistence/database';
import { deleteInSteps } from './sql';
import { firstIdAt } from './weeks';

/** The id that a vendor gave to a message, at a configuration. */
export interface ReferenceKey {
  readonly workspaceId: string;
  readonly configurationId: string;
  readonly reference: string;
}

/** The message (uuid) that has it. */
export type ProviderReference = ReferenceKey & { readonly uuid: string };

const DELETE_STEP = 1_000;

// SQL because references are written and read in batches.
const STORE = statement(
  'messaging.store_provider_references',
  `insert into provider_references (workspace_id, configuration_id, reference, message_id)
   select * from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[]) on conflict do nothing`,
);
const FIND = statement(
  'messaging.messages_of_references',
  `select workspace_id as "workspaceId", configuration_id as "configurationId", reference, message_id as uuid
     from provider_references join unnest($1::uuid[], $2::text[], $3::text[]) as input (workspace_id, configuration_id, reference)
          using (workspace_id, configuration_id, reference)`,
);
const DELETE = statement(
  'messaging.delete_provider_references',
  `delete from provider_references where ctid = any(array(
     select ctid from provider_references where message_id < $1 order by message_id limit ${DELETE_STEP} for update skip locked))`,
);

/** Stores references of messages; those that are stored stay. */
export async function storeReferences(connection: Queryable, references: readonly ProviderReference[]): Promise<void> {
  await connection.execute(STORE, columnsOf(references, 'workspaceId', 'configurationId', 'reference', 'uuid'));
}

/** Messages (uuid) by the `referenceName` of their references. */
export async function messagesOf(connection: Queryable, keys: readonly ReferenceKey[]): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const rows = await connection.query<ProviderReference>(FIND, columnsOf(keys, 'workspaceId', 'configurationId', 'reference'));
  return new Map(rows.map((row) => [referenceName(row), row.uuid]));
}

export function referenceName({ workspaceId, configurationId, reference }: ReferenceKey): string {
  return `${workspaceId} ${configurationId} ${reference}`;
}

/** Deletes the references of messages from before `sinceMs`, in short steps, until `stopping`. */
export function forgetReferences(database: Database, sinceMs: number, stopping: () => boolean): Promise<void> {
  return deleteInSteps(database, DELETE, [firstIdAt(Math.max(0, sinceMs))], { rows: DELETE_STEP, stopping });
}
