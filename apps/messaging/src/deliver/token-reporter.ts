import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { TOKEN_REPORTS_MAX, type TokenReport, userTokens } from '@tidings/contracts/identity/user-tokens';
import { Sweeper } from '@tidings/jobs/sweeper';
import { Database, statement } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import { OperationClient } from '@tidings/rpc/operation-client';

/** Lease of claimed reports; a process that could not send them retries after it. */
const LEASE_MS = 10_000;
/** Reports stored within this time are sent together. */
const LINGER_MS = 200;
/** Longest pause between two polls, for reports of a process that died. */
const POLL_MS_MAX = 60_000;

/** A stored report that was not sent yet. */
interface WaitingReport {
  readonly sequence: string;
  readonly report: TokenReport;
}

// SQL because reports are inserted, claimed with skip locked and deleted in batches.
const INSERT = statement(
  'messaging.insert_token_reports',
  'insert into token_reports (report) select * from json_array_elements($1::json)',
);

const CLAIM = statement(
  'messaging.claim_token_reports',
  `with due as materialized (
     select sequence from token_reports where due_at <= clock_timestamp() order by due_at limit $1 for update skip locked
   )
   update token_reports set due_at = clock_timestamp() + $2 * interval '1 millisecond' from due
   where token_reports.sequence = due.sequence
   returning token_reports.sequence, token_reports.report`,
);

const DELETE = statement('messaging.delete_token_reports', 'delete from token_reports where sequence = any($1::bigint[])');

/**
 * Reports the results of push services about tokens to identity, at least once: reports stay in the database until they are sent.
 * Deliveries do not wait for it, and no token is logged.
 */
@Injectable()
export class TokenReporter extends Sweeper {
  private readonly logger = new Logger(TokenReporter.name);

  constructor(
    private readonly database: Database,
    private readonly client: OperationClient,
  ) {
    super({ queue: 'messaging.token_reports', what: 'Sending reports about push tokens', intervalMs: POLL_MS_MAX, retryMs: LEASE_MS });
  }

  /** Resolves when the reports are durable. Rejects while the database is unavailable; reports that it refuses are logged and dropped. */
  async store(reports: readonly TokenReport[]): Promise<void> {
    if (reports.length === 0) return;
    try {
      await this.database.execute(INSERT, [JSON.stringify(reports)]);
      this.wake(LINGER_MS);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      this.logger.error(`Storing ${reports.length} reports about push tokens failed; dropping them: ${reasonOf(error)}`);
    }
  }

  /** Sends the reports that are due, up to the limit of a call. */
  protected async step(): Promise<boolean> {
    const waiting = await this.database.query<WaitingReport>(CLAIM, [TOKEN_REPORTS_MAX, LEASE_MS]);
    if (waiting.length > 0) await this.send(waiting);
    return waiting.length > 0;
  }

  private async send(waiting: readonly WaitingReport[]) {
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
    await this.database.execute(DELETE, [waiting.map(({ sequence }) => sequence)]);
  }
}
