import { randomUUID } from 'node:crypto';
import type { EventDefinition } from '@tidings/contracts/core/event';
import { ServiceError } from '@tidings/contracts/core/errors';
import { advisoryClass } from './advisory';
import { columnsOf } from './columns-of';
import { type Database, statement } from './database';
import { CommitNotifier } from './commit-notifier';
import {
  type AnyEventDefinition,
  publishingLockOf,
  type ReadLimits,
  type RelaySource,
  type ShardPosition,
  SHARD_LIMITS,
} from './relay-source';
import { shardOf, SHARDS, shardsOf } from './shards';
import { PUBLISH_HOOK_ORDER, type Queryable, type Transaction } from './transaction';

/** Limit of one event, in JSON bytes; a larger event must carry references instead. */
export const EVENT_BYTES_MAX = 1_000_000;
const EVENT_ID_LENGTH_MAX = 64;
const EVENTS_PER_TRANSACTION_MAX = 10_000;

/** An event to publish with a transaction. */
interface OutboxEvent<Payload extends object> {
  /** Stable: the same fact added twice has the same id, so consumers recognise it. Default: a random id. */
  id?: string;
  /** `null` is a tombstone: the key is deleted. Needs `key`. */
  payload: Payload | null;
  /** Default: made from the payload by the event's definition. */
  key?: string;
}

interface PendingEvent {
  id: string;
  topic: string;
  key: string;
  payload: string | null;
}

// SQL because one statement locks the shards, then draws the numbers of all events of a transaction.
/**
 * Takes the locks, then draws the numbers, in one statement: the join returns no row before every lock is taken. The contract of
 * `RelaySource` depends on it.
 */
const insertEvents = statement(
  'outbox-insert',
  `WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock($1, shard) FROM unnest($2::int[]) AS wanted (shard))
   INSERT INTO outbox (sequence, shard, event_id, topic, key, payload)
   SELECT nextval('outbox_sequence'), event.shard, event.id, event.topic, event.key, event.payload
   FROM (SELECT count(*) FROM locked) AS all_locked
   CROSS JOIN (
     SELECT * FROM unnest($3::smallint[], $4::text[], $5::text[], $6::text[], $7::text[])
       WITH ORDINALITY AS added (shard, id, topic, key, payload, ordinal)
     ORDER BY ordinal
   ) AS event`,
);

const readEvents = statement(
  'outbox-read',
  `SELECT event.shard, event.sequence AS position, event.sequence, event.event_id AS id, event.topic, event.key, event.payload
   FROM unnest($1::smallint[], $2::bigint[]) AS cursor (shard, position)
   CROSS JOIN LATERAL (
     SELECT first.*, sum(coalesce(octet_length(first.payload), 0)) OVER (ORDER BY first.sequence)
       - coalesce(octet_length(first.payload), 0) AS bytes_before
     FROM (
       SELECT * FROM outbox WHERE outbox.shard = cursor.shard AND outbox.sequence > cursor.position
       ORDER BY outbox.sequence LIMIT $3
     ) AS first
   ) AS event
   WHERE event.bytes_before < $4
   ORDER BY event.shard, event.sequence`,
);

/**
 * Sets the sequence to the database's clock in microseconds, where it is below. No draws are as fast as that, so every number drawn before
 * is lower. One session at a time: a later clock never meets an earlier setval.
 */
const jumpAhead = statement(
  'outbox-jump-ahead',
  `WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock($1, 0)),
   clock AS MATERIALIZED (
     SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS micros FROM (SELECT count(*) FROM locked) AS waited
   )
   SELECT setval('outbox_sequence', clock.micros) FROM clock, outbox_sequence WHERE outbox_sequence.last_value < clock.micros`,
);

/** Counted in each shard. */
const WAITING_MAX = 1_000;
const waitingEvents = statement(
  'outbox-waiting',
  `SELECT count(*)::int AS count, greatest(0, extract(epoch FROM clock_timestamp() - min(waiting.at)))::float8 AS age
   FROM generate_series(0, $2::int - 1) AS shards (shard)
   LEFT JOIN relay_cursor ON relay_cursor.source = $1 AND relay_cursor.shard = shards.shard
   CROSS JOIN LATERAL (
     SELECT at FROM outbox WHERE outbox.shard = shards.shard AND outbox.sequence > coalesce(relay_cursor.position, 0)
     ORDER BY outbox.sequence LIMIT ${WAITING_MAX}
   ) AS waiting`,
);

/** Rows deleted per shard and statement; more than a batch has, so that rows left by earlier batches go too. */
const DISCARDED_MAX = 4 * SHARD_LIMITS.events;

/**
 * Deletes published rows: finds the first rows of each shard by index, then deletes them by ctid, so that no other row is read
 * however many wait. Rows are never updated, so their ctids are stable.
 */
export const deleteEvents = statement(
  'outbox-delete',
  `DELETE FROM outbox WHERE ctid = ANY (ARRAY (
     SELECT first.row_ctid FROM unnest($1::smallint[], $2::bigint[]) AS published (shard, position)
     CROSS JOIN LATERAL (
       SELECT waiting.ctid AS row_ctid FROM outbox AS waiting
       WHERE waiting.shard = published.shard AND waiting.sequence <= published.position
       ORDER BY waiting.sequence LIMIT ${DISCARDED_MAX}
     ) AS first
   ))`,
);

