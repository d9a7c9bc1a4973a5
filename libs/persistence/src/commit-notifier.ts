import { Logger } from '@nestjs/common';
import type { Database } from './database';
import { reasonOf } from './errors';

const logger = new Logger('CommitNotifier');

/** Returns whether a relay of this process publishes the shard, so that no other process needs the notification. */
type CommitListener = (shard: number) => boolean;

/**
 * Wakes outbox relays after a commit. A relay in the same process is called directly; for a shard that belongs to another
 * process, PostgreSQL carries the notification.
 *
 * The NOTIFY is sent after the commit, not inside its transaction: transactions that notify commit one after another in the
 * whole cluster, since the notification queue is locked until the commit is on disk. Alone, a NOTIFY writes nothing. The
 * relay's next sweep makes up for a notification lost in a crash.
 */
export class CommitNotifier {
  private readonly listeners = new Set<CommitListener>();
  private isPending = false;
  private notifying = false;

  constructor(
    private readonly database: Database,
    /** Channel of LISTEN; distinct within a database. */
    readonly channel: string,
  ) {}

  /** Notifies the relays of these shards of a commit. */
  notifyCommitted(shards: Iterable<number>): void {
    for (const shard of shards) {
      const isPublishedHere = [...this.listeners].map((listener) => listener(shard)).includes(true);
      this.isPending ||= !isPublishedHere;
    }
    if (this.isPending) void this.notify();
  }

  /** Adds a listener; returns the function that removes it. */
  listen(listener: CommitListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Sends one NOTIFY at a time; commits during it share the next one. */
  private async notify() {
    if (this.notifying) return;
    this.notifying = true;
    try {
      while (this.isPending) {
        this.isPending = false; // a relay polls all of its shards, so the payload need not name them
        await this.database.query('SELECT pg_notify($1, $2)', [this.channel, 'committed']);
      }
    } catch (error) {
      logger.debug(`Notifying relays of new events failed; their next sweep finds the events: ${reasonOf(error)}`);
    } finally {
      this.notifying = false;
    }
  }
}
