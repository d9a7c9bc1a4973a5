import { EVENT_ID_LENGTH_MAX } from '@tidings/contracts/content/event-mappings';
import { type LoadedEventMappings, type LoadEventMappings, sendingEventMappings } from '@tidings/contracts/content/sending-event-mappings';
import type { CallContext } from '@tidings/contracts/core/context';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { idOrNone } from '../id-or-none';

/** For each event asked one look into the primary key. */
const LOAD = statement(
  'event-mappings-load',
  `select (select stored.notification_id from event_mappings stored
            where stored.workspace_id = asked.workspace_id and stored.event_id = asked.event_id) as notification_id
     from unnest($1::uuid[], $2::text[]) with ordinality as asked (workspace_id, event_id, place) order by asked.place`,
);

@Handles(sendingEventMappings)
export class SendingEventMappingsHandlers {
  constructor(private readonly db: Database) {}

  async load(_context: CallContext, { events: asked, ...rest }: LoadEventMappings): Promise<LoadedEventMappings> {
    rest satisfies Record<string, never>;
    if (asked.length === 0) return { mappings: [] };
    const rows = await this.db.query<{ notification_id: string | null }>(LOAD, [
      asked.map(({ workspace_id }) => workspace_id),
      asked.map(({ event_id }) => idOrNone(event_id, EVENT_ID_LENGTH_MAX)),
    ]);
    return { mappings: rows.map(({ notification_id }) => (notification_id === null ? null : { notification_id })) };
  }
}
