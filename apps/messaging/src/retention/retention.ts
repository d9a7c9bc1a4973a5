import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Database } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import type { Clock } from '@tidings/runtime/clock';
import { deleteOldRequestCancellations } from '../actions/request-cancellations';
import { forgetInbound } from '../inbound/inbound-store';
import { removeExpiredJobs } from '../bulk/expired-jobs';
import { firstIdAt, firstIdOfWeek } from '../store/weeks';
import { dropDetached, dropWeek, type Family, HISTORY, MESSAGES, sweepDefault, weeksOf } from './expired-weeks';

const DAY_MS = 86_400_000;
const YEAR_MS = 365.25 * DAY_MS;

/** Retention times in ms, counted from the acceptance of a message. */
export interface RetentionTimes {
  messagesMs: number;
  /** Histories, which include the content. */
  historyMs: number;
}

export const RETENTION_DEFAULT: RetentionTimes = { messagesMs: YEAR_MS, historyMs: 90 * DAY_MS };

/** First round: soon after the start, but after the first requests. */
const FIRST_MS = 10_000;
const INTERVAL_MS = DAY_MS;
/** Pause after a failed round, such as one without a lock. */
const RETRY_MS = 600_000;

const logger = new Logger('Retention');

/**
 * Removes expired data: whole weeks, by their partitions, once all of a week has expired and none of its messages is open. Every process
 * runs rounds; a lock admits one at a time.
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

  /** Removes everything that has expired. Rejects with `unavailable` where a table could not be locked. */
  async enforce(): Promise<void> {
    const now = this.clock.now();
    const { messagesMs, historyMs } = this.times;
    await this.removeBefore(HISTORY, now - Math.min(historyMs, messagesMs));
    await this.removeBefore(MESSAGES, now - messagesMs);
    await forgetInbound(this.database, now, () => this.stopping);
    await deleteOldRequestCancellations(this.database, now - messagesMs, () => this.stopping);
    await removeExpiredJobs(this.database, now - messagesMs, () => this.stopping);
  }

  private async removeBefore(family: Family, sinceMs: number): Promise<void> {
    await dropDetached(this.database, family);
    const oldest = firstIdAt(Math.max(0, sinceMs));
    for (const week of await weeksOf(this.database, family)) {
      if (this.stopping || firstIdOfWeek(week + 1) > oldest) break;
      const outcome = await dropWeek(this.database, family, week);
      if (outcome === 'dropped') logger.log(`Removed week ${week} of ${family.tables.join(' and ')}`);
      if (outcome === 'open') logger.log(`Week ${week} of ${family.tables.join(' and ')} stays: some of its messages are still open`);
      if (outcome === 'elsewhere') return; // another process removes weeks
    }
    if (!this.stopping) await sweepDefault(this.database, family, oldest, () => this.stopping);
  }

  private schedule(waitMs: number): void {
    this.timer = setTimeout(() => {
      this.round = this.enforce()
        .then(
          () => INTERVAL_MS,
          (error: unknown) => {
            logger.warn(`Removing expired data failed; retrying later: ${reasonOf(error)}`);
            return RETRY_MS;
          },
        )
        .then((nextMs) => {
          if (!this.stopping) this.schedule(nextMs);
        });
    }, waitMs);
    this.timer.unref();
  }
}
