import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { type TokenReport, TOKEN_REPORTS_MAX } from '@tidings/contracts/identity/token-reports';
import { userTokens } from '@tidings/contracts/identity/user-tokens';
import type { Database } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { DuePoller } from '../delivery/due-poller';
import { claimReports, deleteReports, storeReports, type WaitingReport } from './token-report-store';

/** Lease of claimed reports; a process that could not send them retries after it. */
const LEASE_MS = 10_000;
/** Reports stored within this time are sent together. */
const LINGER_MS = 200;
/** Longest pause between two polls, for reports of a process that died. */
const POLL_MS_MAX = 60_000;

/**
 * Reports the results of push services about tokens to identity, at least once: reports stay in the database until they are sent.
 * Deliveries do not wait for it, and no token is logged.
 */
export class TokenReporter implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(TokenReporter.name);
  private readonly poller = new DuePoller(POLL_MS_MAX, () => this.sendDue());

  constructor(
    private readonly database: Database,
    private readonly client: OperationClient,
  ) {}

  onApplicationBootstrap(): void {
    this.poller.scheduleIn(0);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.poller.stop();
  }

  /** Resolves when the reports are durable. Rejects while the database is unavailable; reports that it refuses are logged and dropped. */
  async store(reports: readonly TokenReport[]): Promise<void> {
    if (reports.length === 0) return;
    try {
      await storeReports(this.database, reports);
      this.poller.scheduleIn(LINGER_MS);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      this.logger.error(`Storing ${reports.length} reports about push tokens failed; dropping them: ${reasonOf(error)}`);
    }
  }

  /** Sends all due reports; resolves with the ms until the next poll. */
  private async sendDue(): Promise<number> {
    try {
      for (;;) {
        if (this.poller.isStopped) return LEASE_MS;
        const waiting = await claimReports(this.database, TOKEN_REPORTS_MAX, LEASE_MS);
        if (waiting.length === 0) return POLL_MS_MAX;
        await this.send(waiting);
      }
    } catch (error) {
      this.logger.warn(`Sending reports about push tokens failed; retrying: ${reasonOf(error)}`);
      return LEASE_MS;
    }
  }

  private async send(waiting: readonly WaitingReport[]): Promise<void> {
    try {
      await this.client.call(userTokens.report, systemContext(randomUUID()), { reports: waiting.map(({ report }) => report) });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid_request') throw error;
      // A refused report must not block the others.
      if (waiting.length > 1) {
        for (const one of waiting) await this.send([one]);
        return;
      }
      this.logger.error(`Identity refused a report about a push token; dropping it: ${error.message}`);
    }
    await deleteReports(this.database, waiting);
  }
}
