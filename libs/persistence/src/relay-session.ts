import { Logger } from '@nestjs/common';
import { advisoryClass } from './advisory';
import { type Database, statement } from './database';
import type { DedicatedConnection } from './dedicated-connection';
import type { ReadLimits, RelaySource, ShardPosition, SourcedEvent } from './relay-source';
import { SHARDS } from './shards';

const logger = new Logger('OutboxRelay');

/** Notification of a relay that stops: its shards may be had. */
const SHARDS_FREE = 'free';

const takeShards = statement('relay-take', 'SELECT shard FROM unnest($2::int[]) AS wanted (shard) WHERE pg_try_advisory_lock($1, shard)');

const createCursors = statement(
  'relay-cursor-create',
  'INSERT INTO relay_cursor (source, shard) SELECT $1, shard FROM unnest($2::smallint[]) AS taken (shard) ON CONFLICT DO NOTHING',
);

const readCursors = statement(
  'relay-cursor-read',
  'SELECT shard, position FROM relay_cursor WHERE source = $1 AND shard = ANY ($2::smallint[])',
);

/** Compare-and-set: whoever was overtaken moves nothing. */
const moveCursors = statement(
  'relay-cursor-move',
  `UPDATE relay_cursor SET position = move.after
   FROM unnest($2::smallint[], $3::bigint[], $4::bigint[]) AS move (shard, before, after)
   WHERE relay_cursor.source = $1 AND relay_cursor.shard = move.shard AND relay_cursor.position = move.before
   RETURNING relay_cursor.shard, relay_cursor.position`,
);

/**
 * One connection of a relay: the shards it holds by session locks, and how far each is published. Lost with its
 * connection, locks and all.
 */
export class RelaySession {
  private readonly positions = new Map<number, string>();
  private readonly lockClass: number;
  private readonly allShards: readonly number[];

  private constructor(
    private readonly connection: DedicatedConnection,
    private readonly source: RelaySource,
  ) {
    this.lockClass = advisoryClass('relay', source.name);
    this.allShards = Array.from({ length: source.shards ?? SHARDS }, (_, shard) => shard);
  }

  /** @param onNews called when there may be something to do, or `free` when another relay gave up its shards. */
  static async open(database: Database, source: RelaySource, onNews: (free: boolean) => void): Promise<RelaySession> {
    const connection = await database.connectAlone('tidings-relay');
    connection.onNotification(({ payload }) => onNews(payload === SHARDS_FREE));
    connection.onLost(() => onNews(false));
    try {
      // A cursor that a crash of the server takes back makes the relay repeat itself, as any crash may.
      await connection.query('SET synchronous_commit = off');
      // The same few statements over and over; planning one that reads partitions takes longer than running it.
      await connection.query('SET plan_cache_mode = force_generic_plan');
      // Before the first look, so that nothing falls between the two.
      await connection.query(`LISTEN "${source.doorbell.channel.replaceAll('"', '""')}"`);
      return new RelaySession(connection, source);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  holds(shard: number): boolean {
    return this.positions.has(shard);
  }

  get held(): number[] {
    return [...this.positions.keys()];
  }

  /** How far the shards held are published. */
  get places(): ShardPosition[] {
    return [...this.positions].map(([shard, position]) => ({ shard, position }));
  }

  /** Takes the shards that nobody has, and says whether there were any. */
  async takeFreeShards(): Promise<boolean> {
    this.connection.assertOpen();
    const missing = this.allShards.filter((shard) => !this.positions.has(shard));
    if (missing.length === 0) return false;
    const taken = await this.connection.query<{ shard: number }>(takeShards, [this.lockClass, missing]);
    if (taken.length > 0) await this.loadPositions(taken.map(({ shard }) => shard));
    return taken.length > 0;
  }

  /** The next events of the shards held. */
  async read(limits: ReadLimits): Promise<SourcedEvent[]> {
    return this.readAgain(this.places, limits);
  }

  /** Events behind earlier places. */
  async readAgain(places: readonly ShardPosition[], limits: ReadLimits): Promise<SourcedEvent[]> {
    this.connection.assertOpen();
    return places.length === 0 ? [] : this.source.read(this.connection, places, limits);
  }

  /** Moves the cursors past events that are published, and discards these. */
  async advance(published: readonly SourcedEvent[]): Promise<void> {
    const last = new Map(published.map(({ shard, position }) => [shard, position])); // in order, so the last one wins
    const shards = [...last.keys()];
    const move = (): Promise<ShardPosition[]> =>
      this.connection.query(moveCursors, [this.source.name, shards, shards.map((shard) => this.positions.get(shard)), [...last.values()]]);
    const moved = await (this.source.discard ? this.discarding(move) : move());
    for (const { shard, position } of moved) this.positions.set(shard, position);
    if (moved.length < shards.length) {
      const overtaken = shards.filter((shard) => !moved.some((row) => row.shard === shard));
      logger.warn(`${this.source.name}: another relay moved the cursors of shards ${overtaken.join(', ')}; going on from there`);
      await this.loadPositions(overtaken);
    }
  }

  /** Gives the shards up and tells the relays that wait for them. A lost connection has given them up already. */
  async close(): Promise<void> {
    try {
      this.connection.assertOpen();
      await this.connection.query('SELECT pg_advisory_unlock_all()');
      await this.connection.query('SELECT pg_notify($1, $2)', [this.source.doorbell.channel, SHARDS_FREE]);
    } catch {
      // Their sweep finds it out.
    } finally {
      this.positions.clear();
      this.connection.close();
    }
  }

  private async discarding(move: () => Promise<ShardPosition[]>): Promise<ShardPosition[]> {
    await this.connection.query('BEGIN');
    const moved = await move();
    if (moved.length > 0) await this.source.discard?.(this.connection, moved);
    await this.connection.query('COMMIT');
    return moved;
  }

  private async loadPositions(shards: readonly number[]): Promise<void> {
    await this.connection.execute(createCursors, [this.source.name, shards]);
    const rows = await this.connection.query<ShardPosition>(readCursors, [this.source.name, shards]);
    for (const { shard, position } of rows) this.positions.set(shard, position);
  }
}
