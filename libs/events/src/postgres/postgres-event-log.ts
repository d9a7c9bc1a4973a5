import type { EventDefinition } from '@tidings/contracts/core/event';
import { toDatabaseError } from '@tidings/persistence/errors';
import { statement } from '@tidings/persistence/statement';
import { AppendQueue } from '../append-queue';
import { APPEND_DEADLINE_MS, assertMaxBatch, BATCH_RECORDS } from '../bounds';
import type { DeadLetter, DeadLetters, RequeueOptions } from '../dead-letters';
import type {
  AppendOptions,
  BatchHandler,
  BroadcastSubscription,
  ConsumeOptions,
  EventLog,
  EventRecord,
  NewEvent,
  Subscription,
} from '../event-log';
import { type EncodedEvent, encodeEvent } from '../new-event';
import { Subscriptions } from '../subscriptions';
import { deadTopicOf, type Topic } from '../topic';
import { AppendNotifier } from './append-notifier';
import { Broadcasting } from './broadcasting';
import { Consumption } from './consumption';
import { deadLetterOf, PostgresDeadLetters } from './postgres-dead-letters';
import { SharedConnection } from './shared-connection';
import { maintainLog, type MaintenanceOptions, MaintenanceRounds } from './maintenance';
import { GroupLocks } from './group-lock';
import { Topics } from './topics';
import { type NewRecord, Writer } from './writer';

const MAINTENANCE_INTERVAL_MS = 600_000;
/** After this a record is read even if its announcement was lost. */
const POLL_INTERVAL_MS = 5_000;
/** Heartbeat of a server on another machine: its socket stays open when that machine dies. */
const REMOTE_HEARTBEAT_MS = 500;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|)$/;

const ENSURE_GROUP = statement(
  'events-group-ensure',
  'INSERT INTO events.groups (topic_id, name) VALUES ($1, $2) ON CONFLICT (topic_id, name) DO NOTHING',
);
const GROUP = statement('events-group', 'SELECT id FROM events.groups WHERE topic_id = $1 AND name = $2');
const LAST = statement('events-last', 'SELECT position FROM events.records WHERE topic_id = $1 ORDER BY position DESC LIMIT 1');

export interface PostgresEventLogOptions {
  /** Connection URL of this service's role. */
  databaseUrl: string;
  /** Name of its connections in the server's views. */
  applicationName: string;
  /**
   * Interval of heartbeats while there are broadcast subscriptions, in ms; `null` sends none. Default: 500 for a server on
   * another machine, `null` on this one, where the socket closes with the server.
   */
  heartbeatMs?: number | null;
  /** Interval of maintenance, in ms; `null` leaves it to other instances. Default 10 minutes. */
  maintenanceIntervalMs?: number | null;
  /** How often a reader polls without an announcement, in ms. Default 5 s. */
  pollIntervalMs?: number;
}

/**
 * The event log as append-only tables in PostgreSQL, for a product that runs in one process or a few. Needs the tables of
 * `migrateEventLog`. Commits wake readers; without commits they poll every few seconds.
 */
export class PostgresEventLog implements EventLog, DeadLetters {
  private readonly notifier: AppendNotifier;
  private readonly writer: Writer;
  private readonly queue: AppendQueue<NewRecord>;
  private readonly connection: SharedConnection;
  private readonly groupLocks: GroupLocks;
  private readonly topics: Topics;
  private readonly subscriptions = new Subscriptions();
  private readonly closing = new AbortController();
  private readonly dead: PostgresDeadLetters;
  private readonly rounds?: MaintenanceRounds;
  private closed?: Promise<void>;

  private constructor(private readonly options: PostgresEventLogOptions) {
    const { databaseUrl, heartbeatMs } = options;
    this.notifier = AppendNotifier.join(databaseUrl);
    this.writer = new Writer(options, this.notifier);
    this.queue = new AppendQueue((records, attempt) => this.writer.append(records, attempt));
    this.connection = new SharedConnection(
      { ...options, heartbeatMs: heartbeatMs === undefined ? heartbeatFor(databaseUrl) : heartbeatMs },
      this.notifier,
    );
    this.groupLocks = new GroupLocks(this.connection, options);
    this.topics = new Topics(() => this.writer.session());
    this.dead = new PostgresDeadLetters(
      () => this.writer.session(),
      (topic, events) => this.appendEncoded(topic, events, APPEND_DEADLINE_MS),
    );
    const { maintenanceIntervalMs = MAINTENANCE_INTERVAL_MS } = options;
    if (maintenanceIntervalMs !== null) this.rounds = new MaintenanceRounds(maintenanceIntervalMs, (round) => this.maintain(round));
  }

