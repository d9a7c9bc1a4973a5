import type { EventDefinition } from '@tidings/contracts/core/event';
import type { ConsumerPositions } from '@tidings/persistence/consumer-positions';
import type { DeadLetters } from './dead-letters';
import type { TraceContext, Traced } from '@tidings/tracing/trace-context';

/** Default time in which an append with unknown outcome is retried, in ms. */
export const APPEND_DEADLINE_MS = 10_000;
/** Default `maxBatch` of a consumer. */
export const BATCH_RECORDS = 500;

/** An event to append. */
export interface NewEvent<Payload extends object> {
  /** Stable: the same fact appended twice carries the same id, so consumers recognise it. At most 64 characters. */
  id: string;
  /** `null` is a tombstone: the key is deleted. Needs `key`. */
  payload: Payload | null;
  /** Record key. Default: made from the payload by the event's definition. */
  key?: string;
  /**
   * Running number, decimal digits: grows with every event of a key. An event may be appended twice, or by a late writer after
   * newer ones: a consumer drops a record whose number is not above the highest it has of the key.
   */
  sequence?: string;
}

/** An event read from the log. */
export interface EventRecord<Payload extends object> {
  id: string;
  key: string;
  payload: Payload | null;
  /** Position of the record in its topic; grows within a key. Decimal digits. */
  position: string;
  /** When the log appended it, in ms since the epoch, by the log's clock. */
  appendedAt: number;
  /** The running number it was appended with. */
  sequence?: string;
  /** Characters of the payload's JSON text. */
  size: number;
  /** Of the append, if that belonged to a trace. Not covered by the record's signature: for spans and logs only. */
  trace?: TraceContext;
}

/** A record of any event. Only its handler knows the type of the payload: handlers of every event fit. */
export type AnyRecord = EventRecord<never>;

/** Options of `EventLog.append`. */
export interface AppendOptions {
  /** How long an append with unknown outcome is retried under the same ids, in ms. Default `APPEND_DEADLINE_MS`. */
  deadlineMs?: number;
  /** Whose events these are, for `AppendLoad`. */
  sender?: string;
  /** The trace that the append belongs to; its records carry it on. */
  trace?: Traced;
}

/** What this process appends at this time. */
export interface AppendLoad {
  /** Many calls at once. */
  readonly isBurst: boolean;
  /** Of several senders within the last seconds. */
  readonly isMixed: boolean;
}

/** Options of `EventLog.consume`. */
export interface ConsumeOptions<Payload extends object> {
  /** One member of the group handles each event. A new group starts at the earliest record. */
  group: string;
  /** Upper bound of a batch. Default `BATCH_RECORDS`. */
  maxBatch?: number;
  /** Called after a record was put on `<topic>.dead`; must not throw for the same record twice. */
  onDead?: (record: EventRecord<Payload>, reason: string) => Promise<void>;
  /**
   * Of the database that has the effects of the handler: it must have them committed when it resolves, and none again for a record that is
   * delivered again. The group then continues where this database is, also where it is behind the log's own progress, as after a
   * restore. A log in the same database needs none. Default: the log's progress alone.
   */
  positions?: ConsumerPositions;
}

/**
 * Handles a batch, at least once: after a crash or an error records are delivered again. Within a key records are in order.
 * After a transient error (`ServiceError` with `unavailable`, `deadline_exceeded` or `rate_limited`, or a lost database
 * connection) the same batch is retried with backoff. After any other error the batch is halved until the bad record is alone.
 */
export type BatchHandler<Payload extends object> = (
  batch: readonly EventRecord<Payload>[],
  signal: AbortSignal,
  /** Undefined: the log does not know, or this attempt is not the first. */
  given?: GivenBatch,
) => Promise<void | Unsettled>;

/** Who had the records of a batch before. */
export interface GivenBatch {
  /** No member of the group had them. False: one that ended without committing may have had them. */
  readonly isFirst: boolean;
  /** Since when this member alone gets the group's records, ms since the epoch by this process's clock. */
  readonly aloneSinceMs: number;
}

/** Of a handler that continues with a batch; where it gets `GivenBatch`, the next one comes meanwhile. */
export interface Unsettled {
  /** The batch counts as handled when this resolves. Where it rejects, the handler is called with the batch again. */
  readonly settled: Promise<void>;
}

