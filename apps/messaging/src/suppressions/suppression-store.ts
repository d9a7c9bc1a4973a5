import { ERASED_ADDRESS_PREFIX, type SuppressionChannel } from '@tidings/contracts/messaging/suppression-address';
import { SUPPRESSION_REASONS, type SuppressionReason } from '@tidings/contracts/messaging/suppression-reasons';
import { byKey } from '@tidings/persistence/by-key';
import { columnsOf } from '@tidings/persistence/columns-of';
import { type Queryable, statement } from '@tidings/persistence/database';
import { ERASED } from '../record/erased';

/** What identifies a suppression. */
export interface SuppressionKey {
  readonly workspaceId: string;
  readonly channel: SuppressionChannel;
  /** The address in its one spelling, or the hash of an erased one. */
  readonly address: string;
}

/** A suppression to write. */
export interface NewSuppression extends SuppressionKey {
  /** The hash under which the address is stored if it was erased; `null` where the workspace has no erased address. */
  readonly hash: string | null;
  readonly reason: SuppressionReason;
  readonly source: string;
  /** `null`: now. */
  readonly createdAt: Date | null;
  /** The id of the message in the store. */
  readonly messageId: string | null;
}

/** A stored suppression, as a delivery needs it. */
export interface FoundSuppression extends SuppressionKey {
  readonly reason: SuppressionReason;
  readonly source: string;
  readonly createdAt: Date;
}

// SQL because checks and reports are batches of several workspaces, on the path of messages.
/** An index lookup for each key, however many suppressions there are. */
const FIND = statement(
  'messaging.find_suppressions',
  `select input.workspace_id as "workspaceId", input.channel, input.address, stored.reason, stored.source, stored.created_at as "createdAt"
     from unnest($1::uuid[], $2::text[], $3::text[]) as input (workspace_id, channel, address)
    cross join lateral (
      select reason, source, created_at from suppressions
       where suppressions.workspace_id = input.workspace_id and suppressions.channel = input.channel and suppressions.address = input.address
       limit 1
    ) stored`,
);

const NOTE = statement(
  'messaging.note_suppressing_workspaces',
  `insert into suppressing_workspaces (workspace_id) select distinct unnest($1::uuid[]) as id order by id
   on conflict (workspace_id) do nothing returning workspace_id as "workspaceId"`,
);

/** $9: whether the new reason replaces a stronger one. $10: the reasons, the weakest first. An erased address stays erased. */
const SAVE = statement(
  'messaging.save_suppressions',
  `with input as (
     select input.*, array_position($10::text[], input.reason) as strength
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::uuid[])
         with ordinality as input (workspace_id, channel, address, hash, reason, source, created_at, message_id, ordinal)
   ), named as (
     select input.*, coalesce(erased.address, input.address) as stored_address
       from input left join suppressions erased
         on erased.workspace_id = input.workspace_id and erased.channel = input.channel and erased.address = input.hash
   )
   insert into suppressions as stored (workspace_id, channel, address, reason, source, created_at, message_id)
   select distinct on (workspace_id, channel, stored_address)
          workspace_id, channel, stored_address, reason, source, coalesce(created_at, now()), message_id
     from named
    order by workspace_id, channel, stored_address, case when $9 then ordinal else strength end desc
   on conflict (workspace_id, channel, address) do update
     set reason = excluded.reason, source = excluded.source, message_id = excluded.message_id,
         created_at = case when stored.reason = excluded.reason then least(stored.created_at, excluded.created_at) else excluded.created_at end
     where $9 or array_position($10::text[], excluded.reason) > array_position($10::text[], stored.reason)
   returning xmax = 0 as "isNew"`,
);

const LOCK_MESSAGES = statement(
  'messaging.lock_messages_of_suppressions',
  `select messages.id, messages.recipient from messages join unnest($1::uuid[], $2::uuid[]) as input (workspace_id, id)
       on messages.workspace_id = input.workspace_id and messages.id = input.id
    where ${byKey('input.id')} order by messages.id for share of messages`,
);

