import { Injectable } from '@nestjs/common';
import { Database } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
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
    this.history.committed();
    const dueMs = earliest(steps.flatMap(({ open }) => open?.dueMs ?? []));
    if (dueMs !== undefined) this.openMessages.notifyDueIn(dueMs - this.clock.now());
  }
}
