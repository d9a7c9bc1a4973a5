import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { type Queryable, statement } from '@tidings/persistence/database';
import { ERASED, erasedEvents } from './erased';

const MESSAGES_OF = statement('messaging.messages_to_erase', `select id from messages where workspace_id = $1 and recipient = $2 limit $3`);

const TAGS = statement('messaging.tags_to_erase', `select tags, archived from messages where workspace_id = $1 and id = $2`);

/** Tags and trace ids are free text of the sender and may name the person. */
const ERASE_MESSAGE = statement(
  'messaging.erase_message',
  `update messages set recipient = '${ERASED}', error = null, tags = null, trace_id = null, idempotency_key = null,
          providers = (select jsonb_agg(one.leaf - 'error' - 'reference' - 'providerResponse' order by one.ordinal)
                       from jsonb_array_elements(providers) with ordinality as one (leaf, ordinal))
   where workspace_id = $1 and id = $2`,
);

const ERASE_TERMS = statement(
  'messaging.erase_terms',
  `delete from message_terms where workspace_id = $1 and id = $2 and archived = $3 and term = any($4::text[])`,
);

const HISTORY_OF = statement(
  'messaging.history_to_erase',
  `select number, events from history where workspace_id = $1 and message_id = $2 order by number for update`,
);

/**
 * The last row gets a new sequence after all others, so that the relay publishes the message once more, whatever it has read before. The
 * sequence is drawn under the lock of appends.
 */
const ERASE_HISTORY = statement(
  'messaging.erase_history',
  `with locked as materialized (select pg_advisory_xact_lock(hashtext('messaging.history')))
   update history set events = input.events,
          sequence = case when input.is_last then nextval('history_sequence') else history.sequence end
   from (select count(*) from locked) as all_locked
   cross join json_to_recordset($3::json) as input(number integer, events json, is_last boolean)
   where history.workspace_id = $1 and history.message_id = $2 and history.number = input.number`,
);

/** Up to `limit` messages (uuid) of a recipient that are not erased yet. */
export async function messagesOf(database: Queryable, workspaceId: string, recipient: string, limit: number): Promise<string[]> {
  return (await database.query<{ id: string }>(MESSAGES_OF, [workspaceId, recipient, limit])).map(({ id }) => id);
}

/** Removes recipient and content of a message that is not open any more. Under the locks of `cancelMessage`. */
export async function eraseMessage(tx: Queryable, workspaceId: string, uuid: string): Promise<void> {
  const [row] = await tx.query<{ tags: string[] | null; archived: boolean }>(TAGS, [workspaceId, uuid]);
  await tx.execute(ERASE_MESSAGE, [workspaceId, uuid]);
  if (row?.tags) await tx.execute(ERASE_TERMS, [workspaceId, uuid, row.archived, row.tags.map((tag) => `tag:${tag}`)]);
  const steps = await tx.query<{ number: number; events: HistoryEvent[] }>(HISTORY_OF, [workspaceId, uuid]);
  const last = steps.at(-1)?.number;
  const rows = steps.map(({ number, events }) => ({ number, events: erasedEvents(events), is_last: number === last }));
  if (rows.length > 0) await tx.execute(ERASE_HISTORY, [workspaceId, uuid, JSON.stringify(rows)]);
}
