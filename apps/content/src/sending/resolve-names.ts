import type { TemplateMatch } from '@tidings/contracts/content/sending-templates';
import { type Queryable, statement } from '@tidings/persistence/database';
import type { MappedEvents } from '../templates/mapped-events';

/** What is asked for, where it can name something. */
interface AskedName {
  workspaceId: string;
  name: string;
}

/** The template that a name stands for. */
export interface ResolvedName {
  templateId: string;
  matched: Exclude<TemplateMatch, 'tenant'>;
  /** `null`: nothing of it is published. */
  publishedVersion: number | null;
  /** Of JSON, of what is shown of it and of its strategy. */
  bytes: number;
}

interface Row {
  template_id: string | null;
  is_alias: boolean;
  published_version: number | null;
  bytes: number | null;
}

/** One look into an index for each subquery, however little the planner knows of the tables. */
const RESOLVE = statement(
  'sending-templates-resolve',
  `select found.template_id, found.is_alias, found.published_version,
          (select version.bytes + coalesce((select strategy.bytes from routing_strategies strategy
                                             where strategy.workspace_id = found.workspace_id
                                               and strategy.strategy_id = version.strategy_id), 0)
             from notification_versions version
            where version.workspace_id = found.workspace_id and version.template_id = found.template_id
              and version.version = coalesce(found.published_version, 0)) as bytes
     from (
       select named.workspace_id, named.place, coalesce(named.by_id, named.by_alias) as template_id, named.by_id is null as is_alias,
              (select template.published_version from notification_templates template
                where template.workspace_id = named.workspace_id
                  and template.template_id = coalesce(named.by_id, named.by_alias)) as published_version
         from (
           select asked.workspace_id, asked.place,
                  (select template_id from notification_templates template
                    where template.workspace_id = asked.workspace_id and template.template_id = asked.name collate "C"
                      and archived_at is null) as by_id,
                  (select template_id from notification_templates template
                    where template.workspace_id = asked.workspace_id and template.alias = asked.name collate "C"
                      and archived_at is null and asked.aliases) as by_alias
             from unnest($1::uuid[], $2::text[], $3::boolean[]) with ordinality as asked (workspace_id, name, aliases, place)
         ) named
     ) found
    order by found.place`,
);

/**
 * The templates that names stand for, in the order asked: by id, else by alias, else by the event that is mapped to one.
 * At most three statements.
 */
export async function resolveNames(
  db: Queryable,
  events: MappedEvents,
  asked: readonly AskedName[],
): Promise<(ResolvedName | undefined)[]> {
  const found = await resolve(db, asked, true);
  const unknown = [...found.keys()].filter((place) => !found[place]);
  if (unknown.length === 0) return found;
  const mapped = await events.templateIdsOf(
    unknown.map((place) => ({ workspaceId: asked[place]!.workspaceId, eventId: asked[place]!.name })),
  );
  const places = unknown.filter((_, index) => mapped[index] !== null);
  if (places.length === 0) return found;
  const templateIds = mapped.filter((templateId) => templateId !== null);
  const ofEvents = await resolve(
    db,
    places.map((place, index) => ({ workspaceId: asked[place]!.workspaceId, name: templateIds[index]! })),
    false,
  );
  places.forEach((place, index) => {
    const template = ofEvents[index];
    if (template) found[place] = { ...template, matched: 'event' };
  });
  return found;
}

async function resolve(db: Queryable, asked: readonly AskedName[], withAliases: boolean): Promise<(ResolvedName | undefined)[]> {
  const rows = await db.query<Row>(RESOLVE, [
    asked.map(({ workspaceId }) => workspaceId),
    asked.map(({ name }) => name),
    asked.map(() => withAliases),
  ]);
  return rows.map(({ template_id, is_alias, published_version, bytes }) =>
    template_id === null
      ? undefined
      : { templateId: template_id, matched: is_alias ? 'alias' : 'id', publishedVersion: published_version, bytes: bytes ?? 0 },
  );
}
