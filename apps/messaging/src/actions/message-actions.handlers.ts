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
 * What an id that can be canceled names: a request that is being canceled or whose recipients are still being found, one whose messages are
 * made (`derived`), or a message. A bulk job and its run are no requests.
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

/** Without events where the message is there and its history is not kept any more. */
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
      // Of a few named recipients no request is kept: the last of their messages may not be stored yet.
      const isThere = row && (row.kind !== 'derived' || (await this.fresh.isRouted(id, startedAt)));
      return isThere ? { uuid, kind: row.kind } : undefined;
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
