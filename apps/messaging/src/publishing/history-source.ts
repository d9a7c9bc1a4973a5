import { messageHistory, messageStatus } from '@tidings/contracts/messaging/events';
import { type Database, statement } from '@tidings/persistence/database';
import { CommitNotifier } from '@tidings/persistence/commit-notifier';
import type { ReadLimits, RelaySource, ShardPosition, SourcedEvent } from '@tidings/persistence/relay-source';
import type { Queryable } from '@tidings/persistence/transaction';
import { MESSAGE_COLUMNS } from '../store/message-row';
import { HISTORY_SHARD, type PublishedRow, publishedEvents } from './published-events';

/** About five events come of a row, the record of its message among them. */
const ROWS_MAX = 400;
const LIMITS: ReadLimits = { events: 5 * ROWS_MAX, bytes: 4_000_000 };

/**
 * The first rows behind a sequence. How large a row is shows only when it is decompressed, and a text of one letter repeated
 * is 200 times as large then: the sum of what is stored bounds how much is looked at, the sum of the texts how much is sent.
 * The message is read with its row, in one snapshot, so it is never older. The limits are constants, for the planner to know them.
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
         ) as behind
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
 * The history as its own outbox: rows stay, a relay moves along their sequence. `append_history` draws it under one lock that
 * is taken last and held until the commit, so nobody sees a sequence before a lower one, and there is one shard.
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

  /** History was committed; whoever publishes it is told. */
  ring(): void {
    this.doorbell.notifyCommitted([HISTORY_SHARD]);
  }

  async read(connection: Queryable, [behind]: readonly ShardPosition[]): Promise<SourcedEvent[]> {
    if (!behind) return [];
    const rows = await connection.query<PublishedRow>(READ_HISTORY, [behind.position]);
    return publishedEvents(rows);
  }
}
