import type { EventDefinition } from '@tidings/contracts/core/event';
import { type HistoryEventRecorded, messageHistory, messageStatus, type MessageStatusRecorded } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { EventLog } from '@tidings/events/event-log';
import { CommitNotifier } from '@tidings/persistence/commit-notifier';
import { type Database, statement } from '@tidings/persistence/database';
import { EVENT_BYTES_MAX } from '@tidings/persistence/outbox';
import { OutboxRelay, type OutboxRelayOptions } from '@tidings/persistence/outbox-relay';
import type { RelaySource, ShardPosition, SourcedEvent } from '@tidings/persistence/relay-source';
import type { Queryable } from '@tidings/persistence/transaction';
import { watchOutbox } from '@tidings/runtime/watch-database';
import { ERASED } from '../record/erased';
import { MESSAGE_COLUMNS, type MessageRow, toMessageRecord } from '../record/message-row';
import { expandEvents } from '../record/stored-events';
import { jsonBytes, withReferences } from './references';

/** Bytes for the fields around an event or a record: ids, number, names. */
const ENVELOPE_BYTES = 500;
/** An event shows a profile three times, or a text twice: no event of a stored row this small comes near `EVENT_BYTES_MAX`. */
const ROW_BYTES_UNMEASURED = 100_000;
/** The history has one order, so it has one shard. */
const HISTORY_SHARD = 0;

/** A message whose record is published. */
export interface StatusRow extends MessageRow {
  /** Position in the history. */
  sequence: string;
  workspace_id: string;
  message_id: string;
  bytes: number;
  /** Running number of the message's last event; null where the message is deleted. */
  last_number: number | null;
}

/** A row of `history` with its message as it was when the row was read. */
interface PublishedRow extends StatusRow {
  /** Running number of the row's first event. */
  number: number;
  at: string;
  /** JSON text of the stored events. */
  events: string;
}

/**
 * The events to publish for these rows: every history event, and the record of each message once, after the last of its rows.
 * The record may include events of a later row; it is published again with that row.
 */
function publishedEvents(rows: readonly PublishedRow[]) {
  const lastRows = new Map(rows.map((row) => [row.message_id, row])); // the later row wins
  const events: SourcedEvent[] = [];
  for (const row of rows) {
    const messageId = uuidToMessageId(row.message_id);
    const stored = JSON.parse(row.events) as HistoryEvent[];
    const shown = expandEvents(stored, { messageId, number: row.number, atMs: Number(row.at) });
    events.push(...shown.map((event, index) => historyEvent(row, messageId, row.number + index, event)));
    if (row.last_number !== null && lastRows.get(row.message_id) === row) events.push(statusEvent(row, row.last_number));
  }
  return events;
}

function historyEvent(row: PublishedRow, messageId: string, number: number, full: HistoryEvent) {
  const path = `/messages/${messageId}/history#/results/${number - 1}`;
  const { fields: event, bytes } = bounded(full, path, ['ts', 'type'], row.bytes);
  const payload: HistoryEventRecorded = { workspaceId: row.workspace_id, messageId, number, event };
  return sourced(messageHistory, row, `${messageId}/${number}`, payload, bytes);
}

/** The record of a message; a tombstone where its contents were erased. */
function statusEvent(row: StatusRow, number: number) {
  const messageId = uuidToMessageId(row.message_id);
  const ids = { workspaceId: row.workspace_id, messageId, number };
  if (row.recipient === ERASED) {
    return { ...sourced(messageStatus, row, erasedId(messageId), ids as MessageStatusRecorded, ENVELOPE_BYTES), payload: null };
  }
  const record = toMessageRecord({ ...row, id: row.message_id });
  const { fields: message, bytes } = bounded(record, `/messages/${messageId}#`, ['id', 'status', 'enqueued'], row.bytes);
  return sourced(messageStatus, row, `${messageId}/status/${number}`, { ...ids, message }, bytes);
}

/** Id of the event that removes the record of a message from its topic. */
function erasedId(messageId: string) {
  return `${messageId}/erased`;
}

function sourced<Payload extends HistoryEventRecorded | MessageStatusRecorded>(
  definition: EventDefinition<Payload>,
  row: StatusRow,
  id: string,
  payload: Payload,
  bytes: number,
) {
  const { topic } = definition;
  const sequence = String(payload.number);
  return { shard: HISTORY_SHARD, position: row.sequence, topic, id, key: definition.keyOf(payload), payload, sequence, bytes };
}