/**
 * Events that are published if, and only if, the transaction they were added in commits; in commit order for each key.
 * Published at least once, by an `OutboxRelay`.
 */
export class Outbox implements RelaySource {
  readonly name = `${this.schema}.outbox`;
  readonly notifier = new CommitNotifier(this.database, `tidings_${this.schema}_outbox`);
  private readonly topics = new Set(this.events.map(({ topic }) => topic));
  private readonly lockClass = publishingLockOf(this.name);
  private readonly jumpClass = advisoryClass('jump', this.name);
  private readonly pending = new WeakMap<Transaction, PendingEvent[]>();

  /** @param events every event that may be added; the relay cannot publish any other. */
  constructor(
    private readonly database: Database,
    private readonly schema: string,
    readonly events: readonly AnyEventDefinition[],
  ) {}

  /**
   * Adds an event to the transaction and resolves with its id. It is written immediately before COMMIT, so the events of a key
   * are in the order of the commits.
   * @throws ServiceError `payload_too_large` for an event above `EVENT_BYTES_MAX`.
   */
  async add<Payload extends object>(
    tx: Transaction,
    event: EventDefinition<Payload>,
    { id = randomUUID(), payload, key = payload === null ? undefined : event.keyOf(payload) }: OutboxEvent<Payload>,
  ): Promise<string> {
    const { topic } = event;
    const pending = this.pending.get(tx) ?? this.open(tx);
    if (pending.length >= EVENTS_PER_TRANSACTION_MAX)
      throw new Error(`A transaction publishes at most ${EVENTS_PER_TRANSACTION_MAX} events`);
    if (!this.topics.has(topic)) throw new Error(`${this.name} does not publish ${topic}: add its event to the outbox`);
    if (id.length === 0 || id.length > EVENT_ID_LENGTH_MAX) throw new Error(`An event's id has 1 to ${EVENT_ID_LENGTH_MAX} characters`);
    if (!key) throw new Error(`A tombstone on ${topic} needs its key`);
    const json = payload === null ? null : JSON.stringify(payload);
    const bytes = Buffer.byteLength(json ?? '');
    if (bytes > EVENT_BYTES_MAX) {
      throw new ServiceError('payload_too_large', `An event on ${topic} would have ${bytes} bytes, more than ${EVENT_BYTES_MAX}`);
    }
    pending.push({ id, topic, key, payload: json });
    return id;
  }

  /**
   * Lets the running numbers jump above all that were ever drawn, also by this database before it was set back to an earlier state. Before
   * the first event of a process: a consumer would take an event with a number that it had seen for an old one.
   * @throws DatabaseUnavailable
   */
  async jumpAhead(connection: Queryable = this.database): Promise<void> {
    await connection.query(jumpAhead, [this.jumpClass]);
  }

  async read(connection: Queryable, behind: readonly ShardPosition[], limits: ReadLimits) {
    const values = [...columnsOf(behind, 'shard', 'position'), limits.events, limits.bytes];
    const rows = await connection.query<PendingEvent & ShardPosition & { sequence: string }>(readEvents, values);
    return rows.map(({ payload, ...event }) => ({
      ...event,
      payload: payload === null ? null : (JSON.parse(payload) as object),
      bytes: payload?.length ?? 0,
    }));
  }

  /** The connection may lead to another server, which lacks numbers that its predecessor gave. */
  reconnected(connection: Queryable) {
    return this.jumpAhead(connection);
  }

  /** Age of the oldest committed event that is not published, in seconds; 0 where none waits. */
  async oldestAge(): Promise<number> {
    return (await this.backlog()).oldestSeconds;
  }

  /** Committed events that are not published, counted up to a bound, and the age of the oldest in seconds. */
  async backlog(): Promise<{ count: number; oldestSeconds: number }> {
    const [row] = await this.database.query<{ count: number; age: number | null }>(waitingEvents, [this.name, SHARDS]);
    return { count: row?.count ?? 0, oldestSeconds: row?.age ?? 0 };
  }

  async discard(connection: Queryable, upTo: readonly ShardPosition[]) {
    await connection.execute(deleteEvents, columnsOf(upTo, 'shard', 'position'));
  }

  private open(tx: Transaction) {
    const pending: PendingEvent[] = [];
    const shards = () => shardsOf(pending.map(({ key }) => key));
    this.pending.set(tx, pending);
    tx.beforeCommit(() => this.write(tx, pending, shards()), PUBLISH_HOOK_ORDER);
    tx.afterCommit(() => this.notifier.notifyCommitted(shards()));
    return pending;
  }

  private async write(tx: Transaction, pending: readonly PendingEvent[], shards: readonly number[]) {
    if (pending.length === 0) return; // the only event was refused
    const written = await tx.execute(insertEvents, [
      this.lockClass,
      shards,
      pending.map(({ key }) => shardOf(key)),
      ...columnsOf(pending, 'id', 'topic', 'key', 'payload'),
    ]);
    if (written !== pending.length) throw new Error(`${written} of ${pending.length} events were written to ${this.name}`);
  }
}
