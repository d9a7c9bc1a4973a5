import type { TemplateMatch } from '@tidings/contracts/content/sending-templates';
import { columnsOf } from '@tidings/persistence/columns-of';
import { type Queryable, statement } from '@tidings/persistence/database';
import type { MappedEvents } from '../templates/mapped-events';

/** A name to resolve: an id, alias or event id. */
interface TemplateName {
  workspaceId: string;
  name: string;
}

/** The template of a name. */
export interface ResolvedName {
  templateId: string;
  matched: Exclude<TemplateMatch, 'tenant'>;
  /** `null`: no version is published. */
  publishedVersion: number | null;
  /** Bytes of JSON of the published version, else the draft, and of its strategy. */
  bytes: number;
}

/** Scalar subqueries force one index lookup each, whatever the tables' statistics are. */
const RESOLVE = statement(
  'sending-templates-resolve',
  `select found.template_id as "templateId", case when found.is_alias then 'alias' else 'id' end as matched,
          found.published_version as "publishedVersion",
          coalesce((select version.bytes + coalesce((select strategy.bytes from routing_strategies strategy
                                             where strategy.workspace_id = found.workspace_id
                                               and strategy.strategy_id = version.strategy_id), 0)
             from notification_versions version
            where version.workspace_id = found.workspace_id and version.template_id = found.template_id
              and version.version = coalesce(found.published_version, 0)), 0) as bytes
     from (
       select named.workspace_id, named.ordinal, coalesce(named.by_id, named.by_alias) as template_id, named.by_id is null as is_alias,
              (select template.published_version from notification_templates template
                where template.workspace_id = named.workspace_id
                  and template.template_id = coalesce(named.by_id, named.by_alias)) as published_version
         from (
           select input.workspace_id, input.ordinal,
                  (select template_id from notification_templates template
                    where template.workspace_id = input.workspace_id and template.template_id = input.name collate "C"
                      and archived_at is null) as by_id,
                  (select template_id from notification_templates template
                    where template.workspace_id = input.workspace_id and template.alias = input.name collate "C"
                      and archived_at is null and input.aliases) as by_alias
             from unnest($1::uuid[], $2::text[], $3::boolean[]) with ordinality as input (workspace_id, name, aliases, ordinal)
         ) named
     ) found
    order by found.ordinal`,
);

/**
 * The templates of names, in their order: by id, else by alias, else by the event that is mapped to one; undefined where there is
 * none. At most three statements.
 */
export async function resolveNames(
  db: Queryable,
  events: MappedEvents,
  names: readonly TemplateName[],
): Promise<(ResolvedName | undefined)[]> {
  const found = await resolve(db, names, true);
  const unknown = [...found.keys()].filter((index) => !found[index]);
  if (unknown.length === 0) return found;
  const mapped = await events.templateIdsOf(
    unknown.map((index) => ({ workspaceId: names[index]!.workspaceId, eventId: names[index]!.name })),
  );
  const indexes = unknown.filter((_, at) => mapped[at] !== null);
  if (indexes.length === 0) return found;
  const templateIds = mapped.filter((templateId) => templateId !== null);
  const ofEvents = await resolve(
    db,
    indexes.map((index, at) => ({ workspaceId: names[index]!.workspaceId, name: templateIds[at]! })),
    false,
  );
  indexes.forEach((index, at) => {
    const template = ofEvents[at];
    if (template) found[index] = { ...template, matched: 'event' };
  });
  return found;
}

async function resolve(db: Queryable, names: readonly TemplateName[], withAliases: boolean): Promise<(ResolvedName | undefined)[]> {
  const rows = await db.query<ResolvedName | { templateId: null }>(RESOLVE, [
    ...columnsOf(names, 'workspaceId', 'name'),
    names.map(() => withAliases),
  ]);
  return rows.map((row) => (row.templateId === null ? undefined : row));
}
