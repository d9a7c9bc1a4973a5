import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import { setTimeout as delay } from 'node:timers/promises';
import type { BroadcastSubscription, EventRecord } from '../event-log';
import { retryDelayMs } from '../retry-delay';
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
  line: SharedConnection;
  announcements: AppendNotifier;
  /** Reads this often at least, whether anything was announced or not. */
  lookMsMax: number;
}

/** Delivers every record of a topic to this instance, in order; what was missed during an interruption comes first after it. */
export class Broadcasting<Payload extends object> implements BroadcastSubscription {
  private readonly growth = new HighWatermark();
  private readonly stopping = new AbortController();
  private readonly working: Promise<void>;
  private readonly unwatch: () => void;
  private position: number;
  private session?: Session;
  /** By `performance.now()`, while something may be missing. */
  private behindSince?: number;

  /** @param session the connection on which the position was read. */
  constructor(
    session: Session,
    private readonly options: BroadcastingOptions<Payload>,
  ) {
    this.position = options.position;
    this.unwatch = options.line.watch();
    this.noteLossOf(session);
    const unlisten = options.announcements.listen(options.topicId, this.growth.note);
    this.working = this.work().finally(unlisten);
  }

  interruptedForMs(): number {
    const behindMs = this.behindSince === undefined ? 0 : performance.now() - this.behindSince;
    return Math.max(behindMs, this.options.line.interruptedForMs());
  }

  async stop(): Promise<void> {
    if (!this.stopping.signal.aborted) this.unwatch();
    this.stopping.abort();
    await this.working;
  }

  private async work(): Promise<void> {
    const { line, name } = this.options;
    const { signal } = this.stopping;
    for (let failures = 1; ; failures++) {
      const session = await line.whenever(signal);
      if (!session || signal.aborted) return;
      this.noteLossOf(session);
      try {
        await this.follow(session, () => (failures = 0));
      } catch (error) {
        this.behindSince ??= performance.now();
        if (session.alive) logger.error(`${name}: reading failed and begins anew: ${reasonOf(error)}`);
        await delay(retryDelayMs(failures + 1, RETRY_DELAY_MS_MAX), undefined, { signal }).catch(() => {});
      }
    }
  }

  private async follow(session: Session, onProgress: () => void): Promise<void> {
    const { topicId, name, lookMsMax } = this.options;
    const { signal } = this.stopping;
    this.growth.forget();
    while (!signal.aborted && session.alive) {
      const announced = this.growth.position;
      const { records, complete, last } = await readRecords<Payload>(session, topicId, this.position, READ_RECORDS_MAX);
      onProgress();
      for (const { record, unreadable } of records) {
        if (unreadable === undefined) this.tell(record);
        else logger.error(`${name}: record ${record.id} is left out: ${unreadable}`);
      }
      this.position = last ?? this.position;
      if (!complete) continue;
      if (session.alive) this.behindSince = undefined;
      await this.growth.beyond(Math.max(announced, this.position), lookMsMax, session.lost, signal);
    }
  }

  /** From the moment a connection is lost until everything missed is delivered, something may be missing. */
  private noteLossOf(session: Session): void {
    if (this.session === session) return;
    this.session = session;
    const note = () => (this.behindSince ??= performance.now() - this.options.line.interruptedForMs());
    if (session.alive) session.lost.addEventListener('abort', note, { once: true });
    else note();
  }

  private tell(record: EventRecord<Payload>): void {
    try {
      this.options.handler(record);
    } catch (error) {
      logger.error(`${this.options.name}: a broadcast's handler failed for record ${record.id}: ${reasonOf(error)}`);
    }
  }
}