/** The object with references where it exceeds one event. An object of a small row is not measured: its size counts as the row's. */
function bounded<Fields extends object>(fields: Fields, path: string, required: readonly (keyof Fields)[], rowBytes: number) {
  if (rowBytes <= ROW_BYTES_UNMEASURED) return { fields, bytes: rowBytes };
  const fit = withReferences(fields, path, EVENT_BYTES_MAX - ENVELOPE_BYTES, required);
  return { fields: fit, bytes: jsonBytes(fit) };
}

/** A row yields about five events, including the record of its message. */
const ROWS_MAX = 400;
const LIMITS = { events: 5 * ROWS_MAX, bytes: 4_000_000 };

// SQL because running sums of sizes end a batch in the database, before rows are decompressed.
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

const OLDEST_AGE = statement(
  'messaging.oldest_unpublished',
  `select greatest(0, extract(epoch from clock_timestamp()) - first.at / 1000.0)::float8 as age
   from (select at from history
         where sequence > coalesce((select position from relay_cursor where source = $1 and shard = ${HISTORY_SHARD}), 0)
         order by sequence limit 1) as first`,
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
  readonly notifier = new CommitNotifier(this.database, 'tidings_messaging_history');

  constructor(private readonly database: Database) {}

  /** Wakes the relays of all processes after history was committed. */
  notifyCommitted(): void {
    this.notifier.notifyCommitted([HISTORY_SHARD]);
  }

  /** Age of the oldest row whose events are not published, in seconds; 0 where none waits. */
  async oldestAge(): Promise<number> {
    const [row] = await this.database.query<{ age: number }>(OLDEST_AGE, [this.name]);
    return row?.age ?? 0;
  }

  async read(connection: Queryable, [after]: readonly ShardPosition[]): Promise<SourcedEvent[]> {
    if (!after) return [];
    const rows = await connection.query<PublishedRow>(READ_HISTORY, [after.position]);
    return publishedEvents(rows);
  }
}

/** Under load a batch carries the events of several commits, so a message costs a fraction of a batch. */
const BATCH_INTERVAL_MS = 20;
/** Time on shutdown to publish the events of the last outcomes. */
const FINISH_MS = 2_000;

/** @param workspaceIds whose history was committed; absent: any may be. */
type CommitListener = (workspaceIds?: readonly string[]) => void;

/** Publishes the message history on its topics, where that is configured; otherwise it does nothing. */
export class HistoryPublisher {
  private readonly endMetrics?: () => void;
  private readonly listeners: CommitListener[] = [];

  /** Without arguments it publishes nothing. */
  constructor(
    private readonly source?: HistorySource,
    private readonly relay?: OutboxRelay,
    private readonly log?: EventLog,
  ) {
    if (source) this.endMetrics = watchOutbox(source);
  }

  /** Publishes to `log`, from the oldest stored row or from the position of the last relay of this database. */
  static to(log: EventLog, database: Database, options: Pick<OutboxRelayOptions, 'sweepIntervalMs'> = {}): HistoryPublisher {
    const source = new HistorySource(database);
    return new HistoryPublisher(source, new OutboxRelay({ database, source, log, batchIntervalMs: BATCH_INTERVAL_MS, ...options }), log);
  }

  /** Wakes the relays, and the listeners of this process, after history of these workspaces (absent: of any) was committed. */
  committed(workspaceIds?: readonly string[]): void {
    this.source?.notifyCommitted();
    for (const listener of this.listeners) listener(workspaceIds);
  }

  /** Calls `listener` whenever this process has committed history, whether it is published or not. */
  onCommitted(listener: CommitListener): void {
    this.listeners.push(listener);
  }

  /**
   * Appends tombstones for the records of messages, where a log is configured. The eraser calls it before it erases the messages: after
   * a crash in between it repeats both. Rows that the relay has not read yet are read after the erasure.
   */
  async forget(workspaceId: string, messageIds: readonly string[]): Promise<void> {
    const tombstones = messageIds.map((messageId) => ({
      id: erasedId(messageId),
      payload: null,
      key: messageStatus.keyOf({ workspaceId, messageId } as MessageStatusRecorded),
    }));
    if (tombstones.length > 0) await this.log?.append(messageStatus, tombstones);
  }

  /** Whether the history is published here. */
  get isOn(): boolean {
    return this.log !== undefined;
  }

  /** Appends the records of messages again. */
  async republish(rows: readonly StatusRow[]): Promise<void> {
    const records = rows.map((row) => statusEvent(row, row.last_number!));
    await this.log?.append<MessageStatusRecorded>(messageStatus, records);
  }

  start(): void {
    this.relay?.start();
  }

  /** Publishes committed events for at most `FINISH_MS`; another instance or the next start publishes the rest. */
  async stop(): Promise<void> {
    this.endMetrics?.();
    await this.relay?.stop({ finishMs: FINISH_MS });
  }
}
