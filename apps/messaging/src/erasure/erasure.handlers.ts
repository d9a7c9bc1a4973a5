import { setTimeout as delay } from 'node:timers/promises';
import type { CallContext } from '@tidings/contracts/core/context';
import type { ErasedUser, EraseUser } from '@tidings/contracts/identity/erasure';
import { invalid } from '@tidings/contracts/core/refusals';
import { messagingErasure } from '@tidings/contracts/messaging/erasure';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { Database } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { Clock } from '@tidings/runtime/clock';
import { HistoryPublisher } from '../publishing/history-publisher';
import { Router } from '../routing/router';
import { type Canceling, cancelMessage, retryOnConflict } from '../store/cancel-store';
import { eraseFromBulkJobs, eraseFromExpansions, eraseMessage, interruptExpansions, messagesOf } from './erase-store';
import { isErased } from './erased';

/** Messages of one step, a transaction each. */
export const STEP_MESSAGES = 50;
/** Attempts of a message while its steps are stored at the same time; then the next step of the erasure retries. */
const ATTEMPTS_MAX = 3;
/** How long a step waits until everything accepted before it is routed. */
const ROUTED_WAIT_MS = 2_000;
const ROUTED_POLL_MS = 100;

/**
 * Erases a recipient and the content from their messages. A message keeps its id, its times and its status, without recipient. A step has
 * no stored progress: it erases what is left, so any caller can repeat or continue it.
 */
@Handles(messagingErasure)
export class ErasureHandlers {
  constructor(
    private readonly database: Database,
    private readonly router: Router,
    private readonly history: HistoryPublisher,
    private readonly clock: Clock,
  ) {}

  async erase({ workspaceId }: CallContext, { user_id: userId }: EraseUser): Promise<ErasedUser> {
    if (isErased(userId)) throw invalid(`user_id ${userId} stands for erased users and cannot be erased itself`);

    const startedAt = this.clock.now();
    const requests = await this.eraseFromRequests(workspaceId, userId);
    const bulk_users = await eraseFromBulkJobs(this.database, workspaceId, userId);
    const uuids = await messagesOf(this.database, workspaceId, userId, STEP_MESSAGES);
    await this.history.forget(workspaceId, uuids.map(uuidToMessageId));
    const removed = { requests, bulk_users, canceled: 0, messages: 0 };
    for (const uuid of uuids) {
      const outcome = await this.eraseOne(workspaceId, uuid);
      if (outcome === 'conflict') continue;
      removed.messages += 1;
      if (outcome === 'canceled') removed.canceled += 1;
    }
    this.history.committed();
    const hasFound = uuids.length > 0 || requests > 0 || bulk_users > 0;
    const done = !hasFound && (await this.isAllRouted(startedAt)) && (await this.hasNone(workspaceId, userId));
    return { done, removed };
  }

  private eraseFromRequests(workspaceId: string, userId: string): Promise<number> {
    return this.database.transaction((tx) => eraseFromExpansions(tx, workspaceId, userId));
  }

  private eraseOne(workspaceId: string, uuid: string): Promise<Canceling | 'conflict'> {
    const message = { workspaceId, uuid, nowMs: this.clock.now() };
    return retryOnConflict(ATTEMPTS_MAX, () =>
      this.database.transaction(async (tx) => {
        const canceling = await cancelMessage(tx, message, { force: true });
        await eraseMessage(tx, workspaceId, uuid);
        return canceling;
      }),
    );
  }

  /** Whether everything accepted before `startedAt` is stored; waits up to `ROUTED_WAIT_MS`. */
  private async isAllRouted(startedAt: number): Promise<boolean> {
    const end = this.clock.now() + ROUTED_WAIT_MS;
    do {
      if (await this.router.hasRoutedUpTo(startedAt)) return true;
      await delay(ROUTED_POLL_MS);
    } while (this.clock.now() < end);
    return false;
  }

  /** Whether no data is left, also of messages routed meanwhile, and none can follow from expansions under way. */
  private async hasNone(workspaceId: string, userId: string): Promise<boolean> {
    if ((await this.eraseFromRequests(workspaceId, userId)) > 0) return false;
    await interruptExpansions(this.database, workspaceId);
    return (await messagesOf(this.database, workspaceId, userId, 1)).length === 0;
  }
}
