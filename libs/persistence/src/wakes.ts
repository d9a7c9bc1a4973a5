import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Logger } from '@nestjs/common';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { reasonOf } from './errors';
import type { Queryable } from './transaction';

const logger = new Logger('Wakes');

/** Wakes within this time share one NOTIFY. */
const LINGER_MS = 200;
const LEAVE_MS_MAX = 1_000;

/**
 * Wakes the pollers of a queue in other processes of the service: for due rows that this process cannot work on now, and for those that
 * it leaves when it stops. Sent outside transactions, for the reason that `CommitNotifier` gives; the outbox relay's connection receives
 * them. The interval of the polls makes up for a lost one.
 */
export class Wakes {
  private readonly sender = randomUUID();
  private readonly listeners = new EventEmitter().setMaxListeners(0);
  private readonly pending = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Queryable,
    /** Channel of LISTEN; distinct within a database. */
    readonly channel: string,
  ) {}

  /** Adds a listener; returns the function that removes it. */
  listen(queue: string, listener: () => void): () => void {
    this.listeners.on(queue, listener);
    return () => void this.listeners.off(queue, listener);
  }

  /** Wakes other processes soon. Where this one has no listener no other has one. */
  wakeOthers(queue: string): void {
    if (this.listeners.listenerCount(queue) === 0) return;
    this.pending.add(queue);
    this.timer ??= setTimeout(() => void this.send(), LINGER_MS).unref();
  }

  /** Wakes other processes at once: this one stops. Never rejects, and waits for a frozen database a second at most. */
  async leave(queue: string): Promise<void> {
    this.pending.add(queue);
    await withTimeout(LEAVE_MS_MAX, this.send());
  }

  /** Passes a notification on. PostgreSQL delivers those of this process too. */
  received(payload = ''): void {
    const [sender, queue = ''] = payload.split(' ');
    if (sender !== this.sender) this.listeners.emit(queue);
  }

  private async send() {
    clearTimeout(this.timer);
    this.timer = undefined;
    const payloads = [...this.pending].map((queue) => `${this.sender} ${queue}`);
    this.pending.clear();
    try {
      await this.database.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [this.channel, payloads]);
    } catch (error) {
      logger.debug(`Waking other processes failed; they poll at intervals: ${reasonOf(error)}`);
    }
  }
}
