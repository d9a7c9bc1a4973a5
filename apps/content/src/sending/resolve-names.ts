import { EVENT_ID_LENGTH_MAX } from '@tidings/contracts/content/event-mappings';
import { TEMPLATE_ID_LENGTH_MAX } from '@tidings/contracts/content/template-fields';
import { type Queryable, statement } from '@tidings/persistence/database';
import { idOrNone } from '../id-or-none';
import { TENANT_PREFIX } from '../templates/template.entity';
import { templateNamed } from '../templates/template-names';

/** Length of the longest id, alias or event id. */
export const NAME_LENGTH_MAX = Math.max(TEMPLATE_ID_LENGTH_MAX, EVENT_ID_LENGTH_MAX);

/**
 * The template of `input.name`: by its id, else by its alias, else by the event that is mapped to its id or alias. Subqueries and the
 * limit force one index lookup each, whatever the tables' statistics are.
 */
export const TEMPLATE_OF_NAME = `lateral (
    select template_id, alias, published_version from notification_templates stored
     where stored.workspace_id = input.workspace_id and stored.archived_at is null and stored.template_id = coalesce(
       ${templateNamed('input.workspace_id', 'input.name')},
       (select ${templateNamed('mapped.workspace_id', 'mapped.notification_id')} from event_mappings mapped
         where mapped.workspace_id = input.workspace_id and mapped.event_id = input.name collate "C")) limit 1
  )`;

// SQL because one statement tries id, alias and event, with one index lookup each.
const RESOLVE = statement(
  'sending-templates-resolve',
  `select template.template_id from (select $1::uuid as workspace_id, $2::text as name) input cross join ${TEMPLATE_OF_NAME} template`,
);

/** The id of the template that a send names so; undefined where there is none. */
export async function resolveName(database: Queryable, workspaceId: string, name: string) {
  const [found] = await database.query<{ template_id: string }>(RESOLVE, [workspaceId, name]);
  return found?.template_id;
}

/** The name without the prefix of a tenant's own template; `NO_ID` where nothing can have it. */
export function ownName(name: string) {
  return idOrNone(name.startsWith(TENANT_PREFIX) ? name.slice(TENANT_PREFIX.length) : name, NAME_LENGTH_MAX);
}
