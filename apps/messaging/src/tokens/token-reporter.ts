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
import { claimReports, forgetReports, keepReports, type WaitingReport } from './token-report-store';

/** How long reports are left to one process; one that could not tell them tries again then. */
const LEASE_MS = 10_000;
/** Reports of a moment are told together. */
const LINGER_MS = 200;
/** Looked at again after this long at the latest, for reports of a process that died without a word. */
const LOOK_MS_MAX = 60_000;

/**
 * Tells identity what push services said of tokens, at least once: reports stand in the database until they are told. Nothing of the
 * delivery waits for it, and no token is written to the log.
 */
export class TokenReporter implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(TokenReporter.name);
  private readonly waker = new DuePoller(LOOK_MS_MAX, () => this.tellAll());

  constructor(
    private readonly database: Database,
    private readonly client: OperationClient,
  ) {}

  onApplicationBootstrap(): void {
    this.waker.scheduleIn(0);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.waker.stop();
  }

  /** Resolves when the reports are durable. Rejects while the database is away; what it refuses is given up, and said. */
  async keep(reports: readonly TokenReport[]): Promise<void> {
    if (reports.length === 0) return;
    try {
      await keepReports(this.database, reports);
      this.waker.scheduleIn(LINGER_MS);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      this.logger.error(`${reports.length} reports about push tokens cannot be stored: ${reasonOf(error)}`);
    }
  }

  /** Resolves with the ms until the next look. */
  private async tellAll(): Promise<number> {
    try {
      for (;;) {
        if (this.waker.isStopped) return LEASE_MS;
        const waiting = await claimReports(this.database, TOKEN_REPORTS_MAX, LEASE_MS);
        if (waiting.length === 0) return LOOK_MS_MAX;
        await this.tell(waiting);
      }
    } catch (error) {
      this.logger.warn(`Reports about push tokens wait to be told: ${reasonOf(error)}`);
      return LEASE_MS;
    }
  }

  private async tell(waiting: readonly WaitingReport[]): Promise<void> {
    try {
      await this.client.call(userTokens.report, systemContext(randomUUID()), { reports: waiting.map(({ report }) => report) });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid_request') throw error;
      // The others must not wait for one that is refused.
      if (waiting.length > 1) {
        for (const one of waiting) await this.tell([one]);
        return;
      }
      this.logger.error(`A report about a push token is refused: ${error.message}`);
    }
    await forgetReports(this.database, waiting);
  }
}
