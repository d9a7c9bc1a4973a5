import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import type { BroadcastHandler, BroadcastSubscription } from './event-log';
import type { ReadRecord } from './consumption';

const logger = new Logger('EventLog');

/** Delivers every record of a topic to this instance, in order; after an interruption the missed records come first. */
export abstract class Broadcasting implements BroadcastSubscription {
  /** By `performance.now()`, while records may be missing. */
  protected behindSince?: number;
  /** An interruption of it makes records missing. */
  protected abstract readonly connection: { interruptedForMs(): number };

  constructor(
    /** The topic's name, for log lines. */
    protected readonly name: string,
    private readonly handler: BroadcastHandler<never>,
  ) {}

  interruptedForMs() {
    const behindMs = this.behindSince === undefined ? 0 : performance.now() - this.behindSince;
    return Math.max(behindMs, this.connection.interruptedForMs());
  }

  abstract stop(): Promise<void>;

  protected deliver(records: readonly ReadRecord[]) {
    for (const { record, unreadable } of records) {
      if (unreadable !== undefined) {
        logger.error(`${this.name}: record ${record.id} is skipped: ${unreadable}`);
        continue;
      }
      try {
        this.handler(record);
      } catch (error) {
        logger.error(`${this.name}: the broadcast handler failed for record ${record.id}: ${reasonOf(error)}`);
      }
    }
  }
}
