import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import { statement } from '@tidings/persistence/statement';
import { waitForRetry } from '@tidings/contracts/core/retry-delay';
import type { AppendNotifier } from './append-notifier';
import { type Session, SessionHolder, type SessionOptions } from './session';

/** Longest pause between two attempts to connect again. */
const RECONNECT_DELAY_MS_MAX = 2_000;
/** A heartbeat not answered within so many beats ends the connection. */
const UNANSWERED_BEATS_MAX = 4;
const CHANNEL = /^tidings_events_(\d+)$/;

/**
 * Only group positions are written on this connection. After a server crash that loses the latest ones records are delivered
 * again, which consumers expect; waiting for the disk would gain nothing.
 */
const WITHOUT_DISK = { synchronous_commit: 'off' };

// SQL because a heartbeat reads no table.
const HEARTBEAT = statement('events-heartbeat', 'SELECT 1');
const logger = new Logger('EventLog');

interface SharedConnectionOptions extends SessionOptions {
  /** Interval of heartbeats while `watch` is in use, in ms; `null` relies on the socket. */
  heartbeatMs: number | null;
}

/**
 * The permanent connection of an instance: receives notifications of other processes' appends and has the group locks. Opened
 * when first needed, and reopened without limit after a loss.
 */
export class SharedConnection extends SessionHolder<SharedConnectionOptions> {
  private readonly topics = new Set<number>();
  private downSince?: number;
  private downLogged = false;
  private watchers = 0;
  private heartbeat?: NodeJS.Timeout;
  private heartbeatSentAt?: number;

  constructor(
    options: SharedConnectionOptions,
    private readonly notifier: AppendNotifier,
  ) {
    super(options, WITHOUT_DISK);
  }

  /** The session, after as many attempts as needed; `undefined` when the connection is closed or `signal` aborts first. */
  async awaitSession(signal: AbortSignal): Promise<Session | undefined> {
    const ended = AbortSignal.any([signal, this.closing.signal]);
    for (let attempt = 1; !ended.aborted; attempt++) {
      try {
        return await this.session();
      } catch (error) {
        if (!this.downLogged) logger.warn(`The event log's database is unavailable; reconnecting: ${reasonOf(error)}`);
        this.downLogged = true;
        await waitForRetry(attempt, RECONNECT_DELAY_MS_MAX, ended);
      }
    }
    return undefined;
  }

  /** Once it resolves, every commit to the topic is announced until the connection is lost. */
  async listenTo(topicId: number): Promise<void> {
    this.topics.add(topicId);
    const session = await this.session();
    await session.listen(topicId);
  }

  /** How long notifications may have been missed, in ms; 0 while the connection is open. */
  interruptedForMs(): number {
    const now = performance.now();
    if (this.downSince !== undefined) return now - this.downSince;
    const isOverdue = now - (this.heartbeatSentAt ?? now) > (this.options.heartbeatMs ?? 0);
    return isOverdue ? now - this.current!.lastReceivedAt : 0;
  }

  /** Sends heartbeats until the returned function is called. */
  watch(): () => void {
    this.watchers += 1;
    const { heartbeatMs } = this.options;
    if (heartbeatMs !== null) this.heartbeat ??= setInterval(() => this.beat(), heartbeatMs);
    return () => {
      this.watchers -= 1;
      if (this.watchers > 0) return;
      clearInterval(this.heartbeat);
      this.heartbeat = undefined;
    };
  }

  override async close(): Promise<void> {
    clearInterval(this.heartbeat);
    await super.close();
  }

  protected async prepare(session: Session) {
    session.onNotification((channel, payload) => {
      const topicId = CHANNEL.exec(channel)?.[1];
      if (topicId !== undefined) this.notifier.announce(Number(topicId), Number(payload));
    });
    session.lost.addEventListener('abort', () => this.onLost(session), { once: true });
    await Promise.all([...this.topics].map((topicId) => session.listen(topicId)));
    // Members with a connection of their own did not notice the loss: what was committed meanwhile was not announced to them.
    if (this.downSince !== undefined) for (const topicId of this.topics) this.notifier.announce(topicId);
    this.downSince = undefined;
    this.downLogged = false;
  }

  private onLost(session: Session) {
    if (this.current !== session) return;
    this.current = undefined;
    // Notifications since the last answer may be lost; without heartbeats the connection counts as intact until its socket closed.
    this.downSince ??= this.heartbeatSentAt === undefined ? performance.now() : session.lastReceivedAt;
    this.heartbeatSentAt = undefined;
    if (this.closing.signal.aborted) return;
    logger.warn('The connection to the event log was lost');
    // Listeners alone do not reopen it: a group member may work over a connection of its own.
    if (this.topics.size > 0) void this.awaitSession(this.closing.signal);
  }

  private beat() {
    const session = this.current;
    if (!session || this.heartbeatSentAt !== undefined) return;
    this.heartbeatSentAt = performance.now();
    session.query(HEARTBEAT, [], this.options.heartbeatMs! * UNANSWERED_BEATS_MAX).then(
      () => {
        if (this.current === session) this.heartbeatSentAt = undefined;
      },
      () => {}, // `onLost` handles it
    );
  }
}
