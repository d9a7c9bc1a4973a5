import { messageHistory, messageStatus } from '@tidings/contracts/messaging/events';
import { type Database, statement } from '@tidings/persistence/database';
import { CommitNotifier } from '@tidings/persistence/commit-notifier';
import type { ReadLimits, RelaySource, ShardPosition, SourcedEvent } from '@tidings/persistence/relay-source';
import type { Queryable } from '@tidings/persistence/transaction';
import { MESSAGE_COLUMNS } from '../store/message-row';
import { HISTORY_SHARD, type PublishedRow, publishedEvents } from './published-events';

/** A row yields about five events, including the record of its message. */
const ROWS_MAX = 400;
const LIMITS: ReadLimits = { events: 5 * ROWS_MAX, bytes: 4_000_000 };

/**
 * The first rows after a sequence. The size of a row is known only after decompression, and a text of one repeated character grows
 * 200-fold: the sum of stored sizes bounds the rows that are decompressed, the sum of text sizes the rows that are returned.
 * The message is read in the same snapshot as its row, so it is never older. The limits are constants, so the planner knows them.
 */
const READ_HISTORY = statement(
  'messaging.read_history',
  `select history.sequence, history.workspace_id, history.message_id, history.number, history.at, history.events, history.bytes,
          message.*
   from (
     select *, sum(bytes) over (order by sequence rows unbounded preceding) - bytes as bytes_before
     from (
       select sequence, workspace_id, message_id, number, at, events::text as events, octet_length(events::text) as bytes
       from (
         select *, sum(pg_column_size(events)) over (order by sequence rows unbounded preceding) - pg_column_size(events) as stored_before
         from (
           select sequence, workspace_id, message_id, number, at, events from history where sequence > $1 order by sequence limit ${ROWS_MAX}
         ) as following
       ) as stored
       where stored_before < ${LIMITS.bytes}
     ) as sized
   ) as history
   left join lateral (
     select ${MESSAGE_COLUMNS}, last_number from messages
     where messages.workspace_id = history.workspace_id and messages.id = history.message_id
     limit 1
   ) as message on true
   where bytes_before < ${LIMITS.bytes}
   order by history.sequence`,
);

/**
 * The history as its own outbox: rows stay, a relay advances along their sequence. `append_history` draws it under one lock, acquired
 * last and released by the commit. So a reader never sees a sequence before a lower one, and there is one shard.
 */
export class HistorySource implements RelaySource {
  readonly name = 'messaging.history';
  readonly events = [messageHistory, messageStatus];
  readonly shards = 1;
  readonly limits = LIMITS;
  readonly doorbell: CommitNotifier;

  constructor(database: Database) {
    this.doorbell = new CommitNotifier(database, 'tidings_messaging_history');
  }

  /** Wakes the relays of all processes after history was committed. */
  ring(): void {
    this.doorbell.notifyCommitted([HISTORY_SHARD]);
  }

  async read(connection: Queryable, [after]: readonly ShardPosition[]): Promise<SourcedEvent[]> {
    if (!after) return [];
    const rows = await connection.query<PublishedRow>(READ_HISTORY, [after.position]);
    return publishedEvents(rows);
  }
}
