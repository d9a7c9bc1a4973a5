import { Inject, Injectable } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { MessageDetails } from '@tidings/contracts/messaging/messages';
import { CallJournal } from '@tidings/persistence/call-journal';
import { type Queryable, statement } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { HistoryPublisher } from '../publishing/history-publisher';
import { cancelMessage } from '../store/cancel-store';
import { retryOnConflict } from '../store/concurrent-update';
import { type MessageRow, RECORD_COLUMNS, toMessageRecord } from '../store/message-row';

/** How often it is begun again when the message takes a step meanwhile. Messages take few, and not one after the other. */
const BEGIN_MAX = 5;

const MESSAGE = statement('messaging.canceled_message', `select ${RECORD_COLUMNS} from messages where workspace_id = $1 and id = $2`);

/** Cancels messages. */
@Injectable()
export class Cancellation {
  constructor(
    private readonly journal: CallJournal,
    private readonly history: HistoryPublisher,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** Either nothing is sent of message `uuid` any more, and its record says so, or it is too late: `conflict` with the record. */
  async cancel(context: CallContext, uuid: string): Promise<MessageDetails> {
    const record = await retryOnConflict(BEGIN_MAX, () => this.journal.once(context, (tx) => this.cancelIn(tx, context.workspaceId, uuid)));
    if (record === 'changed meanwhile') throw unavailable(`Message ${uuidToMessageId(uuid)} is being sent just now`);
    this.history.committed();
    return record;
  }

  private async cancelIn(tx: Queryable, workspaceId: string, uuid: string): Promise<MessageDetails> {
    const nowMs = this.clock.now();
    const canceling = await cancelMessage(tx, { workspaceId, uuid, nowMs });
    const [row] = await tx.query<MessageRow>(MESSAGE, [workspaceId, uuid]);
    if (!row) throw new ServiceError('not_found', `Message ${uuidToMessageId(uuid)} does not exist`);
    const record = toMessageRecord(row);
    if (canceling === 'canceled') return record;
    const why = record.status === 'CANCELED' ? 'is canceled already' : `is ${record.status}: it is too late to cancel it`;
    throw new ServiceError('conflict', `Message ${record.id} ${why}`, { shouldRetry: false, answer: record });
  }
}