  /** @throws ServiceError `unavailable` when the database cannot be reached; once connected, the log reconnects by itself. */
  static async connect(options: PostgresEventLogOptions): Promise<PostgresEventLog> {
    const log = new PostgresEventLog(options);
    try {
      await log.writer.session();
      return log;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  async append<Payload extends object>(
    event: EventDefinition<Payload>,
    events: readonly NewEvent<Payload>[],
    { deadlineMs = APPEND_DEADLINE_MS }: AppendOptions = {},
  ): Promise<void> {
    if (events.length === 0) return;
    const encoded = events.map((one) => encodeEvent(event, one));
    await this.appendEncoded(event, encoded, deadlineMs);
  }

  async consume<Payload extends object>(
    event: EventDefinition<Payload>,
    { group, maxBatch = BATCH_RECORDS, onDead }: ConsumeOptions<Payload>,
    handler: BatchHandler<Payload>,
  ): Promise<Subscription> {
    assertMaxBatch(maxBatch);
    const { connection, groupLocks, notifier } = this;
    const { pollIntervalMs = POLL_INTERVAL_MS } = this.options;
    return this.subscribe(async () => {
      const { id: topicId } = await this.topics.stored(event);
      // Not over the shared connection, whose commits a server crash may undo: the group must survive it.
      const session = await this.writer.session();
      await session.query(ENSURE_GROUP, [topicId, group]);
      const [row] = await session.query<[number]>(GROUP, [topicId, group]);
      await connection.listenTo(topicId);
      return new Consumption<Payload>({
        name: `${event.topic}/${group}`,
        topicId,
        groupId: row![0],
        maxBatch,
        handler,
        onDead,
        putDeadLetter: (read, reason, attempts) =>
          this.appendEncoded(deadTopicOf(event), [deadLetterOf(event.topic, group, read, reason, attempts)], APPEND_DEADLINE_MS),
        connection,
        groupLocks,
        notifier,
        pollIntervalMs,
      });
    });
  }

  async broadcast<Payload extends object>(
    event: EventDefinition<Payload>,
    handler: (record: EventRecord<Payload>) => void,
  ): Promise<BroadcastSubscription> {
    const { connection, notifier } = this;
    const { pollIntervalMs = POLL_INTERVAL_MS } = this.options;
    return this.subscribe(async () => {
      const { id: topicId } = await this.topics.stored(event);
      await connection.listenTo(topicId);
      const session = await connection.session();
      const [row] = await session.query<[string]>(LAST, [topicId]);
      return new Broadcasting<Payload>(session, {
        name: event.topic,
        topicId,
        position: Number(row?.[0] ?? 0),
        handler,
        connection,
        notifier,
        pollIntervalMs,
      });
    });
  }

  async ready(): Promise<boolean> {
    return !this.closing.signal.aborted && !this.queue.full && (await this.writer.ready());
  }

  deadLetters(topic: Topic, limit?: number): Promise<DeadLetter[]> {
    return this.mappingErrors(() => this.dead.deadLetters(topic, limit));
  }

  requeueDead(topic: Topic, options?: RequeueOptions): Promise<number> {
    return this.mappingErrors(() => this.dead.requeueDead(topic, options));
  }

  /** Runs maintenance now. Resolves with false when another instance runs it. */
  maintain(options: MaintenanceOptions = {}): Promise<boolean> {
    return this.mappingErrors(() => maintainLog(this.options, options, this.closing.signal));
  }

  close(): Promise<void> {
    this.closed ??= this.finish();
    return this.closed;
  }

  private async finish(): Promise<void> {
    this.closing.abort();
    await this.subscriptions.end();
    // Calls that wait for their topic were accepted too; a tick later they are queued.
    await this.topics.settled();
    await new Promise(setImmediate);
    await this.queue.close();
    await this.rounds?.stop();
    await Promise.all([this.connection.close(), this.writer.close()]);
    this.notifier.leave();
  }

  private async appendEncoded(topic: Topic, encoded: readonly EncodedEvent[], deadlineMs: number): Promise<void> {
    const stored = await this.mappingErrors(() => this.topics.stored(topic));
    let bytes = 0;
    const records = encoded.map((event) => {
      bytes += event.id.length + event.key.length + (event.payload?.length ?? 0);
      return { topic: stored, ...event };
    });
    await this.queue.add(records, bytes, deadlineMs);
  }

  private subscribe<S extends { stop(): Promise<void> }>(start: () => Promise<S>): Promise<S> {
    return this.subscriptions.begin(() => this.mappingErrors(start));
  }

  /** Maps the driver's errors to service errors. */
  private async mappingErrors<R>(action: () => Promise<R>): Promise<R> {
    try {
      return await action();
    } catch (error) {
      throw toDatabaseError(error, false);
    }
  }
}

const heartbeatFor = (databaseUrl: string): number | null => (LOOPBACK.test(new URL(databaseUrl).hostname) ? null : REMOTE_HEARTBEAT_MS);
