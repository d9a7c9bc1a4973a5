import { messageStatus, type MessageStatusRecorded } from '@tidings/contracts/messaging/events';
import type { EventLog } from '@tidings/events/event-log';
import type { Database } from '@tidings/persistence/database';
import { OutboxRelay, type OutboxRelayOptions } from '@tidings/persistence/outbox-relay';
import { erasedId, HistorySource } from './history-source';

/** Under load a batch carries the events of several commits, so a message costs a fraction of a batch. */
const BATCH_INTERVAL_MS = 20;
/** Time on shutdown to publish the events of the last outcomes. */
const FINISH_MS = 2_000;

/** Publishes the message history on its topics, where that is configured; otherwise it does nothing. */
export class HistoryPublisher {
  private constructor(
    private readonly source?: HistorySource,
    private readonly relay?: OutboxRelay,
    private readonly log?: EventLog,
  ) {}

  /** Publishes to `log`, from the oldest stored row or from the position of the last relay of this database. */
  static to(log: EventLog, database: Database, options: Pick<OutboxRelayOptions, 'sweepIntervalMs'> = {}): HistoryPublisher {
    const source = new HistorySource(database);
    return new HistoryPublisher(source, new OutboxRelay({ database, source, log, batchIntervalMs: BATCH_INTERVAL_MS, ...options }), log);
  }

  /** Publishes nothing. */
  static silent(): HistoryPublisher {
    return new HistoryPublisher();
  }

  /** Wakes the relays after history was committed. */
  committed(): void {
    this.source?.notifyCommitted();
  }

  /**
   * Appends tombstones for the records of messages, where a log is configured. The eraser calls it before it erases the messages: after
   * a crash in between it repeats both. Rows that the relay has not read yet are read after the erasure.
   */
  async forget(workspaceId: string, messageIds: readonly string[]): Promise<void> {
    const tombstones = messageIds.map((messageId) => ({
      id: erasedId(messageId),
      payload: null,
      key: messageStatus.keyOf({ workspaceId, messageId } as MessageStatusRecorded),
    }));
    if (tombstones.length > 0) await this.log?.append(messageStatus, tombstones);
  }

  start(): void {
    this.relay?.start();
  }

  /** Publishes committed events for at most `FINISH_MS`; another instance or the next start publishes the rest. */
  async stop(): Promise<void> {
    await this.relay?.stop({ finishMs: FINISH_MS });
  }
}
