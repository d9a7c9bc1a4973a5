import { Inject, Injectable } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { MessageDetails } from '@tidings/contracts/messaging/messages';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, type Queryable } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { HistoryPublisher } from '../publishing/history-publisher';
import { type MessageRow, RECORD, toMessageRecord } from '../store/message-row';
import { RequestCancellationSweeper } from './request-cancellation.sweeper';
import { cancelNextMessages, type RequestCancellation } from './request-cancellations';
import { factsFrom, recordOfSent } from './request-record';

/** How long a call cancels messages before the sweeper continues: shorter than the caller's timeout, including the look-up before it. */
const CALL_MS = 5_000;

/** Cancels requests to several recipients: ends their expansion and cancels the messages that were not sent. */
@Injectable()
export class RequestCanceling {
  constructor(
    private readonly database: Database,
    private readonly journal: CallJournal,
    private readonly history: HistoryPublisher,
    private readonly sweeper: RequestCancellationSweeper,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * Resolves with the record of the request and how many of its messages were canceled.
   * @throws ServiceError `conflict` with the record where nothing is left to cancel, `not_found`, `unavailable` while messages are being
   * sent.
   */
  async cancel(context: CallContext, uuid: string): Promise<MessageDetails> {
    const { workspaceId } = context;
    const startedBy = context.keyedCall?.id ?? context.callId;
    const end = performance.now() + CALL_MS;
    let hasCanceled = false;
    let cancellation: RequestCancellation;
    do {
      const step = await cancelNextMessages(this.database, { workspaceId, uuid, startedBy, nowMs: this.clock.now() });
      hasCanceled ||= step.hasCanceled;
      cancellation = step.cancellation;
      this.history.committed();
    } while (!cancellation.finished && performance.now() < end);
    if (!cancellation.finished) await this.sweeper.handOver(workspaceId, uuid);

    // A call that is delivered twice answers alike, even if the sweeper continued the cancellation that it started.
    const isOwn = hasCanceled || (cancellation.started_by === startedBy && cancellation.has_effect);
    return this.journal.once(context, async (tx) => {
      const record = await recordOf(tx, { workspaceId, uuid, cancellation });
      if (isOwn) return record;
      const state = cancellation.has_effect ? 'is canceled already' : 'has nothing left to cancel';
      throw new ServiceError('conflict', `Request ${record.id} ${state}`, { shouldRetry: false, answer: record });
    });
  }
}

async function recordOf(
  tx: Queryable,
  { workspaceId, uuid, cancellation }: { workspaceId: string; uuid: string; cancellation: RequestCancellation },
): Promise<MessageDetails> {
  const { canceled, too_late: left, after_id: messageUuid } = cancellation;
  const [row] = await tx.query<MessageRow>(RECORD, [workspaceId, uuid]);
  if (row) return { ...toMessageRecord(row), canceled, left };
  const facts = await factsFrom(tx, { workspaceId, uuid, messageUuid });
  if (!facts) throw new ServiceError('not_found', `Message ${uuidToMessageId(uuid)} does not exist`);
  return { ...recordOfSent(facts), canceled, left };
}
