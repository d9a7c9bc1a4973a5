import type { CallContext } from '@tidings/contracts/core/context';
import {
  type GetMessage,
  type GetMessageHistory,
  type HistoryEvent,
  type ListMessages,
  type MessageDetails,
  type MessageHistory,
  type MessageOutput,
  type MessageOutputContent,
  type MessagePage,
  messages,
} from '@tidings/contracts/messaging/messages';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { Database, statement } from '@tidings/persistence/database';
import { toPage, toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { expandEvents } from '../store/history-row';
import { MESSAGE_COLUMNS, type MessageRow, toMessage, toMessageRecord } from '../store/message-row';
import { listingQuery, MESSAGES_CURSOR, MESSAGES_PAGE_SIZE } from './list-messages';
import { ReadWhatYouSent } from './read-what-you-sent';

const MESSAGE = statement('messaging.message', `select ${MESSAGE_COLUMNS} from messages where workspace_id = $1 and id = $2`);

const HISTORY = statement(
  'messaging.history',
  `select at, events from history where workspace_id = $1 and message_id = $2 order by number`,
);

interface HistoryRow {
  /** No event of the row is earlier, ms since the epoch. */
  at: string;
  events: HistoryEvent[];
}

@Handles(messages)
export class MessagesHandlers {
  constructor(
    private readonly database: Database,
    private readonly fresh: ReadWhatYouSent,
  ) {}

  async list({ workspaceId }: CallContext, request: ListMessages): Promise<MessagePage> {
    const { text, values } = listingQuery(workspaceId, request);
    const rows = await this.database.query<MessageRow>(text, values);
    const cursorOf = ({ id }: MessageRow): string[] => [uuidToMessageId(id)];
    return toResultsPage(toPage(rows, { tag: MESSAGES_CURSOR, limit: MESSAGES_PAGE_SIZE, cursorOf, toItem: toMessage }));
  }

  async retrieve({ workspaceId }: CallContext, { message_id: id }: GetMessage): Promise<MessageDetails> {
    const row = await this.fresh.load(id, async (uuid) => {
      const [found] = await this.database.query<MessageRow>(MESSAGE, [workspaceId, uuid]);
      return found;
    });
    return toMessageRecord(row);
  }

  async history({ workspaceId }: CallContext, { message_id: id, type }: GetMessageHistory): Promise<MessageHistory> {
    const rows = await this.fresh.load(id, async (uuid) => {
      const found = await this.database.query<HistoryRow>(HISTORY, [workspaceId, uuid]);
      return found.length > 0 ? found : undefined;
    });
    const events = rows.flatMap((row) => expandEvents(row.events, Number(row.at)));
    return { results: type ? events.filter((event) => event.type === type) : events };
  }

  async output(context: CallContext, { message_id }: GetMessage): Promise<MessageOutput> {
    const { results } = await this.history(context, { message_id, type: 'RENDERED' });
    return {
      results: results.map(({ channel, output }) => {
        const { id } = channel as { id: string };
        return { channel: id, channel_id: id, content: output as MessageOutputContent };
      }),
    };
  }
}
