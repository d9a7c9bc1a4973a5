import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Injectable, Logger } from '@nestjs/common';
import { isTransientServiceError } from '@tidings/contracts/core/errors';
import { ClaimWorker } from '@tidings/jobs/claim-worker';
import { LeaseRenewer } from '@tidings/jobs/lease-renewer';
import { WorkTimes } from '@tidings/jobs/work-times';
import { publishAuditRecord } from '@tidings/persistence/audit-trail';
import { Database, type Transaction } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { Clock } from '@tidings/runtime/clock';
import { METRICS } from '@tidings/runtime/metric-table';
import { metrics } from '@tidings/runtime/metrics';
import { HistoryPublisher } from '../publish/history-publisher';
import { ERASED } from '../record/erased';
import { isStatusChange, messageUpdated } from './message-updated';
import { type CallResult, type Receiver, WebhookCaller } from './webhook-caller';
import { type ClaimedWebhook, type DeliveryResult, type DueDelivery, WebhookQueue } from './webhook-queue';
import { isFailingForGood, nextAttemptMs, pauseAfter } from './webhook-retries';
import { valid, WebhookSecrets } from './webhook-secrets';

/** Webhooks that a process calls concurrently, and calls of each of them: one whose receiver is slow delays no other. */
const WEBHOOKS_AT_ONCE_MAX = 64;
const CALLS_AT_ONCE_MAX = 16;
/** Commits within this time share a poll. */
const LINGER_MS = 20;
/** Until the next round of a webhook whose due deliveries all wait for others. */
const WAITING_MS = 1_000;

/** Each read of the gauge costs a statement. */
const METRICS_INTERVAL_MS = 5_000;

/** What became of a due delivery: the result of its call, or that it reports no change. */
type Attempted = { readonly row: DueDelivery; readonly call: CallResult } | { readonly row: DueDelivery; readonly isUnchanged: true };

/**
 * Posts the events of workspaces to their webhooks, at least once. One process at a time has a webhook, round by round: a round calls its
 * receiver for several messages at once, and for each message in the order of its events. While a receiver accepts nothing, a round has
 * one call, and rounds have growing pauses.
 */
