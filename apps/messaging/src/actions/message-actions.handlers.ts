import type { CallContext } from '@tidings/contracts/core/context';
import { messageActions, type ResentMessage } from '@tidings/contracts/messaging/message-actions';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { GetMessage, MessageDetails } from '@tidings/contracts/messaging/messages';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { ReadWhatYouSent } from '../messages/read-what-you-sent';
import { Cancellation } from './cancellation';
import { Resending } from './resending';

/** What an id that can be canceled names: a message, or a request whose recipients are still being found. */
const CANCELABLE = statement(
  'messaging.cancelable',
  `(select from messages where workspace_id = $1 and id = $2)
   union all (select from expansions where workspace_id = $1 and request_id = $2 and request ->> 'jobId' is null) limit 1`,
);

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
    private readonly fresh: ReadWhatYouSent,
    private readonly cancellation: Cancellation,
    private readonly resending: Resending,
  ) {}

  async cancel(context: CallContext, { message_id: id }: GetMessage): Promise<MessageDetails> {
    const uuid = await this.fresh.load(id, async (found) =>
      (await this.database.query(CANCELABLE, [context.workspaceId, found])).length > 0 ? found : undefined,
    );
    return this.cancellation.cancel(context, uuid);
  }

  async resend(context: CallContext, { message_id: id }: GetMessage): Promise<ResentMessage> {
    const { events } = await this.fresh.load(id, async (uuid) => {
      const [step] = await this.database.query<{ events: HistoryEvent[] | null }>(FIRST_STEP, [context.workspaceId, uuid]);
      return step;
    });
    return { messageId: await this.resending.resend(context, id, events ?? []) };
  }
}
