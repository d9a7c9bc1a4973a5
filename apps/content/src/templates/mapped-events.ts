import { Injectable } from '@nestjs/common';
import { Database, statement } from '@tidings/persistence/database';

/** Events that a listing shows of one template. */
const EVENTS_SHOWN_MAX = 100;

/** A template of a workspace. */
interface TemplatePlace {
  workspaceId: string;
  templateId: string;
}

/** An event of a workspace. */
interface EventPlace {
  workspaceId: string;
  eventId: string;
}

const OF_TEMPLATES = statement(
  'mapped-events-of-templates',
  `select array(select stored.event_id from event_mappings stored
                 where stored.workspace_id = asked.workspace_id and stored.notification_id = asked.template_id collate "C"
                 order by stored.event_id limit $3) as event_ids
     from unnest($1::uuid[], $2::text[]) with ordinality as asked (workspace_id, template_id, place) order by asked.place`,
);
const TEMPLATES_OF = statement(
  'mapped-events-templates',
  `select (select stored.notification_id from event_mappings stored
            where stored.workspace_id = asked.workspace_id and stored.event_id = asked.event_id collate "C") as template_id
     from unnest($1::uuid[], $2::text[]) with ordinality as asked (workspace_id, event_id, place) order by asked.place`,
);

/** Which events are mapped to which templates. */
@Injectable()
export class MappedEvents {
  constructor(private readonly db: Database) {}

  /** Of each of these templates the ids of its events, in order; at most `EVENTS_SHOWN_MAX` of one. One statement. */
  async eventIdsOf(templates: readonly TemplatePlace[]): Promise<string[][]> {
    if (templates.length === 0) return [];
    const rows = await this.db.query<{ event_ids: string[] }>(OF_TEMPLATES, [
      templates.map(({ workspaceId }) => workspaceId),
      templates.map(({ templateId }) => templateId),
      EVENTS_SHOWN_MAX,
    ]);
    return rows.map(({ event_ids }) => event_ids);
  }

  /** The template that each of these events is mapped to, `null` where there is none. One statement. */
  async templateIdsOf(events: readonly EventPlace[]): Promise<(string | null)[]> {
    if (events.length === 0) return [];
    const rows = await this.db.query<{ template_id: string | null }>(TEMPLATES_OF, [
      events.map(({ workspaceId }) => workspaceId),
      events.map(({ eventId }) => eventId),
    ]);
    return rows.map(({ template_id }) => template_id);
  }
}
