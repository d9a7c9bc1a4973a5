import type { EventDefinition } from '@tidings/contracts/core/event';
import { advisoryClass } from './advisory';
import type { CommitNotifier } from './commit-notifier';
import type { Queryable } from './transaction';

/** Published position of a shard: everything up to and including it. Decimal digits; `0` before the first event. */
export interface ShardPosition {
  shard: number;
  position: string;
}

/** Published positions by shard. */
export type Positions = ReadonlyMap<number, string>;

/** A definition of any payload; its type was checked where the event was added. */
export type AnyEventDefinition = EventDefinition<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- a definition has its payload as parameter, so no other type fits all of them

/** An event read from a source, to publish. */
export interface OutgoingEvent<Payload extends object = object> {
  id: string;
  key: string;
  /** `null` is a tombstone. */
  payload: Payload | null;
  /**
   * Running number, grows with every event of a key. An event may be appended twice, or by a late relay after newer ones: a
   * consumer drops a record whose number is not above the highest it has of the key.
   */
  sequence: string;
}

/** An event with its shard, position and topic. */
export interface SourcedEvent extends OutgoingEvent, ShardPosition {
  topic: string;
  /** Approximate JSON bytes; limits the size of appends. */
  bytes: number;
}

/** How much a relay reads of each shard at once. */
export interface ReadLimits {
  /** Maximum events of a shard; approximate where one position has several events. */
  events: number;
  /** Maximum bytes of a shard in a batch; the event that exceeds it is still part of it. */
  bytes: number;
}

/** Limits of one shard in a batch, for a source with `SHARDS` shards; a batch has at most `SHARDS` times as much. */
export const SHARD_LIMITS: ReadLimits = { events: 250, bytes: 1_000_000 };

/**
 * A table of events to publish, followed with a cursor per shard. This is safe because a transaction draws positions only while it
 * holds the shard's publishing lock (`lockShards`). It takes this lock last and holds it until the commit. So a reader that sees a
 * position sees all lower positions of the shard.
 */
export interface RelaySource {
  /** Name of cursor and locks; unique within a database. */
  readonly name: string;
  /** Every event whose topic may occur in the table. */
  readonly events: readonly AnyEventDefinition[];
  /** Notifies relays of commits. */
  readonly notifier: CommitNotifier;
  /** Number of shards; they are 0 to `shards - 1`. Default `SHARDS`. */
  readonly shards?: number;
  /** Default `SHARD_LIMITS`. */
  readonly limits?: ReadLimits;
  /**
   * The first events behind a position, for each shard, in order. Several events may share a position; they are returned
   * together.
   */
  read(connection: Queryable, behind: readonly ShardPosition[], limits: ReadLimits): Promise<SourcedEvent[]>;
  /** Called on the first connection after one that failed, before events are read. */
  reconnected?(connection: Queryable): Promise<void>;
  /** Removes published rows, in the transaction that moves the cursor; absent when the source retains them. */
  discard?(connection: Queryable, upTo: readonly ShardPosition[]): Promise<void>;
}

/** Lock class for `lockShards` of a source's writers. */
export const publishingLockOf = (sourceName: string): number => advisoryClass('publish', sourceName);

/** The part of the event log that a relay needs. */
export interface AppendLog {
  /** Resolves when every event is durable. */
  append<Payload extends object>(event: EventDefinition<Payload>, events: readonly OutgoingEvent<Payload>[]): Promise<void>;
}
