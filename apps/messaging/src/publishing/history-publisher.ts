import type { EventLog } from '@tidings/events/event-log';
import type { Database } from '@tidings/persistence/database';
import { OutboxRelay, type OutboxRelayOptions } from '@tidings/persistence/outbox-relay';
import { HistorySource } from './history-source';

/** Under load a batch carries what several commits brought, and a message costs a fraction of a round. */
const BATCH_INTERVAL_MS = 20;
/** What the last outcomes brought is published before the process ends, unless it takes longer. */
const FINISH_MS = 2_000;

/** Puts the history on its topics, where somebody reads them; otherwise it does nothing at all. */
export class HistoryPublisher {
  private constructor(
    private readonly source?: HistorySource,
    private readonly relay?: OutboxRelay,
  ) {}

  /** Publishes to `log`. Begins at the oldest row kept, then where the last relay of the database left off. */
  static to(log: EventLog, database: Database, options: Pick<OutboxRelayOptions, 'sweepIntervalMs'> = {}): HistoryPublisher {
    const source = new HistorySource(database);
    return new HistoryPublisher(source, new OutboxRelay({ database, source, log, batchIntervalMs: BATCH_INTERVAL_MS, ...options }));
  }

  /** Publishes nothing. */
  static silent(): HistoryPublisher {
    return new HistoryPublisher();
  }

  /** History was committed. */
  committed(): void {
    this.source?.ring();
  }

  start(): void {
    this.relay?.start();
  }

  /** Publishes what was committed by now, as long as that is quick, and leaves the rest to another instance or the next start. */
  async stop(): Promise<void> {
    await this.relay?.stop({ finishMs: FINISH_MS });
  }
}
