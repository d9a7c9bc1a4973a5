import { Injectable, Logger } from '@nestjs/common';
import { isTransientServiceError } from '@tidings/contracts/core/errors';
import { requireMessageUuid, uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { BatchSize } from '@tidings/jobs/batch-size';
import { ClaimWorker } from '@tidings/jobs/claim-worker';
import { DuePoller } from '@tidings/jobs/due-poller';
import { type Claim, LeaseRenewer } from '@tidings/jobs/lease-renewer';
import { WorkTimes } from '@tidings/jobs/work-times';
import { Database } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { systemTimers } from '@tidings/runtime/timers';
import { eventOf, loadedProfiles, storedRequest } from '../record/stored-events';
import { OpenMessages, type ClaimedRow } from '../record/open-store';
import { escalated, unmet } from '../record/routing-tree';
import { OpenMessagesNotifier } from '../record/notifiers';
import type { PipelineItem } from '../plan/plan';
import { Processor } from '../deliver/processor';

/** Messages claimed in one batch. */
const BATCH_MAX = 200;
/** Messages rendered concurrently on pool threads. */
const APART_MAX = 8;

/** An open message that this process claimed. */
type ClaimedItem = PipelineItem & Required<Pick<PipelineItem, 'claimed'>>;

/** Claims and processes due open messages: delayed, parked or escalating ones, and long renderings on pool threads. */
@Injectable()
export class OpenMessagesRunner {
  private readonly logger = new Logger(OpenMessagesRunner.name);
  private readonly quick = new OpenMessages(this.database, 'together', this.times.leaseMs);
  private readonly apart = new OpenMessages(this.database, 'apart', this.times.leaseMs);
  private readonly slow = new ClaimWorker(
    this.apart,
    APART_MAX,
    (row) => this.processApart(row),
    this.times,
    'Claiming open messages with long renderings',
  );
  private readonly leases = new LeaseRenewer(this.quick, this.times);
  private readonly leasesApart = new LeaseRenewer(this.apart, this.times);
  private readonly quickPoller = new DuePoller(this.times, 'Processing open messages', () => this.runQuick(), systemTimers, this.quick);
  private readonly batch = new BatchSize(BATCH_MAX);

  constructor(
    private readonly database: Database,
    private readonly processor: Processor,
    notifier: OpenMessagesNotifier,
    private readonly clock: Clock,
    private readonly times: WorkTimes,
  ) {
    notifier.listen((delayMs) => this.scheduleIn(delayMs));
  }

  /** Starts claiming messages, also those that an earlier process left. */
  start(): void {
    this.scheduleIn(0);
  }

  /** Claims no more messages; resolves when the steps of claimed ones are stored. */
  async stop(): Promise<void> {
    await Promise.all([this.quickPoller.stop(), this.slow.stop()]);
    // The last quick poll may have ended messages with inconsistent states.
    await this.slow.stop();
    await this.quick.leave();
  }

  private scheduleIn(delayMs: number) {
    this.quickPoller.scheduleIn(delayMs);
    this.slow.scheduleIn(delayMs);
  }

  private async runQuick() {
    for (;;) {
      if (this.quickPoller.isStopped) return undefined;
      const limit = this.batch.current;
      const rows = await this.batch.during(() => this.quick.claim(limit));
      const items = this.itemsOf(rows);
      if (items.length > 0) await this.leases.during(items.map(claimOf), () => this.processor.processEach(items));
      if (rows.length < limit) return this.quick.nextDueMs();
    }
  }

  /**
   * Each message continues as soon as it is rendered, so a slow one does not delay the others. A permanent error ends it; after a transient
   * one it is claimed again when its lease is over.
   */
  private async processApart(row: ClaimedRow) {
    const [item] = this.itemsOf([row]);
    if (!item) return;
    try {
      await this.leasesApart.during([claimOf(item)], () => this.processor.processApart(item));
    } catch (error) {
      this.logger.warn({ err: error, messageId: item.request.id }, 'Processing an open message failed');
      if (!isTransientServiceError(error)) await this.fail(item, error);
    }
  }

  /** Ends a message. Never rejects: a message whose end cannot be stored is claimed again when its lease is over. */
  private fail(item: PipelineItem, error?: unknown) {
    return this.processor.fail(item, error).catch((again: unknown) => {
      this.logger.error({ err: again, messageId: item.request.id }, 'Storing the terminal failure of an open message failed');
    });
  }

  private itemsOf(rows: readonly ClaimedRow[]) {
    return rows.flatMap((row) => {
      try {
        return [toItem(row, this.clock.now())];
      } catch (error) {
        this.logger.error({ err: error, messageId: row.message_id }, 'Stored open message is inconsistent; it ends as UNDELIVERABLE');
        // It would fail in the same way after every claim.
        this.slow.track(this.fail(emptyItem(row)));
        return [];
      }
    });
  }
}

/** A message whose stored request cannot be read. */
function emptyItem({ workspace_id: workspaceId, message_id, generation, stage, status, state: { tree, records = [] } }: ClaimedRow) {
  const ids = { workspaceId, id: uuidToMessageId(message_id), recipient: '', requestedAt: 0 };
  const request = { ...ids, mode: 'production' as const, profile: {}, data: {}, event: '', tags: [] };
  const routed = tree && { tree, records, profiles: { stored: {}, merged: {} } };
  return { request, claimed: { generation, stage, status, isDue: true, routed } };
}

function claimOf({ request, claimed }: ClaimedItem): Claim {
  return { id: requireMessageUuid(request.id), generation: claimed.generation };
}

function toItem({ workspace_id, message_id, stage, generation, state, status, steps }: ClaimedRow, nowMs: number) {
  const id = uuidToMessageId(message_id);
  const events = steps.flat();
  const request = storedRequest(workspace_id, id, eventOf(id, events, 'ENQUEUED'));
  const { tree, records = [], isDue = stage === 'delayed' } = state;
  const claimed = { generation, stage, status, isDue };
  if (!tree) return { request, claimed };
  const { merged_profile, stored_profile } = loadedProfiles(eventOf(id, events, 'PROFILE_LOADED'), request.profile);
  const profiles = { stored: stored_profile, merged: merged_profile };
  const escalation = unmet(state.escalation, status);
  const now = escalated(tree, escalation, nowMs);
  const isEscalating = now.states.some((state, leaf) => state !== tree.states[leaf]);
  return { request, claimed: { ...claimed, routed: { tree: now, records, profiles, escalation, isEscalating } } };
}
