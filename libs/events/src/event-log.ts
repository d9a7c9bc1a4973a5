import type { EventDefinition } from '@tidings/contracts/core/event';

/** An event on its way into the log. */
export interface NewEvent<Payload extends object> {
  /** Stable: the same fact appended twice carries the same id, and consumers recognise it. At most 64 characters. */
  id: string;
  /** `null` is a tombstone: the key is gone. Needs `key`. */
  payload: Payload | null;
  /** Record key; made from the payload by the event's definition when absent. */
  key?: string;
  /**
   * Running number, decimal digits: grows with every event of a key. Events may be appended twice, and an old writer that
   * finishes late appends old ones after new ones: a consumer drops what is not above the highest number it has of a key.
   */
  sequence?: string;
}

/** An event read from the log. */
export interface EventRecord<Payload extends object> {
  id: string;
  key: string;
  payload: Payload | null;
  /** Where the record stands in its topic; grows within a key. Decimal digits. */
  position: string;
  /** When the log took it, in ms since the epoch, by the log's clock. */
  appendedAt: number;
  /** The running number it was appended with. */
  sequence?: string;
}

export interface AppendOptions {
  /**
   * How long an append whose outcome is unknown is tried again, under the same ids, in ms. Default `APPEND_DEADLINE_MS`.
   */
  deadlineMs?: number;
}

export interface ConsumeOptions<Payload extends object> {
  /** Each event is handled once by one member of the group. A new group starts at the earliest record. */
  group: string;
  /** Upper bound of a batch. Default `BATCH_RECORDS`. */
  maxBatch?: number;
  /** Told after a record was put on `<topic>.dead`; must not throw for the same record twice. */
  onDead?: (record: EventRecord<Payload>, reason: string) => Promise<void>;
}

/**
 * Handles a batch. At least once: a crash or an error brings records again. Within a key records come in order.
 * Throwing a `ServiceError` that `isPassing` (`unavailable`, `deadline_exceeded`, `rate_limited`), or a lost database
 * connection, means "not now": the same batch is tried again with back-off. Any other error halves the batch until the bad
 * record stands alone.
 */
export type BatchHandler<Payload extends object> = (batch: readonly EventRecord<Payload>[], signal: AbortSignal) => Promise<void>;

export interface Subscription {
  /** Whether every record that the log took up to this instant (ms, log's clock) has been handled by the group. */
  hasHandledUpTo(time: number): Promise<boolean>;
  /** Whether every record that the log took before this question has been handled by the group. */
  hasHandledAll(): Promise<boolean>;
  /** Finishes the batch in hand, commits its place, leaves the group. */
  stop(): Promise<void>;
}

export interface BroadcastSubscription {
  /** How long this instance may have been missing events, in ms; 0 while it is connected. Caches distrust themselves above 1 s. */
  interruptedForMs(): number;
  stop(): Promise<void>;
}

/**
 * The log of events: Kafka topics in production, PostgreSQL tables in one process. Nobody outside this library knows which.
 */
export interface EventLog {
  /**
   * Resolves when every event is durable. Throws `unavailable` when surely nothing was kept, `deadline_exceeded` when
   * the outcome stayed unknown until the deadline. Concurrent calls travel together.
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

  /** Every instance sees every event appended from now on. */
  broadcast<Payload extends object>(
    event: EventDefinition<Payload>,
    handler: (record: EventRecord<Payload>) => void,
  ): Promise<BroadcastSubscription>;

  /** Whether events can be appended right now; for readiness. */
  ready(): Promise<boolean>;

  /** Stops every subscription, flushes what was accepted for appending. */
  close(): Promise<void>;
}
