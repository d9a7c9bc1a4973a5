import { Injectable } from '@nestjs/common';
import { Database } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { MessageCounts } from '../statistics/message-counts';
import { HistoryPublisher } from '../publish/history-publisher';
import { OpenMessagesNotifier, StoredMessageNotifier } from '../record/notifiers';
import { RenderingBases } from '../record/rendering-bases';
import { earliest } from '../record/routing-tree';
import type { RenderingBase } from '../record/short-email';
import { type MessageStep, storeSteps } from '../record/step-store';

/** Stores steps of messages, and notifies those who wait for them. */
@Injectable()
export class StepWriter {
  constructor(
    private readonly database: Database,
    private readonly bases: RenderingBases,
    private readonly storedMessages: StoredMessageNotifier,
    private readonly history: HistoryPublisher,
    private readonly openMessages: OpenMessagesNotifier,
    private readonly clock: Clock,
    private readonly counts: MessageCounts,
  ) {}

  /**
   * Resolves with the ids (uuid) of the messages whose step was stored. Where it rejects, the steps may be stored nevertheless.
   * @param bases those of the e-mails of these steps.
   */
  async store(steps: readonly MessageStep[], bases: readonly RenderingBase[]): Promise<Set<string>> {
    try {
      await this.bases.store(bases);
      const stored = await storeSteps(this.database, steps, this.clock.now());
      if (stored.size > 0) this.notify(stored, steps);
      return stored;
    } catch (error) {
      this.bases.forgetStored();
      throw error;
    }
  }

  private notify(stored: ReadonlySet<string>, steps: readonly MessageStep[]) {
    this.storedMessages.notifyStored(stored);
    for (const step of steps) if (stored.has(step.uuid)) this.count(step);
    this.history.committed(steps.map(({ workspaceId }) => workspaceId));
    const dueMs = earliest(steps.flatMap(({ open }) => open?.dueMs ?? []));
    if (dueMs !== undefined) this.openMessages.notifyDueIn(dueMs - this.clock.now());
  }

  private count({ workspaceId, generation, before, status: after, at: atMs, enqueued_at: sinceMs = atMs }: MessageStep) {
    if (generation === undefined) this.counts.countAccepted(workspaceId, sinceMs);
    this.counts.countChange({ workspaceId, before, after, atMs, sinceMs });
  }
}
