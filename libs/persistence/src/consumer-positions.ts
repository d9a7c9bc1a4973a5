import { columnsOf } from './columns-of';
import { type Database, statement } from './database';

/** The consumers of a group in a topic. */
export interface ConsumerName {
  /** With its prefix. */
  topic: string;
  group: string;
}

/** The stored position of a partition, claimed for one member of the group. */
export interface ClaimedPosition {
  partition: number;
  /** Every record below it has had its effect in this database. `null`: none was stored yet. */
  nextOffset: string | null;
  /** Latest time of these records in the log, ms since the epoch; `null`: not known. */
  seenAt: string | null;
  /** Of this claim: a later claim of the partition has a higher one. */
  epoch: string;
  /** Identifies the running server: another one may have other rows. */
  server: string;
}

/** Moves a position that was claimed. */
export interface PositionMove {
  partition: number;
  epoch: string;
  server: string;
  /** What the member stored before, or found when it claimed the partition. */
  before: string | null;
  after: string;
  seenAt: string | null;
}

/** PostgreSQL's start: it differs after a restart, a failover and a restore. */
const SERVER = 'pg_postmaster_start_time()';

// SQL because the row is locked and its epoch raised in one statement, and positions move in one compare-and-set.
const CLAIM = statement(
  'consumer-positions-claim',
  `insert into consumer_positions as own (topic, consumer_group, partition, epoch, server_started_at)
   select $1, $2, partition, 1, ${SERVER} from unnest($3::int[]) as claimed (partition) order by partition
   on conflict (topic, consumer_group, partition) do update set epoch = own.epoch + 1, server_started_at = ${SERVER}
   returning partition, next_offset as "nextOffset", seen_at as "seenAt", epoch, server_started_at::text as server`,
);
const MATCHES = `own.topic = $1 and own.consumer_group = $2 and own.partition = move.partition and own.epoch = move.epoch
     and own.next_offset is not distinct from move.before
     and own.server_started_at = move.server and move.server = ${SERVER}`;
const MOVE = statement(
  'consumer-positions-move',
  `update consumer_positions as own
      set next_offset = move.after, seen_at = greatest(own.seen_at, move.seen_at), stored_at = clock_timestamp()
     from unnest($3::int[], $4::bigint[], $5::timestamptz[], $6::bigint[], $7::bigint[], $8::bigint[])
       as move (partition, epoch, server, before, after, seen_at)
    where ${MATCHES}
   returning own.partition`,
);
const CHECK = statement(
  'consumer-positions-check',
  `select own.partition from consumer_positions as own,
     unnest($3::int[], $4::bigint[], $5::timestamptz[], $6::bigint[]) as move (partition, epoch, server, before)
    where ${MATCHES}`,
);

/**
 * Positions of consumers beside their effects. A position is stored in the transaction of the effect or after it, so in every state
 * that a restore or a failover may bring back, what is below a position has had its effect.
 */
export class ConsumerPositions {
  constructor(private readonly database: Database) {}

  /**
   * Claims partitions for a member: from now on no earlier claim moves their positions.
   * @throws DatabaseUnavailable
   */
  claim({ topic, group }: ConsumerName, partitions: readonly number[]): Promise<ClaimedPosition[]> {
    return this.database.query<ClaimedPosition>(CLAIM, [topic, group, partitions]);
  }

  /**
   * Moves positions in one statement. Resolves with the partitions whose position was moved; for the others there is a later claim, or
   * the database is not the one in which the effects were stored.
   * @throws DatabaseUnavailable
   */
  async move({ topic, group }: ConsumerName, moves: readonly PositionMove[]): Promise<Set<number>> {
    const columns = columnsOf(moves, 'partition', 'epoch', 'server', 'before', 'after', 'seenAt');
    return partitionsOf(await this.database.query(MOVE, [topic, group, ...columns]));
  }

  /** As `move`, but changes nothing. */
  async check({ topic, group }: ConsumerName, claims: readonly Omit<PositionMove, 'after' | 'seenAt'>[]): Promise<Set<number>> {
    const columns = columnsOf(claims, 'partition', 'epoch', 'server', 'before');
    return partitionsOf(await this.database.query(CHECK, [topic, group, ...columns]));
  }
}

const partitionsOf = (rows: readonly { partition?: number }[]) => new Set(rows.map(({ partition }) => partition!));
