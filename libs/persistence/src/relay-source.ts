import type { EventDefinition } from '@tidings/contracts/core/event';
import { advisoryClass } from './advisory';
import type { CommitNotifier } from './commit-notifier';
import type { Queryable } from './transaction';

/** How far a shard is published: everything up to and including this position. Decimal digits; `0` before the first. */
export interface ShardPosition {
  shard: number;
  position: string;
}

/** A definition of any payload; what travels here was typed where it was added. */
export type AnyEventDefinition = EventDefinition<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- a definition takes its payload as argument, so no other type fits all of them

/** An event as it leaves a source. */
export interface OutgoingEvent<Payload extends object = object> {
  id: string;
  key: string;
  /** `null` is a tombstone. */
  payload: Payload | null;
  /**
   * Running number, grows with every event of a key. Events may be appended twice, and an old relay that finishes late
   * appends old ones after new ones: a consumer drops what is not above the highest number it has of a key.
   */
  sequence: string;
}

export interface SourcedEvent extends OutgoingEvent, ShardPosition {
  topic: string;
  /** About how many bytes it has as JSON; what appends are cut by. */
  bytes: number;
}

export interface ReadLimits {
  /** Most events of a shard, or about as many where several stand at one position. */
  events: number;
  /** Where a shard's part of a batch ends; the event that passes it is still part of it. */
  bytes: number;
}

/** Most of one shard in a batch, where a source has `SHARDS` of them; a batch has at most `SHARDS` times as much. */
export const SHARD_LIMITS: ReadLimits = { events: 250, bytes: 1_000_000 };

/**
 * A table that events are published from. What makes its positions safe to follow with a cursor: they are drawn while the
 * transaction holds the publishing lock of the shard (`lockShards`), which it takes last and keeps until it has committed.
 * So within a shard whoever sees a position sees all lower ones that will ever be there.
 */
export interface RelaySource {
  /** Names cursor and locks; distinct within a database. */
  readonly name: string;
  /** Every event whose topic may be met in the table. */
  readonly events: readonly AnyEventDefinition[];
  readonly doorbell: CommitNotifier;
  /** It has the shards 0 to `shards - 1`. Default `SHARDS`. */
  readonly shards?: number;
  /** Default `SHARD_LIMITS`. */
  readonly limits?: ReadLimits;
  /**
   * Of each shard the first events behind a position, in order within the shard. Several events may stand at one position;
   * they come together.
   */
  read(connection: Queryable, behind: readonly ShardPosition[], limits: ReadLimits): Promise<SourcedEvent[]>;
  /** Removes what is published, where nobody needs it any more; in the transaction that moves the cursor. */
  discard?(connection: Queryable, upTo: readonly ShardPosition[]): Promise<void>;
}

/** Lock class for `lockShards` of a source's writers. */
export const publishingLockOf = (sourceName: string): number => advisoryClass('publish', sourceName);

/** Where a relay puts events: the part of the event log that this library needs. */
export interface AppendLog {
  /** Resolves when every event is durable. */
  append<Payload extends object>(event: EventDefinition<Payload>, events: readonly OutgoingEvent<Payload>[]): Promise<void>;
}