/** Handles an event of a broadcast. An error that it throws is logged; the next event follows. */
export type BroadcastHandler<Payload extends object> = (record: EventRecord<Payload>) => void;

/** A member of a consumer group. */
export interface Subscription {
  /** Whether the group has handled every record appended up to this instant (ms, log's clock). */
  hasHandledUpTo(time: number): Promise<boolean>;
  /** Finishes the current batch, commits its position and leaves the group. */
  stop(): Promise<void>;
}

/** How far a group is behind. */
export interface ConsumerLag {
  readonly topic: string;
  readonly group: string;
  /** Records that the group has not handled. A log in PostgreSQL counts them up to 10,000. */
  readonly records: number;
}

/** What shows how far the groups of an instance are behind. */
export interface ConsumerLags {
  /** Of each group that this instance is a member of. @throws ServiceError `unavailable` */
  consumerLag(): Promise<ConsumerLag[]>;
}

/** An instance that gets every event of a topic from now on. */
export interface BroadcastSubscription {
  /** How long this instance may have been missing events, in ms; 0 while it is connected. Above 1 s caches must not be used. */
  interruptedForMs(): number;
  stop(): Promise<void>;
}

/** A user whose records are removed. */
export interface ErasedPerson {
  workspaceId: string;
  /** The user's id, or the address that stands for one. */
  userId: string;
  /** `next` of the step before. */
  after?: string;
  /** Of the subjects of a topic's keys, in the workspace, those that are about an erased person without naming one. */
  erasedAmong?: (topic: string, subjects: readonly string[]) => Promise<readonly string[]>;
}

/** Records of a user that stay in a topic. */
export interface RemainingRecords {
  topic: string;
  /** Absent: not counted. */
  count?: number;
  /** When the last of them is removed, ms since the epoch. Absent: no time is known. */
  until?: number;
  /** What the time depends on, or why none is known. */
  reason?: string;
}

/** One step of an erasure. */
export interface LogErasure {
  removed: number;
  /** Where the next step continues; absent in the last one. */
  next?: string;
  /** What this step leaves. */
  remaining: readonly RemainingRecords[];
}

/** The log of events: Kafka topics in production, PostgreSQL tables in one process. Only this library knows which. */
export interface EventLog {
  /**
   * Resolves when every event is durable. Concurrent calls share a batch.
   * @throws ServiceError `unavailable` when nothing was stored, `deadline_exceeded` when the outcome stayed unknown.
   */
  append<Payload extends object>(
    event: EventDefinition<Payload>,
    events: readonly NewEvent<Payload>[],
    options?: AppendOptions,
  ): Promise<void>;

  consume<Payload extends object>(
    event: EventDefinition<Payload>,
    options: ConsumeOptions<Payload>,
    handler: BatchHandler<Payload>,
  ): Promise<Subscription>;

  /**
   * Delivers every event appended from now on to this instance, as to every other one.
   * @param onMissed called instead for records that are signed with an unknown key: what they say may be true. Called once for several.
   */
  broadcast<Payload extends object>(
    event: EventDefinition<Payload>,
    handler: BroadcastHandler<Payload>,
    onMissed?: () => void,
  ): Promise<BroadcastSubscription>;

  /** Whether records are signed: in Kafka, where others may write too. */
  readonly isSigned: boolean;

  /**
   * Lets every group go past the records of a topic that are signed with unknown keys and were appended before now.
   * @throws ServiceError `invalid_request` where records are not signed.
   */
  skipUnverified(topic: string): Promise<void>;

  /**
   * One step of the removal of a user's records, once the services have appended the tombstones of the user. PostgreSQL removes what
   * its groups have handled; Kafka removes nothing on request, so the answer names the topics and times of what stays.
   */
  erase(person: ErasedPerson): Promise<LogErasure>;

  /** What groups could not process, and waits. */
  readonly deadLetters: DeadLetters;

  /** Whether events can be appended now; for readiness. */
  ready(): Promise<boolean>;

  appendLoad(): AppendLoad;

  /** Stops every subscription and appends what was accepted. */
  close(): Promise<void>;
}
