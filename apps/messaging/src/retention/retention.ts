import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { deleteOldRequestCancellations } from '../actions/request-cancellations';
import { forgetInbound } from '../inbound/inbound-store';
import { removeExpiredJobs } from '../bulk/expired-jobs';
import { Sweeper } from '../requests/sweeper';
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

/** Injects the `RetentionTimes` of the process. */
export const RETENTION_TIMES = Symbol('RetentionTimes');

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
export class Retention extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(RETENTION_TIMES) private readonly times: RetentionTimes,
  ) {
    super({ what: 'Removing expired data', intervalMs: INTERVAL_MS, firstMs: FIRST_MS, retryMs: RETRY_MS });
  }

  /** A round is one step. */
  protected async step(): Promise<boolean> {
    await this.enforce();
    return false;
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
}
