import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Database } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import type { Clock } from '@tidings/runtime/clock';
import { forgetRequestCancellations } from '../actions/request-cancellations';
import { forgetInbound } from '../inbound/inbound-store';
import { removeExpiredJobs } from '../bulk/expired-jobs';
import { firstIdAt, firstIdOfWeek } from '../store/weeks';
import { dropDetached, dropWeek, type Family, HISTORY, MESSAGES, sweepDefault, weeksOf } from './expired-weeks';

const DAY_MS = 86_400_000;
const YEAR_MS = 365.25 * DAY_MS;

/** How long things are kept, in ms, counted from when a message was accepted. */
export interface RetentionTimes {
  messagesMs: number;
  /** Of histories, and with them of what was said. */
  historyMs: number;
}

export const RETENTION_DEFAULT: RetentionTimes = { messagesMs: YEAR_MS, historyMs: 90 * DAY_MS };

/** Soon after the start, when those who wait for the process have been served. */
const FIRST_MS = 10_000;
const INTERVAL_MS = DAY_MS;
/** What could not be had now, for others were using it, is tried again so soon. */
const AGAIN_MS = 600_000;

const logger = new Logger('Retention');

/**
 * Removes what is older than it may be: whole weeks, by their partitions, as soon as all of a week is too old and none of its messages is
 * open any more. Any number of instances may try; one of them does.
 */
@Injectable()
export class Retention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly times: RetentionTimes,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule(FIRST_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.round;
  }

  /** Removes everything that is too old now and that nobody is using. */
  async enforce(): Promise<void> {
    const now = this.clock.now();
    const { messagesMs, historyMs } = this.times;
    await this.keep(HISTORY, now - Math.min(historyMs, messagesMs));
    await this.keep(MESSAGES, now - messagesMs);
    await forgetInbound(this.database, now, () => this.stopping);
    await forgetRequestCancellations(this.database, now - messagesMs, () => this.stopping);
    await removeExpiredJobs(this.database, now - messagesMs, () => this.stopping);
  }

  private async keep(family: Family, sinceMs: number): Promise<void> {
    await dropDetached(this.database, family);
    const oldest = firstIdAt(Math.max(0, sinceMs));
    for (const week of await weeksOf(this.database, family)) {
      if (this.stopping || firstIdOfWeek(week + 1) > oldest) break;
      const outcome = await dropWeek(this.database, family, week);
      if (outcome === 'dropped') logger.log(`Removed week ${week} of ${family.tables.join(' and ')}`);
      if (outcome === 'open') logger.log(`Week ${week} of ${family.tables.join(' and ')} stays: some of its messages are still open`);
      if (outcome === 'elsewhere') return; // another process is at it
    }
    if (!this.stopping) await sweepDefault(this.database, family, oldest, () => this.stopping);
  }

  private schedule(waitMs: number): void {
    this.timer = setTimeout(() => {
      this.round = this.enforce()
        .then(
          () => INTERVAL_MS,
          (error: unknown) => {
            logger.warn(`What is too old is removed later: ${reasonOf(error)}`);
            return AGAIN_MS;
          },
        )
        .then((nextMs) => {
          if (!this.stopping) this.schedule(nextMs);
        });
    }, waitMs);
    this.timer.unref();
  }
}
