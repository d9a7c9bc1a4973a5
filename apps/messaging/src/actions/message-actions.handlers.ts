import type { CallContext } from '@tidings/contracts/core/context';
import { messageActions, type ResentMessage } from '@tidings/contracts/messaging/message-actions';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { GetMessage, MessageDetails } from '@tidings/contracts/messaging/messages';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { ReadYourWrites } from '../messages/read-your-writes';
import { idsOfSecond } from '../store/weeks';
import { Cancellation } from './cancellation';
import { RequestCanceling } from './request-canceling';
import { Resending } from './resending';

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

interface CancelableRow {
  kind: 'request' | 'derived' | 'message';
}

/** Null events: the message exists, its history has been removed. */
const FIRST_STEP = statement(
  'messaging.first_step',
  `select history.events
     from messages left join history
       on history.workspace_id = messages.workspace_id and history.message_id = messages.id and history.number = 1
    where messages.workspace_id = $1 and messages.id = $2`,
);

@Handles(messageActions)
export class MessageActionsHandlers {
  constructor(
    private readonly database: Database,
    private readonly fresh: ReadYourWrites,
    private readonly cancellation: Cancellation,
    private readonly requests: RequestCanceling,
    private readonly resending: Resending,
  ) {}

  async cancel(context: CallContext, { message_id: id }: GetMessage): Promise<MessageDetails> {
    const { uuid, kind } = await this.fresh.load(id, async (uuid, startedAt) => {
      const [row] = await this.database.query<CancelableRow>(CANCELABLE, [context.workspaceId, uuid, ...idsOfSecond(uuid)]);
      // A request to few named recipients has no row of its own: some of its messages may not be stored yet.
      const isComplete = row && (row.kind !== 'derived' || (await this.fresh.isRouted(id, startedAt)));
      return isComplete ? { uuid, kind: row.kind } : undefined;
    });
    return kind === 'message' ? this.cancellation.cancel(context, uuid) : this.requests.cancel(context, uuid);
  }

  async resend(context: CallContext, { message_id: id }: GetMessage): Promise<ResentMessage> {
    const { events } = await this.fresh.load(id, async (uuid) => {
      const [step] = await this.database.query<{ events: HistoryEvent[] | null }>(FIRST_STEP, [context.workspaceId, uuid]);
      return step;
    });
    return { messageId: await this.resending.resend(context, id, events ?? []) };
  }
}
