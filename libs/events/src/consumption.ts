import { Logger } from '@nestjs/common';
import { waitForRetry } from '@tidings/contracts/core/retry-delay';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { reasonOf } from '@tidings/persistence/errors';
import type { Subscription } from './event-log';
import { BatchInterrupted, type BatchHandling, handleBatch, type ReadRecord } from './handle-batch';

/** How long a stop waits for a handler before it aborts the handler's signal, and how long afterwards. */
const STOP_GRACE_MS = 10_000;
const ABORT_GRACE_MS = 1_000;
const RETRY_DELAY_MS_MAX = 2_000;

const logger = new Logger('EventLog');

/** Records that this member may handle now. */
export interface SourceBatch extends Pick<BatchHandling, 'onHandled' | 'revoked'> {
  /** May be empty: the source was read without an error. */
  records: readonly ReadRecord[];
}

/** Where a member of a group gets its records: it knows which are the member's own, waits for new ones, and commits progress. */
export interface GroupSource extends Pick<Subscription, 'hasHandledUpTo'> {
  /** For log lines. */
  readonly name: string;
  /**
   * Batches until the right to work is lost or `stopping` is aborted; then read again from the committed progress. The next batch is
   * read when the previous one has ended; records of it that were not reported as handled are delivered again.
   * @param abandoned aborts when a handler did not end in time.
   */
  batches(stopping: AbortSignal, abandoned: AbortSignal): AsyncIterable<SourceBatch>;
  /** Commits the last progress and leaves the group. */
  leave(): Promise<void>;
}

/** A member of a group: handles one batch of its source after the other. */
export class Consumption implements Subscription {
  private readonly stopping = new AbortController();
  private readonly abandoned = new AbortController();
  private readonly working = this.work();
  private stopped?: Promise<void>;

  constructor(
    private readonly source: GroupSource,
    private readonly handling: Pick<BatchHandling, 'handler' | 'onDead' | 'putDeadLetter'>,
  ) {}

  hasHandledUpTo(time: number) {
    return this.source.hasHandledUpTo(time);
  }

  stop() {
    return (this.stopped ??= this.finish());
  }

  private async finish() {
    this.stopping.abort();
    if (!(await withTimeout(STOP_GRACE_MS, this.working))) {
      logger.error(`${this.source.name}: the handler did not finish within ${STOP_GRACE_MS} ms; aborting it`);
      this.abandoned.abort();
      await withTimeout(ABORT_GRACE_MS, this.working);
    }
    await this.source.leave();
  }

  private async work() {
    const stopping = this.stopping.signal;
    for (let failures = 1; !stopping.aborted; failures++) {
      try {
        for await (const batch of this.source.batches(stopping, this.abandoned.signal)) {
          failures = 0;
          await this.handle(batch);
        }
      } catch (error) {
        logger.error(`${this.source.name}: reading or handling failed; retrying: ${reasonOf(error)}`);
      }
      await waitForRetry(failures + 1, RETRY_DELAY_MS_MAX, stopping);
    }
  }

  private async handle({ records, onHandled, revoked }: SourceBatch) {
    try {
      await handleBatch(records, { ...this.handling, onHandled, revoked, stopping: this.stopping.signal });
    } catch (error) {
      if (!(error instanceof BatchInterrupted)) throw error;
    }
  }
}
