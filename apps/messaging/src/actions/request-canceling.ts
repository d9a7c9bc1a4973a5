import { Inject, Injectable } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { MessageDetails } from '@tidings/contracts/messaging/messages';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, type Queryable, statement } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { HistoryPublisher } from '../publishing/history-publisher';
import { type MessageRow, RECORD_COLUMNS, toMessageRecord } from '../store/message-row';
import { RequestCancellationSweeper } from './request-cancellation.sweeper';
import { cancelNextMessages, type RequestCancellation } from './request-cancellations';
import { factsFrom, recordOfSent } from './request-record';

/** How long a call cancels messages before it leaves the rest to the sweeper: shorter than the caller waits, the look-up before it included. */
const CALL_MS = 5_000;

const RECORD = statement('messaging.record_of_request', `select ${RECORD_COLUMNS} from messages where workspace_id = $1 and id = $2`);

/** Cancels requests to several: whoever is not found yet is not found any more, and messages that have not left do not leave. */
@Injectable()
export class RequestCanceling {
  constructor(
    private readonly database: Database,
    private readonly journal: CallJournal,
    private readonly history: HistoryPublisher,
    private readonly sweeper: RequestCancellationSweeper,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** The record of the request, with how many of its messages were canceled; `conflict` with it where nothing was left to cancel. */
  async cancel(context: CallContext, uuid: string): Promise<MessageDetails> {
    const { workspaceId } = context;
    const begunBy = context.keyedCall?.id ?? context.callId;
    const end = performance.now() + CALL_MS;
    let hasCanceled = false;
    let cancellation: RequestCancellation;
    do {
      const step = await cancelNextMessages(this.database, { workspaceId, uuid, begunBy, nowMs: this.clock.now() });
      hasCanceled ||= step.hasCanceled;
      cancellation = step.cancellation;
      this.history.committed();
    } while (!cancellation.finished && performance.now() < end);
    if (!cancellation.finished) await this.sweeper.handOver(workspaceId, uuid);

    // A call that a transport delivers twice answers as the first time, whoever went on with what that had begun.
    const isOurs = hasCanceled || (cancellation.begun_by === begunBy && cancellation.has_effect);
    return this.journal.once(context, async (tx) => {
      const record = await recordOf(tx, { workspaceId, uuid, cancellation });
      if (isOurs) return record;
      const why = cancellation.has_effect ? 'is canceled already' : 'has nothing left to cancel';
      throw new ServiceError('conflict', `Request ${record.id} ${why}`, { shouldRetry: false, answer: record });
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
