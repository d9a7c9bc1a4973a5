import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { Database } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import { Outbox } from '@tidings/persistence/outbox';
import { ANNOUNCED_MAX, announcePage } from './announce-page';
import { isOutboxBacklogged } from './backlog';
import { buildPage, type Progress, switchVersion } from './build-page';
import { removeDiscarded } from './discards';
import { type Claim, claimRebuild, releaseRebuild } from './rebuild-queue';
import { RebuildBackoff } from './rebuild-backoff';
import { lookAtMembers, lookAtPeople } from './statistics';

export interface RebuildOptions {
  /** After so long without a page the worker is taken for dead, and another one goes on where it was. In ms. */
  leaseMs: number;
  /** How often is looked for what nobody told of: what a dead worker left. In ms. */
  sweepMs: number;
  /** People of one page. */
  pageSize: number;
}

export const REBUILD_OPTIONS: RebuildOptions = { leaseMs: 10_000, sweepMs: 5_000, pageSize: 2_000 };

/** How long one rebuild is worked at while others may be waiting. */
const TURN_MS = 500;

/** How long what was told has to be published before more of it is looked at. */
const BEHIND_MS = 200;

const logger = new Logger('Audiences');

/**
 * Determines the members of audiences whose filter changed, page by page, in turns. Any number of processes may do so: one
 * rebuild is one worker's at a time, and what a worker does that was taken for dead has no effect.
 */
@Injectable()
export class RebuildWorker {
  private readonly holder = randomUUID();
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private again = false;
  private readonly setbacks = new RebuildBackoff();

  constructor(
    private readonly db: Database,
    private readonly outbox: Outbox,
    private readonly options: RebuildOptions,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.wake(), this.options.sweepMs).unref();
    this.wake();
  }

  /** There may be something to do. */
  wake(): void {
    if (this.stopping.signal.aborted) return;
    if (this.running) {
      this.again = true;
      return;
    }
    this.running = this.run()
      .catch((error: unknown) => logger.warn(`Members of audiences are determined later: ${reasonOf(error)}`))
      .finally(() => {
        this.running = undefined;
        if (!this.again) return;
        this.again = false;
        this.wake();
      });
  }

  /** Finishes the page in hand and leaves the rest to others. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.running;
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const claim = await claimRebuild(this.db, this.holder, this.options.leaseMs);
      if (claim) await this.tryTurn(claim);
      else if (!(await removeDiscarded(this.db))) return;
    }
  }

  /** What fails is put off, and does not keep the others waiting. */
  private async tryTurn(claim: Claim): Promise<void> {
    try {
      await this.takeTurn(claim);
    } catch (error) {
      const isTooSlow = error instanceof ServiceError && error.code === 'deadline_exceeded';
      const delayMs = this.setbacks.add(claim.membership, isTooSlow);
      const { workspaceId, audienceId } = claim;
      logger.warn(`Members of the audience ${audienceId} of ${workspaceId} are determined in ${Math.ceil(delayMs)} ms: ${reasonOf(error)}`);
      await this.postpone(claim, delayMs);
    }
  }

  private async takeTurn(claim: Claim): Promise<void> {
    const until = performance.now() + TURN_MS;
    let current = claim;
    if (claim.phase === 'building' && claim.checkpoint === '') await lookAtPeople(this.db);
    while (!this.stopped && performance.now() < until) {
      if (current.phase === 'announcing' && (await isOutboxBacklogged(this.db, current))) return this.postpone(current, BEHIND_MS);
      const progress = await this.doPage(current);
      this.setbacks.reset(claim.membership);
      if (progress === 'lost' || (progress === 'done' && current.phase === 'announcing')) return;
      if (progress !== 'done') current = { ...current, checkpoint: progress.checkpoint };
      else if (await this.serve(current)) current = { ...current, phase: 'announcing', checkpoint: '' };
      else return;
    }
    await releaseRebuild(this.db, current);
  }

  private async postpone(claim: Claim, delayMs: number): Promise<void> {
    await releaseRebuild(this.db, claim, delayMs);
    setTimeout(() => this.wake(), delayMs).unref();
  }

  private async serve(claim: Claim): Promise<boolean> {
    await lookAtMembers(this.db, claim);
    return switchVersion(this.db, claim, this.options.leaseMs);
  }

  private doPage(claim: Claim): Promise<Progress> {
    const { leaseMs } = this.options;
    const sizeOf = (size: number): number => this.setbacks.pageSize(claim.membership, size);
    if (claim.phase === 'building') return buildPage(this.db, claim, sizeOf(this.options.pageSize), leaseMs);
    return announcePage(this.db, this.outbox, claim, leaseMs, sizeOf(ANNOUNCED_MAX));
  }
}
