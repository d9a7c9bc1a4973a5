import { EVENT_ID_LENGTH_MAX } from '@tidings/contracts/content/event-mappings';
import { type LoadEventMappings, sendingEventMappings } from '@tidings/contracts/content/sending';
import type { CallContext } from '@tidings/contracts/core/context';
import { columnsOf } from '@tidings/persistence/columns-of';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { idOrNone } from '../id-or-none';

// SQL because sends read a batch, with one primary key lookup for each event.
const LOAD = statement(
  'event-mappings-load',
  `select (select stored.notification_id from event_mappings stored
            where stored.workspace_id = input.workspace_id and stored.event_id = input.event_id) as notification_id
     from unnest($1::uuid[], $2::text[]) with ordinality as input (workspace_id, event_id, ordinal) order by input.ordinal`,
);

@Handles(sendingEventMappings)
export class SendingEventMappingsHandlers {
  constructor(private readonly database: Database) {}

  async load(_context: CallContext, { events: keys }: LoadEventMappings) {
    const rows = await this.database.query<{ notification_id: string | null }>(LOAD, [
      ...columnsOf(keys, 'workspace_id'),
      keys.map(({ event_id }) => idOrNone(event_id, EVENT_ID_LENGTH_MAX)),
    ]);
    return { mappings: rows.map(({ notification_id }) => (notification_id === null ? null : { notification_id })) };
  }
}
