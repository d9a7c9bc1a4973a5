import {
  type FindMissingTemplates,
  LOADED_TEMPLATES_BYTES_MAX,
  type LoadedTemplate,
  type LoadTemplates,
  sendingTemplates,
  type TemplateKey,
} from '@tidings/contracts/content/sending';
import { type MessageRouting, routingOver } from '@tidings/contracts/content/routing';
import type { CallContext } from '@tidings/contracts/core/context';
import { TENANT_ID_LENGTH_MAX } from '@tidings/contracts/identity/tenants';
import { columnsOf } from '@tidings/persistence/columns-of';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { idOrNone, NO_ID } from '../id-or-none';
import { elementalOf, type VersionFields } from '../templates/template-version.entity';
import { templateNamed } from '../templates/template-names';
import { TENANT_PREFIX } from '../templates/template.entity';
import { versionName } from '../templates/version-name';
import { tenantVersionName } from '../tenant-templates/tenant-template.entity';
import { NAME_LENGTH_MAX, ownName, TEMPLATE_OF_NAME } from './resolve-names';

// SQL because sends read a batch, with one index lookup for each part of a template.
/**
 * The fields of answers, by their names. `own` is the tenant's published template that replaces the workspace's: of its id, else of
 * the name of the send, else of its alias. Content of published versions only: drafts are never sent. The limits force one index
 * lookup each.
 */
const LOAD = statement(
  'sending-templates-load',
  `select notification_id, alias, matched, published_version, own_version, name, tags, brand, topic_id, email,
           throw_on_missing_variable, content, element_ids,
          own_routing, routing, channels, providers
     from (
       select input.ordinal, coalesce(template.template_id, own.template_id) as notification_id, template.alias,
              case when template.template_id is null then 'tenant' when template.template_id = input.name then 'id'
                   when template.alias = input.name then 'alias' else 'event' end as matched,
              template.published_version, own.version as own_version,
              coalesce(version.name, own.template_id) as name, coalesce(version.tags, '{}') as tags, version.brand_id as brand,
              version.topic_id, version.email, version.throw_on_missing_variable,
              coalesce(own.content, case when version.version > 0 then version.content end) as content,
              case when own.version is null then version.element_ids else '{}' end as element_ids,
              own.routing as own_routing, strategy.routing,
              coalesce(own.channels, strategy.channels, '{}') as channels, coalesce(own.providers, strategy.providers, '{}') as providers,
              sum(coalesce(version.bytes, 0) + coalesce(strategy.bytes, 0) + coalesce(own.bytes, 0))
                over (order by input.ordinal) as bytes_so_far
         from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as input (workspace_id, name, tenant_id, ordinal)
         left join ${TEMPLATE_OF_NAME} template on true
         left join lateral (select * from notification_versions stored
                             where stored.workspace_id = input.workspace_id and stored.template_id = template.template_id
                               and stored.version = coalesce(template.published_version, 0) limit 1) version on true
         left join lateral (select * from routing_strategies stored
                             where stored.workspace_id = input.workspace_id and stored.strategy_id = version.strategy_id limit 1) strategy on true
         left join lateral (
           select published.* from tenant_templates stored
            cross join lateral (select * from tenant_template_versions published
                                 where published.workspace_id = stored.workspace_id and published.tenant_id = stored.tenant_id
                                   and published.template_id = stored.template_id
                                   and published.version = stored.published_version limit 1) published
            where stored.workspace_id = input.workspace_id and stored.tenant_id = input.tenant_id collate "C"
              and stored.template_id in (template.template_id, input.name collate "C", template.alias)
            order by stored.template_id = template.template_id desc nulls last, stored.template_id = input.name desc limit 1
         ) own on true
     ) found
    where bytes_so_far <= $4 or ordinal = 1
    order by ordinal`,
);

// SQL because one statement looks up all names.
const FIND_MISSING = statement(
  'sending-templates-find-missing',
  `select ordinal from unnest($2::text[]) with ordinality as input (name, ordinal)
    where ${templateNamed('$1', 'input.name')} is null order by ordinal`,
);

interface LoadedRow extends Omit<
  LoadedTemplate,
  'notification_id' | 'published' | 'version' | 'content' | 'tenant_id' | 'throw_on_missing_variable'
> {
  /** `null` for an unknown template. */
  notification_id: string | null;
  published_version: number | null;
  /** The published version of the tenant's template; `null` where the tenant has none. */
  own_version: number | null;
  own_routing: MessageRouting | null;
  content: VersionFields['content'] | null;
  element_ids: string[] | null;
  /** `null` for a template of a tenant alone. */
  throw_on_missing_variable: boolean | null;
}

@Handles(sendingTemplates)
export class SendingTemplatesHandlers {
  constructor(
    private readonly database: Database,
    private readonly secrets: OverrideSecrets,
  ) {}

  async findMissing({ workspaceId }: CallContext, { names }: FindMissingTemplates) {
    const rows = await this.database.query<{ ordinal: string }>(FIND_MISSING, [
      workspaceId,
      names.map((name) => idOrNone(name, NAME_LENGTH_MAX)),
    ]);
    return { missing: rows.map(({ ordinal }) => names[Number(ordinal) - 1]!) };
  }

  /** One statement, which reads as many templates as fit into one answer. */
  async load(_context: CallContext, { templates: keys, sealed = false }: LoadTemplates) {
    const rows = await this.database.query<LoadedRow>(LOAD, [
      ...columnsOf(keys, 'workspace_id'),
      keys.map(({ template }) => ownName(template)),
      keys.map(({ tenant_id }) => idOrNone(tenant_id ?? NO_ID, TENANT_ID_LENGTH_MAX)),
      LOADED_TEMPLATES_BYTES_MAX,
    ]);
    const templates = rows.map((row, index) => toLoaded(keys[index]!, row));
    if (sealed) return { templates };
    return { templates: templates.map((one, index) => one && this.secrets.openSettings(keys[index]!.workspace_id, one)) };
  }
}

function toLoaded({ template, tenant_id }: TemplateKey, row: LoadedRow): LoadedTemplate | null {
  const { notification_id, published_version, own_version, own_routing, content, element_ids, throw_on_missing_variable, ...fields } = row;
  const isOwn = own_version !== null;
  if (notification_id === null || (template.startsWith(TENANT_PREFIX) && !isOwn)) return null;
  return {
    ...fields,
    notification_id,
    brand: fields.matched === 'tenant' ? undefined : fields.brand,
    published: content !== null,
    version: isOwn ? tenantVersionName(own_version) : published_version === null ? null : versionName(published_version),
    content: content && elementalOf({ content, elementIds: element_ids }),
    tenant_id: isOwn ? tenant_id! : null,
    routing: routingOver(own_routing, fields.routing),
    ...(throw_on_missing_variable && { throw_on_missing_variable }),
  };
}