@Injectable()
export class WebhookRunner {
  private readonly logger = new Logger(WebhookRunner.name);
  private readonly queue = new WebhookQueue(this.database, this.times.leaseMs);
  private readonly leases = new LeaseRenewer(this.queue, this.times);
  private readonly worker = new ClaimWorker(
    this.queue,
    WEBHOOKS_AT_ONCE_MAX,
    (claimed) => this.runRound(claimed).finally(() => this.scheduleIn(0)),
    this.times,
    'Claiming webhooks',
  );
  private readonly stopping = new AbortController();
  private endMetrics?: () => void;
  private readonly storeAuditRecord = publishAuditRecord(this.outbox);

  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly secrets: WebhookSecrets,
    private readonly caller: WebhookCaller,
    private readonly times: WorkTimes,
    private readonly clock: Clock,
    history: HistoryPublisher,
  ) {
    setMaxListeners(0, this.stopping.signal); // every call adds one
    history.onCommitted((workspaceIds) => {
      if (this.queue.concerns(workspaceIds)) this.scheduleIn(LINGER_MS);
    });
  }

  /** Starts calling receivers, also for events that an earlier process left. */
  start(): void {
    this.endMetrics ??= metrics.readValue(METRICS.webhookOldestDue, () => this.queue.oldestDueSeconds(), METRICS_INTERVAL_MS);
    this.scheduleIn(0);
  }

  /** Ends the calls in progress, which another process repeats, and claims no more webhooks. */
  async stop(): Promise<void> {
    this.endMetrics?.();
    this.stopping.abort();
    await this.worker.stop();
    await this.caller.close();
  }

  /** Polls here and in other processes after the commit: a webhook was created or resumed, or its deliveries became due. */
  changedWithin(tx: Transaction): void {
    tx.afterCommit(() => {
      this.queue.reload();
      this.scheduleIn(0);
      this.queue.wakeOthers();
    });
  }

  private scheduleIn(delayMs: number) {
    this.worker.scheduleIn(delayMs);
  }

  /** Never rejects. */
  private async runRound(claimed: ClaimedWebhook) {
    const { workspace_id: workspaceId, webhook_id: webhookId, queue_id: id, generation } = claimed;
    try {
      await this.leases.during([{ id, generation }], () => this.round(claimed));
    } catch (error) {
      this.logger.warn({ err: error, workspaceId, webhookId }, 'Calling a webhook failed');
      const delayMs = isTransientServiceError(error) ? this.times.retryMs : this.times.faultRetryMs;
      await this.endRound(claimed, [], delayMs).catch(() => undefined); // or else the lease runs out
    }
  }

  private async round(claimed: ClaimedWebhook) {
    const due = await this.queue.due(claimed, claimed.failures > 0 ? 1 : CALLS_AT_ONCE_MAX);
    const receiver = this.receiverOf(claimed);
    const messageIds = [...new Set(due.map(({ message_id: messageId }) => messageId))];
    const attempted = await Promise.all(
      messageIds.map((messageId) =>
        this.attemptInOrder(
          receiver,
          due.filter((row) => row.message_id === messageId),
        ),
      ),
    );
    await this.endRound(claimed, attempted.flat(), due.length > 0 ? 0 : WAITING_MS);
  }

  /** Attempts deliveries of one message, up to the first that has to be repeated. */
  private async attemptInOrder(receiver: Receiver | undefined, rows: readonly DueDelivery[]) {
    const attempted: Attempted[] = [];
    for (const row of rows) {
      const one = await this.attempt(receiver, row);
      attempted.push(one);
      if ('call' in one && (one.call.outcome === 'retry' || one.call.outcome === 'refused')) break;
    }
    return attempted;
  }

  /** Undefined where no key opens the secrets. */
  private receiverOf({ workspace_id: workspaceId, webhook_id: id, url, secrets, key_id: keyId }: ClaimedWebhook): Receiver | undefined {
    const opened = this.secrets.open({ workspaceId, id, secrets, keyId });
    return opened && { url, secrets: valid(opened, this.clock.now()).map(({ secret }) => secret) };
  }

  private async attempt(receiver: Receiver | undefined, row: DueDelivery): Promise<Attempted> {
    const { id, delivery_id: deliveryId, is_attempted: isAttempted } = row;
    if (id === null || row.recipient === ERASED) return { row, isUnchanged: true };
    if (!isAttempted && !isStatusChange(row, row.status)) return { row, isUnchanged: true };
    if (!receiver) return { row, call: { outcome: 'retry', durationMs: 0, error: 'No key of TIDINGS_SECRET_KEY opens the secret' } };
    const event = { type: 'message:updated', data: messageUpdated({ ...row, id }, row) };
    return { row, call: await this.caller.call(receiver, deliveryId, event, this.stopping.signal) };
  }

  /** @param delayMs until the next round, unless the receiver accepted nothing. */
  private async endRound(claimed: ClaimedWebhook, attempted: readonly Attempted[], delayMs: number) {
    // What was aborted stays due.
    const isAborted = (call: CallResult) => this.stopping.signal.aborted && call.outcome === 'retry';
    const calls = attempted.flatMap((one) => ('call' in one && !isAborted(one.call) ? [one] : []));
    const hasAccepted = calls.some(({ call }) => call.outcome === 'delivered');
    const failures = hasAccepted ? 0 : claimed.failures + (calls.length > 0 ? 1 : 0);
    const isPaused = !hasAccepted && calls.length > 0;
    const retryAfterMs = Math.max(0, ...calls.map(({ call }) => call.retryAfterMs ?? 0));
    const pauseMs = pauseAfter(failures, this.times.firstRetryMs);
    const round = {
      deliveries: calls.map(({ row, call }) => this.resultOf(row, call)),
      unchanged: attempted.flatMap((one) => ('isUnchanged' in one ? [one.row.delivery_id] : [])),
      failures,
      delayMs: Math.max(isPaused ? pauseMs : delayMs, retryAfterMs),
    };
    const refused = calls.find(({ call }) => call.outcome === 'refused')?.call.error;
    const lastError = calls.at(-1)?.call.error;
    await this.database.transaction(async (tx) => {
      const failingMs = await this.queue.endRound(tx, claimed, round);
      if (failingMs === undefined) return;
      if (refused !== undefined) await this.disable(tx, claimed, refused);
      else if (isPaused && isFailingForGood(failures, failingMs))
        await this.disable(tx, claimed, `Nothing was accepted for days: ${lastError}`);
    });
  }

  private resultOf({ delivery_id: id, attempts, age_ms: ageMs }: DueDelivery, call: CallResult): DeliveryResult {
    const { outcome, code, durationMs: duration_ms, error, retryAfterMs } = call;
    const attempt = { id, code, duration_ms, error };
    if (outcome === 'delivered') return { ...attempt, result: 'delivered' };
    const failed = { number: attempts + 1, ageMs, retryAfterMs };
    const delay_ms = outcome === 'retry' ? nextAttemptMs(failed, this.times.firstRetryMs) : undefined;
    return delay_ms === undefined ? { ...attempt, result: 'failed' } : { ...attempt, result: 'pending', delay_ms };
  }

  /** With an audit event of the system. */
  private async disable(tx: Transaction, claimed: ClaimedWebhook, reason: string) {
    if (!(await this.queue.disable(tx, claimed, reason))) return;
    const { workspace_id: workspaceId, webhook_id: targetId } = claimed;
    await this.storeAuditRecord(tx, {
      workspaceId,
      id: randomUUID(),
      at: new Date(this.clock.now()).toISOString(),
      type: 'webhook:disabled',
      operation: 'messaging.webhooks.disable',
      actor: { type: 'system', id: 'system' },
      targetId,
      before: ['state'],
      after: ['state', 'state_reason'],
    });
    this.logger.warn({ workspaceId, webhookId: targetId }, `A webhook was disabled: ${reason}`);
  }
}
