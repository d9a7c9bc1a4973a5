import { statement } from '@tidings/persistence/statement';
import type { NewDeadLetter } from '../dead-letters';
import type { AnyRecord, BroadcastHandler, ErasedPerson } from '../event-log';
import type { EncodedEvent } from '../new-event';
import { AppendQueue, type JoinOptions, QueuedEventLog } from '../queued-event-log';
import { deadTopicOf, type Topic } from '../topic';
import { AppendNotifier } from './append-notifier';
import { erasePerson } from './erase-person';
import { PostgresGroupSource, TopicReader } from './group-source';
import { MAINTENANCE_INTERVAL_MS, maintainLog, maintainPeriodically, type MaintenanceOptions } from './maintenance';
import { PostgresBroadcasting } from './postgres-broadcasting';
import { PostgresDeadLetters } from './postgres-dead-letters';
import { SharedConnection } from './shared-connection';
import { type NewRecord, type StoredTopic, Writer } from './writer';

/** After this a record is read even if its announcement was lost. */
const POLL_INTERVAL_MS = 5_000;
/** Heartbeat of a server on another machine: its socket stays open when that machine dies. */
const REMOTE_HEARTBEAT_MS = 500;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|)$/;

// SQL because the event log has connections of its own, outside TypeORM.
const TOPIC = statement(
  'events-topic',
  'SELECT id, (compacted, retention_ms) IS NOT DISTINCT FROM ($2::boolean, $3::bigint) FROM events.topics WHERE name = $1',
);
const CREATE_TOPIC = statement(
  'events-topic-create',
  'INSERT INTO events.topics (name, compacted, retention_ms) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING',
);
const CHANGE_TOPIC = statement(
  'events-topic-change',
  `UPDATE events.topics SET compacted = $2, retention_ms = $3
   WHERE name = $1 AND (compacted, retention_ms) IS DISTINCT FROM ($2::boolean, $3::bigint)`,
);
const ENSURE_GROUP = statement(
  'events-group-ensure',
  'INSERT INTO events.groups (topic_id, name) VALUES ($1, $2) ON CONFLICT (topic_id, name) DO NOTHING',
);
const GROUP = statement('events-group', 'SELECT id FROM events.groups WHERE topic_id = $1 AND name = $2');
const LAST = statement('events-last', 'SELECT position FROM events.records WHERE topic_id = $1 ORDER BY position DESC LIMIT 1');

export interface PostgresEventLogOptions {
  /**
   * Connection URL of the log's owner, who may use every topic, or of a service's role, which may use those that `TOPIC_ACCESS` names.
   * Only the owner creates other topics, removes and erases records, and removes dead letters.
   */
  databaseUrl: string;
  /** Name of its connections in the server's views. */
  applicationName: string;
  /**
   * Interval of heartbeats while there are broadcast subscriptions, in ms; `null` sends none. Default: 500 for a server on
   * another machine, `null` on this one, where the socket closes with the server.
   */
  heartbeatMs?: number | null;
  /** Interval of maintenance, in ms; `null` leaves it to other instances. Only the owner may run it. Default 10 minutes. */
  maintenanceIntervalMs?: number | null;
  /** How often a reader polls without an announcement, in ms. Default 5 s. */
  pollIntervalMs?: number;
}

/**
 * The event log as append-only tables in PostgreSQL, for a product that runs in one process or a few. Needs the tables of
 * `migrateEventLog`. Commits wake readers; without commits they poll every few seconds.
 */
export class PostgresEventLog extends QueuedEventLog<StoredTopic, NewRecord> {
  private readonly notifier = AppendNotifier.of(this.options.databaseUrl);
  private readonly writer = new Writer(this.options, this.notifier);
  protected readonly queue = new AppendQueue(this.writer);
  readonly deadLetters = new PostgresDeadLetters(this.writer, (topic, originals) => this.appendEncoded(topic, originals));
  private readonly connection: SharedConnection;
  private readonly rounds?: Promise<void>;

  private constructor(private readonly options: PostgresEventLogOptions) {
    super();
    const { databaseUrl, maintenanceIntervalMs = MAINTENANCE_INTERVAL_MS } = options;
    const { heartbeatMs = LOOPBACK.test(new URL(databaseUrl).hostname) ? null : REMOTE_HEARTBEAT_MS } = options;
    this.connection = new SharedConnection({ ...options, heartbeatMs }, this.notifier);
    if (maintenanceIntervalMs !== null) {
      this.rounds = maintainPeriodically(maintenanceIntervalMs, (round) => this.maintain(round), this.closing.signal);
    }
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

  /** Runs maintenance now. Resolves with false when another instance runs it. */
  maintain(options: MaintenanceOptions = {}): Promise<boolean> {
    return maintainLog(this.options, options, this.closing.signal);
  }

  async erase(person: ErasedPerson) {
    return erasePerson(await this.writer.session(), person);
  }

  protected async lookUp({ topic: name, compacted, retentionMs }: Topic) {
    const session = await this.writer.session();
    const definition = [name, compacted, retentionMs];
    const find = async () => (await session.query<[id: number, isCurrent: boolean]>(TOPIC, definition))[0];
    let found = await find();
    if (!found?.[1]) {
      await session.query(CREATE_TOPIC, definition);
      await session.query(CHANGE_TOPIC, definition);
      found = (await find())!;
    }
    return { id: found[0], compacted };
  }

  protected entriesOf(_: Topic, topic: StoredTopic, encoded: readonly EncodedEvent[]) {
    return encoded.map((event) => ({ topic, ...event }));
  }

  protected async join(topic: Topic, { group, maxBatch }: JoinOptions) {
    const { id } = await this.find(topic);
    // Not over the shared connection, whose commits a server crash may undo: the group must survive it.
    const session = await this.writer.session();
    await session.query(ENSURE_GROUP, [id, group]);
    const groupId = await session.value<number>(GROUP, [id, group]);
    return new PostgresGroupSource(`${topic.topic}/${group}`, await this.readerOf(id), groupId, maxBatch);
  }

  protected async startBroadcast(topic: Topic, handler: BroadcastHandler<never>) {
    const { id } = await this.find(topic);
    const reader = await this.readerOf(id);
    const session = await this.connection.session();
    const last = await session.value<string | undefined>(LAST, [id]);
    return new PostgresBroadcasting(topic.topic, handler, reader, session, Number(last ?? 0));
  }

  protected whereIs({ topic }: Topic, { position }: AnyRecord) {
    return `${topic}, position ${position}`;
  }

  protected async storeDeadLetter(topic: Topic, id: string, deadLetter: NewDeadLetter) {
    await this.appendEncoded(deadTopicOf(topic), [{ id, key: deadLetter.key, payload: JSON.stringify(deadLetter) }]);
  }

  protected isReachable() {
    return this.writer.ready();
  }

  protected async release() {
    await this.rounds;
    await Promise.all([this.connection.close(), this.writer.close()]);
  }

  /** From when it resolves, every append to the topic is announced to the reader. */
  private async readerOf(topicId: number) {
    const { connection, notifier } = this;
    await connection.listenTo(topicId);
    return new TopicReader(topicId, connection, notifier, this.options.pollIntervalMs ?? POLL_INTERVAL_MS);
  }
}
