import { Inject, Injectable } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { MessageDetails } from '@tidings/contracts/messaging/messages';
import { CallJournal } from '@tidings/persistence/call-journal';
import type { Queryable } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { HistoryPublisher } from '../publishing/history-publisher';
import { cancelMessage } from '../store/cancel-store';
import { retryOnConflict } from '../store/concurrent-update';
import { type MessageRow, RECORD, toMessageRecord } from '../store/message-row';

/** Attempts at most while steps of the message are stored at the same time. Messages have few steps, with pauses between them. */
const ATTEMPTS_MAX = 5;

/** Cancels messages. */
@Injectable()
export class Cancellation {
  constructor(
    private readonly journal: CallJournal,
    private readonly history: HistoryPublisher,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * Cancels message `uuid`; resolves with its record. Nothing more is sent of it then.
   * @throws ServiceError `conflict` with the record when it is too late or canceled already, `not_found`, `unavailable` while it is being
   * sent.
   */
  async cancel(context: CallContext, uuid: string): Promise<MessageDetails> {
    const record = await retryOnConflict(ATTEMPTS_MAX, () =>
      this.journal.once(context, (tx) => this.cancelIn(tx, context.workspaceId, uuid)),
    );
    if (record === 'conflict') throw unavailable(`Message ${uuidToMessageId(uuid)} is being sent now; retry`);
    this.history.committed();
    return record;
  }

  private async cancelIn(tx: Queryable, workspaceId: string, uuid: string): Promise<MessageDetails> {
    const nowMs = this.clock.now();
    const canceling = await cancelMessage(tx, { workspaceId, uuid, nowMs });
    const [row] = await tx.query<MessageRow>(RECORD, [workspaceId, uuid]);
    if (!row) throw new ServiceError('not_found', `Message ${uuidToMessageId(uuid)} does not exist`);
    const record = toMessageRecord(row);
    if (canceling === 'canceled') return record;
    const why = record.status === 'CANCELED' ? 'is canceled already' : `is ${record.status}: it is too late to cancel it`;
    throw new ServiceError('conflict', `Message ${record.id} ${why}`, { shouldRetry: false, answer: record });
  }
}
