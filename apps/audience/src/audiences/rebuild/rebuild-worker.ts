import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { Sweeper } from '@tidings/jobs/sweeper';
import { claimMetrics } from '@tidings/jobs/work-metrics';
import { Database } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import { Outbox } from '@tidings/persistence/outbox';
import { ANNOUNCED_MAX, announcePage } from './announce-page';
import { isOutboxBacklogged } from './backlog';
import { buildPage, type Progress, switchVersion } from './build-page';
import { removeDiscarded } from './discards';
import { type Claim, claimRebuild, releaseRebuild } from './rebuild-queue';
import { RebuildBackoff } from './rebuild-backoff';
import { analyzeMembers, analyzePeople } from './statistics';

/** Times and page size of the rebuilds of audiences. */
export interface RebuildOptions {
  /** Lease of a rebuild, in ms; each page renews it. After it another worker continues at the checkpoint. */
  leaseMs: number;
  /** Poll interval for due rebuilds, such as those of dead workers, in ms. */
  sweepMs: number;
  /** People of one page. */
  pageSize: number;
}

/** Injects the options of the process. */
export const REBUILD_OPTIONS_TOKEN = Symbol('RebuildOptions');

export const REBUILD_OPTIONS: RebuildOptions = { leaseMs: 10_000, sweepMs: 5_000, pageSize: 2_000 };

/** Time slice of one rebuild before others that are due, in ms. */
const SLICE_MS = 500;

/** Pause of a rebuild while its events wait in the outbox, in ms. */
const BACKLOG_PAUSE_MS = 200;

const QUEUE = 'audience.rebuilds';
const logger = new Logger('Audiences');

/**
 * Computes the members of audiences whose filter changed, page by page, in time slices. Any number of processes may run it: one
 * worker at a time has the lease of a rebuild, and statements of a worker that lost its lease have no effect.
 */
@Injectable()
export class RebuildWorker extends Sweeper {
  private readonly holder = randomUUID();
  private readonly backoff = new RebuildBackoff();
  private readonly claims = claimMetrics(QUEUE);

  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    @Inject(REBUILD_OPTIONS_TOKEN) private readonly options: RebuildOptions,
  ) {
    super({ queue: QUEUE, what: 'Rebuilding audiences', intervalMs: options.sweepMs });
  }

  /** One time slice of the rebuild that has waited longest; without one, the rows of a discarded membership. */
  protected async step(): Promise<boolean | 'failed'> {
    const claim = await claimRebuild(this.database, this.holder, this.options.leaseMs);
    if (!claim) return removeDiscarded(this.database);
    this.claims.claim([claim]);
    return this.trySlice(claim);
  }

  /** Postpones a failing rebuild, so that it does not delay others. */
  private async trySlice(claim: Claim) {
    try {
      await this.runSlice(claim);
      return true;
    } catch (error) {
      const isTooSlow = error instanceof ServiceError && error.code === 'deadline_exceeded';
      const delayMs = this.backoff.add(claim.membership, isTooSlow);
      const { workspaceId, audienceId } = claim;
      logger.warn(`Rebuild of audience ${audienceId} of ${workspaceId} failed; retrying in ${Math.ceil(delayMs)} ms: ${reasonOf(error)}`);
      await this.postpone(claim, delayMs);
      return 'failed';
    }
  }

  private async runSlice(claim: Claim): Promise<void> {
    const until = performance.now() + SLICE_MS;
    let current = claim;
    if (claim.phase === 'building' && claim.checkpoint === '') await analyzePeople(this.database);
    while (!this.stopping && performance.now() < until) {
      if (current.phase === 'announcing' && (await isOutboxBacklogged(this.database, current)))
        return this.postpone(current, BACKLOG_PAUSE_MS);
      const progress = await this.doPage(current);
      this.backoff.reset(claim.membership);
      if (progress === 'lost' || (progress === 'done' && current.phase === 'announcing')) return;
      if (progress !== 'done') current = { ...current, checkpoint: progress.checkpoint };
      else if (await this.serve(current)) current = { ...current, phase: 'announcing', checkpoint: '' };
      else return;
    }
    await releaseRebuild(this.database, current);
  }

  private async postpone(claim: Claim, delayMs: number): Promise<void> {
    await releaseRebuild(this.database, claim, delayMs);
    this.wake(delayMs);
  }

  private async serve(claim: Claim): Promise<boolean> {
    await analyzeMembers(this.database, claim);
    return switchVersion(this.database, claim, this.options.leaseMs);
  }

  private doPage(claim: Claim): Promise<Progress> {
    const { leaseMs } = this.options;
    const sizeOf = (size: number): number => this.backoff.pageSize(claim.membership, size);
    if (claim.phase === 'building') return buildPage(this.database, claim, sizeOf(this.options.pageSize), leaseMs);
    return announcePage(this.database, this.outbox, claim, leaseMs, sizeOf(ANNOUNCED_MAX));
  }
}