const OWNED = statement(
  'messaging.suppressions_to_erase',
  `with found as (
     select channel, address from suppressions where workspace_id = $1 and message_id = any ($2::uuid[])
     union
     select suppressions.channel, suppressions.address
       from unnest($3::text[], $4::text[]) as input (channel, address)
       join suppressions on suppressions.workspace_id = $1 and suppressions.channel = input.channel and suppressions.address = input.address
   )
   select channel, address from suppressions join found using (channel, address)
    where workspace_id = $1 and not starts_with(address, '${ERASED_ADDRESS_PREFIX}')
    order by channel, address for update of suppressions`,
);

const HASH = statement(
  'messaging.hash_suppressions',
  `with removed as (
     delete from suppressions using unnest($2::text[], $3::text[], $4::text[]) as input (channel, address, hash)
      where suppressions.workspace_id = $1 and suppressions.channel = input.channel and suppressions.address = input.address
     returning suppressions.channel, input.hash, reason, source, created_at, message_id
   )
   insert into suppressions (workspace_id, channel, address, reason, source, created_at, message_id)
   select $1, channel, hash, reason, source, created_at, message_id from removed
   on conflict (workspace_id, channel, address) do nothing`,
);

/** Locks the messages of reports until the commit; resolves with those (uuid) that are erased. */
export async function lockErased(tx: Queryable, rows: readonly Pick<NewSuppression, 'workspaceId' | 'messageId'>[]): Promise<Set<string>> {
  const locked = await tx.query<{ id: string; recipient: string }>(LOCK_MESSAGES, columnsOf(rows, 'workspaceId', 'messageId'));
  return new Set(locked.flatMap(({ id, recipient }) => (recipient === ERASED ? [id] : [])));
}

/** Those of these keys that are suppressed. Any number of keys of any workspaces. */
export function findSuppressions(database: Queryable, keys: readonly SuppressionKey[]): Promise<FoundSuppression[]> {
  return database.query<FoundSuppression>(FIND, columnsOf(keys, 'workspaceId', 'channel', 'address'));
}

/**
 * Notes that these workspaces suppress; resolves with those that did not before. They never stop to, so what is cached is never too little.
 */
export async function noteSuppressing(tx: Queryable, workspaceIds: readonly string[]): Promise<string[]> {
  return (await tx.query<{ workspaceId: string }>(NOTE, [workspaceIds])).map(({ workspaceId }) => workspaceId);
}

/**
 * Writes suppressions; of several of one address the last counts, or without `replaces` the one with the strongest reason. Resolves with
 * the number of new ones.
 * @param replaces whether a weaker reason replaces a stronger one too.
 */
export async function saveSuppressions(
  tx: Queryable,
  rows: readonly NewSuppression[],
  { replaces }: { replaces: boolean },
): Promise<number> {
  const columns = columnsOf(rows, 'workspaceId', 'channel', 'address', 'hash', 'reason', 'source', 'createdAt', 'messageId');
  const saved = await tx.query<{ isNew: boolean }>(SAVE, [...columns, replaces, SUPPRESSION_REASONS]);
  return saved.filter(({ isNew }) => isNew).length;
}

type Address = Pick<SuppressionKey, 'channel' | 'address'>;

/** The suppressions with these addresses, and those that follow from these messages (uuid), without erased ones; locked. */
export function suppressionsOf(tx: Queryable, workspaceId: string, messages: readonly string[], addresses: readonly Address[]) {
  return tx.query<Address>(OWNED, [workspaceId, messages, ...columnsOf(addresses, 'channel', 'address')]);
}

/** Replaces these addresses by their hashes. */
export async function hashSuppressions(tx: Queryable, workspaceId: string, rows: readonly (Address & { hash: string })[]): Promise<void> {
  await tx.execute(HASH, [workspaceId, ...columnsOf(rows, 'channel', 'address', 'hash')]);
}
