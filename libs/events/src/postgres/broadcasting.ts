import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import { setTimeout as delay } from 'node:timers/promises';
import type { BroadcastSubscription, EventRecord } from '../event-log';
import { retryDelayMs } from '@tidings/contracts/core/retry-delay';
import { type AppendNotifier, HighWatermark } from './append-notifier';
import type { SharedConnection } from './shared-connection';
import { readRecords } from './records';
import type { Session } from './session';

const READ_RECORDS_MAX = 500;
const RETRY_DELAY_MS_MAX = 2_000;

const logger = new Logger('EventLog');

interface BroadcastingOptions<Payload extends object> {
  /** The topic's name, for messages. */
  name: string;
  topicId: number;
  /** Records beyond this position are delivered. */
  position: number;
  handler: (record: EventRecord<Payload>) => void;
  connection: SharedConnection;
  notifier: AppendNotifier;
  /** Longest pause between two reads without an announcement, in ms. */
  pollIntervalMs: number;
}

/** Delivers every record of a topic to this instance, in order; after an interruption the missed records come first. */
export class Broadcasting<Payload extends object> implements BroadcastSubscription {
  private readonly highWatermark = new HighWatermark();
  private readonly stopping = new AbortController();
  private readonly working: Promise<void>;
  private readonly unwatch: () => void;
  private position: number;
  private session?: Session;
  /** By `performance.now()`, while records may be missing. */
  private behindSince?: number;

  /** @param session the session on which the position was read. */
  constructor(
    session: Session,
    private readonly options: BroadcastingOptions<Payload>,
  ) {
    this.position = options.position;
    this.unwatch = options.connection.watch();
    this.noteLossOf(session);
    const unlisten = options.notifier.listen(options.topicId, this.highWatermark.note);
    this.working = this.work().finally(unlisten);
  }

  interruptedForMs(): number {
    const behindMs = this.behindSince === undefined ? 0 : performance.now() - this.behindSince;
    return Math.max(behindMs, this.options.connection.interruptedForMs());
  }

  async stop(): Promise<void> {
    if (!this.stopping.signal.aborted) this.unwatch();
    this.stopping.abort();
    await this.working;
  }

  private async work(): Promise<void> {
    const { connection, name } = this.options;
    const { signal } = this.stopping;
    for (let failures = 1; ; failures++) {
      const session = await connection.awaitSession(signal);
      if (!session || signal.aborted) return;
      this.noteLossOf(session);
      try {
        await this.follow(session, () => (failures = 0));
      } catch (error) {
        this.behindSince ??= performance.now();
        if (session.alive) logger.error(`${name}: reading failed; retrying: ${reasonOf(error)}`);
        await delay(retryDelayMs(failures + 1, RETRY_DELAY_MS_MAX), undefined, { signal }).catch(() => {});
      }
    }
  }

  private async follow(session: Session, onProgress: () => void): Promise<void> {
    const { topicId, name, pollIntervalMs } = this.options;
    const { signal } = this.stopping;
    this.highWatermark.reset();
    while (!signal.aborted && session.alive) {
      const announced = this.highWatermark.position;
      const { records, complete, last } = await readRecords<Payload>(session, topicId, this.position, READ_RECORDS_MAX);
      onProgress();
      for (const { record, unreadable } of records) {
        if (unreadable === undefined) this.deliver(record);
        else logger.error(`${name}: record ${record.id} is skipped: ${unreadable}`);
      }
      this.position = last ?? this.position;
      if (!complete) continue;
      if (session.alive) this.behindSince = undefined;
      await this.highWatermark.waitBeyond(Math.max(announced, this.position), pollIntervalMs, session.lost, signal);
    }
  }

  /** Counts as interrupted from the loss of the connection until every missed record is delivered. */
  private noteLossOf(session: Session): void {
    if (this.session === session) return;
    this.session = session;
    const note = () => (this.behindSince ??= performance.now() - this.options.connection.interruptedForMs());
    if (session.alive) session.lost.addEventListener('abort', note, { once: true });
    else note();
  }

  private deliver(record: EventRecord<Payload>): void {
    try {
      this.options.handler(record);
    } catch (error) {
      logger.error(`${this.options.name}: the broadcast handler failed for record ${record.id}: ${reasonOf(error)}`);
    }
  }
}
