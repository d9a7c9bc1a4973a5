import { Injectable } from '@nestjs/common';
import { columnsOf } from '@tidings/persistence/columns-of';
import { Database, statement } from '@tidings/persistence/database';

/** Events of one template in a listing. */
const EVENTS_SHOWN_MAX = 100;

/** A template of a workspace. */
interface TemplateRef {
  workspaceId: string;
  templateId: string;
}

/** An event of a workspace. */
interface EventRef {
  workspaceId: string;
  eventId: string;
}

const OF_TEMPLATES = statement(
  'mapped-events-of-templates',
  `select array(select stored.event_id from event_mappings stored
                 where stored.workspace_id = input.workspace_id and stored.notification_id = input.template_id collate "C"
                 order by stored.event_id limit $3) as event_ids
     from unnest($1::uuid[], $2::text[]) with ordinality as input (workspace_id, template_id, ordinal) order by input.ordinal`,
);
const TEMPLATES_OF = statement(
  'mapped-events-templates',
  `select (select stored.notification_id from event_mappings stored
            where stored.workspace_id = input.workspace_id and stored.event_id = input.event_id collate "C") as template_id
     from unnest($1::uuid[], $2::text[]) with ordinality as input (workspace_id, event_id, ordinal) order by input.ordinal`,
);

/** Which events are mapped to which templates. */
@Injectable()
export class MappedEvents {
  constructor(private readonly db: Database) {}

  /** The sorted event ids of each template, in the order of `templates`; at most `EVENTS_SHOWN_MAX` each. One statement. */
  async eventIdsOf(templates: readonly TemplateRef[]): Promise<string[][]> {
    if (templates.length === 0) return [];
    const rows = await this.db.query<{ event_ids: string[] }>(OF_TEMPLATES, [
      ...columnsOf(templates, 'workspaceId', 'templateId'),
      EVENTS_SHOWN_MAX,
    ]);
    return rows.map(({ event_ids }) => event_ids);
  }

  /** The template of each event, in the order of `events`; `null` where there is none. One statement. */
  async templateIdsOf(events: readonly EventRef[]): Promise<(string | null)[]> {
    if (events.length === 0) return [];
    const rows = await this.db.query<{ template_id: string | null }>(TEMPLATES_OF, columnsOf(events, 'workspaceId', 'eventId'));
    return rows.map(({ template_id }) => template_id);
  }
}
