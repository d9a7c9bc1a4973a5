import { Logger } from '@nestjs/common';
import { reasonOf, toDatabaseError } from '@tidings/persistence/errors';
import { statement } from '@tidings/persistence/statement';
import { setTimeout as delay } from 'node:timers/promises';
import { retryDelayMs } from '../retry-delay';
import type { AppendNotifier } from './append-notifier';
import { Session, type SessionOptions } from './session';
import { logClosed } from '../subscriptions';

/** Longest pause between two attempts to connect again. */
const RECONNECT_DELAY_MS_MAX = 2_000;
/** A heartbeat not answered within so many beats ends the connection. */
const UNANSWERED_BEATS_MAX = 4;
const CHANNEL = /^tidings_events_(\d+)$/;

/**
 * What is written on this connection is a group's place. A crash of the server that loses the last of it brings records again,
 * which consumers expect; waiting for the disk would buy nothing.
 */
const SETTINGS = ['synchronous_commit=off'];

const HEARTBEAT = statement('events-heartbeat', 'SELECT 1');
const logger = new Logger('EventLog');

interface LineOptions extends Omit<SessionOptions, 'settings'> {
  /** Ask for a sign of life so often while anybody wants to know of interruptions; `null` relies on the socket. */
  heartbeatMs: number | null;
}

/**
 * The one standing connection of an instance: what others append is heard on it, and places of groups are held by it. Made
 * when it is first needed, made again for ever after it was lost.
 */
export class SharedConnection {
  private session?: Session;
  private connecting?: Promise<Session>;
  private readonly topics = new Set<number>();
  private readonly closing = new AbortController();
  private downSince?: number;
  private downLogged = false;
  private watchers = 0;
  private heartbeat?: NodeJS.Timeout;
  private heartbeatSentAt?: number;

  constructor(
    private readonly options: LineOptions,
    private readonly announcements: AppendNotifier,
  ) {}

  /** The connection, now or after one attempt to make it. @throws ServiceError `unavailable`. */
  async now(): Promise<Session> {
    if (this.session?.alive) return this.session;
    if (this.closing.signal.aborted) throw logClosed();
    this.connecting ??= this.connect().finally(() => (this.connecting = undefined));
    return this.connecting;
  }

  /** The connection, however long it takes; `undefined` when the line is closed or `signal` aborts first. */
  async whenever(signal: AbortSignal): Promise<Session | undefined> {
    const ended = AbortSignal.any([signal, this.closing.signal]);
    for (let attempt = 1; !ended.aborted; attempt++) {
      try {
        return await this.now();
      } catch (error) {
        if (!this.downLogged) logger.warn(`The event log's database is away: ${reasonOf(error)}`);
        this.downLogged = true;
        await delay(retryDelayMs(attempt, RECONNECT_DELAY_MS_MAX), undefined, { signal: ended }).catch(() => {});
      }
    }
    return undefined;
  }

  /** From when this resolves on, everything committed to the topic is announced, or the connection is lost. */
  async listenTo(topicId: number): Promise<void> {
    this.topics.add(topicId);
    const session = await this.now();
    await session.listen(topicId);
  }

  /** How long nothing may have been heard, in ms; 0 while the connection stands. */
  interruptedForMs(): number {
    const now = performance.now();
    if (this.downSince !== undefined) return now - this.downSince;
    const { heartbeatMs } = this.options;
    const overdue = heartbeatMs !== null && this.heartbeatSentAt !== undefined && now - this.heartbeatSentAt > heartbeatMs;
    return overdue ? now - this.session!.lastHeardAt : 0;
  }

  /** Keeps asking for signs of life until the returned function is called. */
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

  async close(): Promise<void> {
    this.closing.abort();
    clearInterval(this.heartbeat);
    await this.connecting?.catch(() => {});
    await this.session?.end();
  }

  private async connect(): Promise<Session> {
    const session = await Session.open({ ...this.options, settings: SETTINGS });
    session.onNotification((channel, payload) => {
      const topicId = CHANNEL.exec(channel)?.[1];
      if (topicId !== undefined) this.announcements.announce(Number(topicId), Number(payload));
    });
    session.lost.addEventListener('abort', () => this.onLost(session), { once: true });
    try {
      await Promise.all([...this.topics].map((topicId) => session.listen(topicId)));
    } catch (error) {
      session.cut();
      throw toDatabaseError(error, false);
    }
    this.session = session;
    this.downSince = undefined;
    this.downLogged = false;
    return session;
  }

  private onLost(session: Session): void {
    if (this.session !== session) return;
    this.session = undefined;
    // What was not heard since the last sign of life may have been said; without heartbeats the socket is believed.
    this.downSince ??= this.heartbeatSentAt === undefined ? performance.now() : session.lastHeardAt;
    this.heartbeatSentAt = undefined;
    if (this.closing.signal.aborted) return;
    logger.warn('The connection to the event log was lost');
    // Whoever only listens here does not ask for it again: a member may work over a connection of its own.
    if (this.topics.size > 0) void this.whenever(this.closing.signal);
  }

  private beat(): void {
    const { session } = this;
    if (!session || this.heartbeatSentAt !== undefined) return;
    this.heartbeatSentAt = performance.now();
    session.query(HEARTBEAT, [], this.options.heartbeatMs! * UNANSWERED_BEATS_MAX).then(
      () => {
        if (this.session === session) this.heartbeatSentAt = undefined;
      },
      () => {}, // losing the connection says it
    );
  }
}
