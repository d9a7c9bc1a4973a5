import { Inject } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { unavailable } from '@tidings/contracts/core/errors';
import { notFound } from '@tidings/contracts/core/refusals';
import { messageRequested, senderOf } from '@tidings/contracts/messaging/events';
import { type GetMessage, messageActions } from '@tidings/contracts/messaging/messages';
import { newMessageId, uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { EventLog } from '@tidings/events/event-log';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, type Queryable, statement } from '@tidings/persistence/database';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { Handles } from '@tidings/rpc/handles';
import { Clock } from '@tidings/runtime/clock';
import { ReadYourWrites } from '../queries/read-your-writes';
import { HistoryPublisher } from '../publish/history-publisher';
import { EVENT_LOG } from '@tidings/runtime/resources.module';
import { cancelMessage, retryOnConflict } from '../record/cancel-store';
import { type MessageRow, RECORD, toMessageRecord } from '../record/message-row';
import { idsOfSecond } from '../record/weeks';
import { StoredSends } from '../queries/stored-sends';
import { cancelRefusal, whyTooLate } from './cancel-refusal';
import { cancelNextMessages, factsFrom, type RequestCancellation, RequestCancellationSweeper } from './request-cancellations';

/** Attempts at most while steps of the message are stored at the same time. Messages have few steps, with pauses between them. */
const ATTEMPTS_MAX = 5;
/** How long a call cancels messages before the sweeper continues: shorter than the caller's timeout, including the look-up before it. */
const CALL_MS = 5_000;
/** Deadline of an append with its retries: shorter than the caller's timeout, including the look-up before it. */
const APPEND_MS = 7_000;

/** Statuses of messages that were sent. */
const REACHED: readonly MessageStatus[] = ['SENT', 'SIMULATED', 'DELIVERED', 'OPENED', 'CLICKED'];

// SQL because a union over three tables ends at the first that has the id.
/**
 * The kind of a cancelable id: a request that is being canceled or expanded, a request whose messages exist (`derived`), or a message.
 * Bulk jobs and their runs are no requests.
 */
const CANCELABLE = statement(
  'messaging.cancelable',
  `(select 'request' as kind from request_cancellations where workspace_id = $1 and request_id = $2)
   union all (select 'request' from expansions where workspace_id = $1 and request_id = $2 and request ->> 'jobId' is null)
   union all (select 'derived' from messages where workspace_id = $1 and request_id = $2 and id between $3 and $4 and job_id is null limit 1)
   union all (select 'message' from messages where workspace_id = $1 and id = $2)
   limit 1`,
);

@Handles(messageActions)
export class MessageActionsHandlers {
  constructor(
    private readonly database: Database,
    private readonly journal: CallJournal,
    private readonly fresh: ReadYourWrites,
    private readonly history: HistoryPublisher,
    private readonly sweeper: RequestCancellationSweeper,
    @Inject(EVENT_LOG) private readonly events: EventLog,
    private readonly clock: Clock,
    private readonly secrets: OverrideSecrets,
    private readonly sends: StoredSends,
  ) {}

  async cancel(context: CallContext, { message_id: id }: GetMessage) {
    const find = async (uuid: string, startedAt: number) => {
      const [row] = await this.database.query<{ kind: 'request' | 'derived' | 'message' }>(CANCELABLE, [
        context.workspaceId,
        uuid,
        ...idsOfSecond(uuid),
      ]);
      // A request to few named recipients has no row of its own: some of its messages may not be stored yet.
      const isComplete = row && (row.kind !== 'derived' || (await this.fresh.isRouted(id, startedAt)));
      return isComplete ? { uuid, kind: row.kind } : undefined;
    };
    const { uuid, kind } = await this.fresh.load(context, id, find, { parks: true });
    return kind === 'message' ? this.cancelMessage(context, uuid) : this.cancelRequest(context, uuid);
  }

  /** The copy has the same recipient and content, with the current profile and template; the answer follows its acceptance by the log. */
  async resend(context: CallContext, { message_id: id }: GetMessage) {
    const same = await this.sends.again(context, id);
    // A call that is delivered twice appends the same id twice; consumers store it once.
    const created = await this.journal.once(context, async () => {
      const requestedAt = this.clock.now();
      return { id: newMessageId(requestedAt), requestedAt };
    });
    const payload = this.secrets.seal({ ...same, ...created });
    const options = { deadlineMs: APPEND_MS, sender: senderOf(payload), trace: context };
    await this.events.append(messageRequested, [{ id: created.id, payload }], options);
    return { messageId: created.id };
  }

  /**
   * Cancels message `uuid`; resolves with its record. Nothing more is sent of it then.
   * @throws ServiceError `conflict` with the record when it is too late or canceled already, `not_found`, `unavailable` while it is being
   * sent.
   */
  private async cancelMessage(context: CallContext, uuid: string) {
    const record = await retryOnConflict(ATTEMPTS_MAX, () =>
      this.journal.once(context, async (tx) => {
        const { workspaceId } = context;
        const isCanceled = await cancelMessage(tx, { workspaceId, uuid, nowMs: this.clock.now() });
        const [row] = await tx.query<MessageRow>(RECORD, [workspaceId, uuid]);
        if (!row) throw notFound(`Message ${uuidToMessageId(uuid)} does not exist`);
        const found = toMessageRecord(row);
        if (isCanceled) return found;
        throw cancelRefusal(found, await whyTooLate(tx, workspaceId, uuid, found));
      }),
    );
    if (record === 'conflict') throw unavailable(`Message ${uuidToMessageId(uuid)} is being sent now; retry`);
    this.history.committed();
    return record;
  }

  /**
   * Cancels a request to several recipients: ends its expansion and cancels the messages that were not sent.
   * Resolves with the record of the request and how many of its messages were canceled.
   * @throws ServiceError `conflict` with the record where nothing is left to cancel, `not_found`, `unavailable` while messages are being
   * sent.
   */
  private async cancelRequest(context: CallContext, uuid: string) {
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
      const record = await recordOf(tx, workspaceId, uuid, cancellation);
      if (isOwn) return record;
      const state = cancellation.has_effect ? 'is canceled already' : 'has nothing left to cancel';
      const counts = `${record.canceled} of its messages are canceled, ${record.left} were sent, are being sent or ended otherwise`;
      throw cancelRefusal(record, `Request ${record.id} ${state}: ${counts}`);
    });
  }
}

async function recordOf(tx: Queryable, workspaceId: string, uuid: string, cancellation: RequestCancellation) {
  const { canceled, too_late: left, after_id: messageUuid } = cancellation;
  const [row] = await tx.query<MessageRow>(RECORD, [workspaceId, uuid]);
  if (row) return { ...toMessageRecord(row), canceled, left };
  const facts = await factsFrom(tx, { workspaceId, uuid, messageUuid });
  if (!facts) throw notFound(`Message ${uuidToMessageId(uuid)} does not exist`);
  // Nothing of it could be canceled: it has no record of its own.
  const { id, recipient, requestedAt: enqueued, event } = facts;
  const status = REACHED.includes(facts.status) ? 'SENT' : facts.status;
  return { id, status, enqueued, recipient, event, notification: '', providers: [], canceled, left };
}
