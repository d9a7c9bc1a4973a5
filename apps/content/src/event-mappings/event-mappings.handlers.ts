import {
  EVENT_MAPPINGS_PAGE_MAX,
  type EventMapping,
  type EventMappingPage,
  type EventMappingPut,
  eventMappings,
  type ListEventMappings,
  type NamedEvent,
  type PutEventMapping,
} from '@tidings/contracts/content/event-mappings';
import { contentChanged } from '@tidings/contracts/content/events';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, statement } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { decodeCursor, toPage, toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';

interface EventMappingRow {
  event_id: string;
  notification_id: string;
}

const PUT = statement(
  'event-mappings-put',
  `insert into event_mappings (workspace_id, event_id, notification_id) values ($1, $2, $3)
   on conflict (workspace_id, event_id) do update set notification_id = excluded.notification_id, updated_at = now()`,
);
const RETRIEVE = statement(
  'event-mappings-retrieve',
  'select event_id, notification_id from event_mappings where workspace_id = $1 and event_id = $2',
);
/** Mappings after the event id $2; every id sorts after the empty string. */
const PAGE = statement(
  'event-mappings-page',
  'select event_id, notification_id from event_mappings where workspace_id = $1 and event_id > $2 order by event_id limit $3',
);

@Handles(eventMappings)
export class EventMappingsHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
    private readonly outbox: Outbox,
  ) {}

  async replace(context: CallContext, { event_id, id, type: kind, ...rest }: PutEventMapping): Promise<EventMappingPut> {
    rest satisfies Record<string, never>;
    kind satisfies 'notification';
    const { workspaceId } = context;
    await this.calls.once(context, async (tx) => {
      await tx.execute(PUT, [workspaceId, event_id, id]);
      await this.outbox.add(tx, contentChanged, { payload: { workspaceId, kind: 'event_mapping', id: event_id } });
    });
    return { status: 'SUCCESS' };
  }

  async list({ workspaceId }: CallContext, { cursor, ...rest }: ListEventMappings): Promise<EventMappingPage> {
    rest satisfies Record<string, never>;
    const tag = `event-mappings ${workspaceId}`;
    const [after] = cursor === undefined ? [''] : decodeCursor(tag, cursor, ['text']);
    const rows = await this.db.query<EventMappingRow>(PAGE, [workspaceId, after, EVENT_MAPPINGS_PAGE_MAX + 1]);
    const cursorOf = ({ event_id }: EventMappingRow): string[] => [event_id];
    return toResultsPage(toPage(rows, { tag, limit: EVENT_MAPPINGS_PAGE_MAX, cursorOf, toItem: toEventMapping }));
  }

  async retrieve({ workspaceId }: CallContext, { event_id, ...rest }: NamedEvent): Promise<EventMapping> {
    rest satisfies Record<string, never>;
    const [row] = await this.db.query<EventMappingRow>(RETRIEVE, [workspaceId, event_id]);
    if (!row) throw new ServiceError('not_found', `Event ${event_id} is not mapped to a notification`);
    return toEventMapping(row);
  }
}

function toEventMapping({ event_id, notification_id }: EventMappingRow): EventMapping {
  return { event: event_id, id: notification_id, type: 'notification' };
}
