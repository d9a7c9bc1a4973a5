import { Logger } from '@nestjs/common';
import { advisoryClass } from './advisory';
import { type Database, statement } from './database';
import type { DedicatedConnection } from './dedicated-connection';
import type { Positions, ReadLimits, RelaySource, ShardPosition, SourcedEvent } from './relay-source';
import { SHARDS } from './shards';

const logger = new Logger('OutboxRelay');

/** Payload of the notification of a stopping relay: its shards are free. */
const SHARDS_FREE = 'free';

// SQL because shards are locks of a session, and the cursors of many move in one compare-and-set.
const claimShards = statement(
  'relay-claim-shards',
  'SELECT shard FROM unnest($2::int[]) AS wanted (shard) WHERE pg_try_advisory_lock($1, shard)',
);

const createCursors = statement(
  'relay-cursor-create',
  'INSERT INTO relay_cursor (source, shard) SELECT $1, shard FROM unnest($2::smallint[]) AS claimed (shard) ON CONFLICT DO NOTHING',
);

const readCursors = statement(
  'relay-cursor-read',
  'SELECT shard, position FROM relay_cursor WHERE source = $1 AND shard = ANY ($2::smallint[])',
);

/** Compare-and-set: a relay that was overtaken moves nothing. */
const moveCursors = statement(
  'relay-cursor-move',
  `UPDATE relay_cursor SET position = move.after
   FROM unnest($2::smallint[], $3::bigint[], $4::bigint[]) AS move (shard, before, after)
   WHERE relay_cursor.source = $1 AND relay_cursor.shard = move.shard AND relay_cursor.position = move.before
   RETURNING relay_cursor.shard, relay_cursor.position`,
);

const quoted = (channel: string) => `"${channel.replaceAll('"', '""')}"`;

/**
 * One connection of a relay: the shards it owns by session locks, and the published position of each. A lost connection loses
 * its locks too.
 */
export class RelaySession {
  private readonly cursors = new Map<number, string>();
  private readonly lockClass = advisoryClass('relay', this.source.name);
  private readonly allShards = Array.from({ length: this.source.shards ?? SHARDS }, (_, shard) => shard);

  private constructor(
    private readonly connection: DedicatedConnection,
    private readonly source: RelaySource,
  ) {}

  /** @param onNotified called after a commit or a lost connection; with `free` when another relay has released its shards. */
  static async open(database: Database, source: RelaySource, onNotified: (free: boolean) => void): Promise<RelaySession> {
    const connection = await database.connectAlone('tidings-relay');
    const { wakes } = database;
    connection.onNotification(({ channel, payload }) => {
      if (channel === wakes.channel) wakes.received(payload);
      else onNotified(payload === SHARDS_FREE);
    });
    connection.onLost(() => onNotified(false));
    try {
      // A server crash may undo a cursor; the relay then repeats events, as after any crash. The same few statements run all the time,
      // and planning one over partitions takes longer than running it. LISTEN before the first poll, so that no commit is missed.
      await connection.query(`
        SET synchronous_commit = off;
        SET plan_cache_mode = force_generic_plan;
        LISTEN ${quoted(source.notifier.channel)};
        LISTEN ${quoted(wakes.channel)}`);
      return new RelaySession(connection, source);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** After a session that failed. */
  async reconnected(): Promise<void> {
    await this.source.reconnected?.(this.connection);
  }

  owns(shard: number): boolean {
    return this.cursors.has(shard);
  }

  get shards(): number[] {
    return [...this.cursors.keys()];
  }

  /** The published positions of the owned shards. */
  get positions(): Positions {
    return new Map(this.cursors);
  }

  /** Claims the free shards; resolves with whether there were any. */
  async claimFreeShards(): Promise<boolean> {
    this.connection.assertOpen();
    const missing = this.allShards.filter((shard) => !this.cursors.has(shard));
    if (missing.length === 0) return false;
    const claimed = await this.connection.query<{ shard: number }>(claimShards, [this.lockClass, missing]);
    if (claimed.length > 0) await this.loadCursors(claimed.map(({ shard }) => shard));
    return claimed.length > 0;
  }

  /** The next events behind positions. */
  async readBehind(positions: Positions, limits: ReadLimits): Promise<SourcedEvent[]> {
    this.connection.assertOpen();
    if (positions.size === 0) return [];
    const behind = [...positions].map(([shard, position]) => ({ shard, position }));
    return this.source.read(this.connection, behind, limits);
  }

  /** Moves the cursors past published events, and discards these. */
  async advance(published: readonly SourcedEvent[]): Promise<void> {
    const last = new Map(published.map(({ shard, position }) => [shard, position])); // in order, so the last one wins
    const shards = [...last.keys()];
    const values = [this.source.name, shards, shards.map((shard) => this.cursors.get(shard)), [...last.values()]];
    if (this.source.discard) await this.connection.query('BEGIN');
    const moved = await this.connection.query<ShardPosition>(moveCursors, values);
    if (this.source.discard) {
      if (moved.length > 0) await this.source.discard(this.connection, moved);
      await this.connection.query('COMMIT');
    }
    for (const { shard, position } of moved) this.cursors.set(shard, position);
    if (moved.length < shards.length) {
      const overtaken = shards.filter((shard) => !moved.some((row) => row.shard === shard));
      logger.warn(`${this.source.name}: another relay moved the cursors of shards ${overtaken.join(', ')}; continuing from there`);
      await this.loadCursors(overtaken);
    }
  }

  /** Releases the shards and notifies waiting relays. A lost connection has released them already. */
  async close(): Promise<void> {
    try {
      this.connection.assertOpen();
      await this.connection.query('SELECT pg_advisory_unlock_all(), pg_notify($1, $2)', [this.source.notifier.channel, SHARDS_FREE]);
    } catch {
      // The sweep of another relay finds them.
    } finally {
      this.cursors.clear();
      this.connection.close();
    }
  }

  private async loadCursors(shards: readonly number[]) {
    await this.connection.execute(createCursors, [this.source.name, shards]);
    const rows = await this.connection.query<ShardPosition>(readCursors, [this.source.name, shards]);
    for (const { shard, position } of rows) this.cursors.set(shard, position);
  }
}
