import { messageStatus, type MessageStatusRecorded } from '@tidings/contracts/messaging/events';
import type { EventLog } from '@tidings/events/event-log';
import type { Database } from '@tidings/persistence/database';
import { OutboxRelay, type OutboxRelayOptions } from '@tidings/persistence/outbox-relay';
import { HistorySource } from './history-source';
import { erasedId } from './published-events';

/** Under load a batch carries what several commits brought, and a message costs a fraction of a round. */
const BATCH_INTERVAL_MS = 20;
/** What the last outcomes brought is published before the process ends, unless it takes longer. */
const FINISH_MS = 2_000;

/** Puts the history on its topics, where somebody reads them; otherwise it does nothing at all. */
export class HistoryPublisher {
  private constructor(
    private readonly source?: HistorySource,
    private readonly relay?: OutboxRelay,
    private readonly log?: EventLog,
  ) {}

  /** Publishes to `log`. Begins at the oldest row kept, then where the last relay of the database left off. */
  static to(log: EventLog, database: Database, options: Pick<OutboxRelayOptions, 'sweepIntervalMs'> = {}): HistoryPublisher {
    const source = new HistorySource(database);
    return new HistoryPublisher(source, new OutboxRelay({ database, source, log, batchIntervalMs: BATCH_INTERVAL_MS, ...options }), log);
  }

  /** Publishes nothing. */
  static silent(): HistoryPublisher {
    return new HistoryPublisher();
  }

  /** History was committed. */
  committed(): void {
    this.source?.ring();
  }

  /**
   * Takes the records of messages off their topic, where there is one. Before the messages are erased: whoever ends in between
   * begins again with the same messages. What the relay still has of them it reads when they are erased.
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

  /** Publishes what was committed by now, as long as that is quick, and leaves the rest to another instance or the next start. */
  async stop(): Promise<void> {
    await this.relay?.stop({ finishMs: FINISH_MS });
  }
}
