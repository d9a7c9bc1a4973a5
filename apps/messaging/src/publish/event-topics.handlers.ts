import type { CallContext } from '@tidings/contracts/core/context';
import type { RepublishPage } from '@tidings/contracts/identity/event-topics';
import { messagingEventTopics } from '@tidings/contracts/messaging/event-topics';
import { messageStatus } from '@tidings/contracts/messaging/events';
import { CallJournal } from '@tidings/persistence/call-journal';
import { decodeCursor, encodeCursor } from '@tidings/persistence/cursor';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { MESSAGE_COLUMNS } from '../record/message-row';
import { HistoryPublisher, type StatusRow } from './history-publisher';

/** Messages of a page: a record has at most `EVENT_BYTES_MAX` bytes. */
const MESSAGES_PER_PAGE = 200;
const TAG = 'message-statuses';
const NO_UUID = '00000000-0000-0000-0000-000000000000';

// SQL because messages have no entity; the locks let no later record of a message be published before the page.
const MESSAGES = statement(
  'messaging.republish_statuses',
  `select '0' as sequence, workspace_id, id as message_id, ${MESSAGE_COLUMNS}, last_number, octet_length(messages::text) as bytes from messages
    where (workspace_id, id) > ($1::uuid, $2::uuid) order by workspace_id, id limit ${MESSAGES_PER_PAGE} for share`,
);

/** What operators do with the signed topics of messaging's events. */
@Handles(messagingEventTopics)
export class EventTopicsHandlers {
  constructor(
    private readonly publisher: HistoryPublisher,
    private readonly database: Database,
    private readonly journal: CallJournal,
  ) {}

  /** The first page leaves the audit event of all of them. */
  async republishStatuses(context: CallContext, { cursor }: RepublishPage) {
    if (!this.publisher.isOn) return { published: 0 };
    const operation = messagingEventTopics.republishStatuses.pattern;
    if (!cursor) await this.journal.recordForAll(context, { type: 'events:republished', targetId: messageStatus.topic, operation });
    const after = !cursor ? [NO_UUID, NO_UUID] : decodeCursor(TAG, cursor, ['uuid', 'uuid']);
    return this.database.transaction(async (tx) => {
      const rows = await tx.query<StatusRow>(MESSAGES, after);
      await this.publisher.republish(rows);
      const last = rows.at(-1);
      const next = last && rows.length === MESSAGES_PER_PAGE ? encodeCursor(TAG, [last.workspace_id, last.message_id]) : undefined;
      return { published: rows.length, next };
    });
  }
}
