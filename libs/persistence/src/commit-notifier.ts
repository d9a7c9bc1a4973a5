import { Logger } from '@nestjs/common';
import type { Database } from './database';
import { reasonOf } from './errors';

const logger = new Logger('Doorbell');

/** Takes a ring: whether this process publishes the shard itself, so that nobody else needs to hear of it. */
type BellListener = (shard: number) => boolean;

/**
 * Tells relays that something was committed. A relay in the same process hears it directly; where the shard belongs to
 * another process, PostgreSQL carries it.
 *
 * Rung after the commit, not by a NOTIFY inside of it: transactions that notify commit one after the other in the whole
 * cluster, since the notification queue is locked until the commit is on disk. Alone, a NOTIFY writes nothing. A ring that
 * is lost (the process died just then) is made up for by the relay's next sweep.
 */
export class CommitNotifier {
  private readonly listeners = new Set<BellListener>();
  private readonly pending = new Set<number>();
  private notifying = false;

  constructor(
    private readonly database: Database,
    /** Channel of LISTEN; distinct within a database. */
    readonly channel: string,
  ) {}

  /** Something of these shards was committed. */
  notifyCommitted(shards: Iterable<number>): void {
    for (const shard of shards) {
      const taken = [...this.listeners].map((listener) => listener(shard)).includes(true);
      if (!taken) this.pending.add(shard);
    }
    if (this.pending.size > 0) void this.notify();
  }

  /** Returns the function that takes the listener away again. */
  listen(listener: BellListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** One at a time: what is rung meanwhile travels in the next one. */
  private async notify(): Promise<void> {
    if (this.notifying) return;
    this.notifying = true;
    try {
      while (this.pending.size > 0) {
        this.pending.clear(); // a relay looks at all of its shards, so which ones were rung need not be told
        await this.database.query('SELECT pg_notify($1, $2)', [this.channel, 'committed']);
      }
    } catch (error) {
      logger.debug(`A relay was not told of new events and finds them by itself: ${reasonOf(error)}`);
    } finally {
      this.notifying = false;
    }
  }
}
