import { statement } from '@tidings/persistence/database';
import { TEMPLATE_COLUMNS, VERSION_COLUMNS, type VersionFields } from './template.rows';

export const INSERT = statement(
  'templates-insert',
  `insert into notification_templates (workspace_id, template_id, revision, latest_version, created_at)
   values ($1, $2, 0, 0, now()) returning ${TEMPLATE_COLUMNS}`,
);
export const LOCK = statement(
  'templates-lock',
  `select ${TEMPLATE_COLUMNS} from notification_templates where workspace_id = $1 and template_id = $2 and archived_at is null for update`,
);
export const NAMED = statement(
  'templates-named',
  'select from notification_templates where workspace_id = $1 and template_id = $2 and archived_at is null',
);
export const UPDATE = statement(
  'templates-update',
  `update notification_templates
      set alias = $3, revision = $4, latest_version = $5, published_version = $6, draft_version = $7,
          updated_at = case when $4 > 1 then greatest(now(), created_at) end
    where workspace_id = $1 and template_id = $2`,
);
export const ARCHIVE = statement(
  'templates-archive',
  `update notification_templates set archived_at = now(), alias = null, revision = revision + 1
    where workspace_id = $1 and template_id = $2`,
);
export const PUT_DRAFT = statement(
  'template-versions-put-draft',
  `insert into notification_versions (workspace_id, template_id, version, ${VERSION_COLUMNS}, bytes)
   values ($1, $2, 0, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   on conflict (workspace_id, template_id, version) do update set
     name = excluded.name, tags = excluded.tags, brand_id = excluded.brand_id, topic_id = excluded.topic_id,
     strategy_id = excluded.strategy_id, email = excluded.email, content = excluded.content, element_ids = excluded.element_ids,
     bytes = excluded.bytes, created_at = now()`,
);
export const PUT_PUBLISHED = statement(
  'template-versions-put-published',
  `insert into notification_versions (workspace_id, template_id, version, ${VERSION_COLUMNS}, bytes)
   values ($1, $2, $12, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);
export const COPY_DRAFT = statement(
  'template-versions-copy-draft',
  `insert into notification_versions (workspace_id, template_id, version, ${VERSION_COLUMNS}, bytes)
   select workspace_id, template_id, $3, ${VERSION_COLUMNS}, bytes
     from notification_versions where workspace_id = $1 and template_id = $2 and version = 0`,
);
export const VERSION = statement(
  'template-versions-retrieve',
  `select ${VERSION_COLUMNS} from notification_versions where workspace_id = $1 and template_id = $2 and version = $3`,
);
export const STRATEGY = statement(
  'template-versions-strategy',
  'select strategy_id from notification_versions where workspace_id = $1 and template_id = $2 and version = $3',
);
/** Removes old versions. The caller excludes the published one and the one that the draft equals; the draft has version 0. */
export const PRUNE = statement(
  'template-versions-prune',
  `delete from notification_versions
    where workspace_id = $1 and template_id = $2 and version > 0 and version <= $3 and version <> all($4::int[])`,
);
/** The tags of the published version, or of the draft where none is published, as listings show them. */
export const RETAG = statement(
  'template-tags-write',
  `with shown as (
     select tags from notification_versions where workspace_id = $1 and template_id = $2 and version = $3
   ), removed as (
     delete from notification_tags where workspace_id = $1 and template_id = $2 and tag <> all (select unnest(tags) from shown)
   )
   insert into notification_tags (workspace_id, template_id, created_at, tag)
   select distinct $1::uuid, $2, $4::timestamptz, unnest(tags) from shown
   on conflict do nothing`,
);
export const RELINK = statement(
  'template-links-write',
  `with wanted as (
     select distinct strategy_id from notification_versions
      where workspace_id = $1 and template_id = $2 and version in (0, $3) and strategy_id is not null
   ), removed as (
     delete from notification_strategies
      where workspace_id = $1 and template_id = $2 and strategy_id not in (select strategy_id from wanted)
   )
   insert into notification_strategies (workspace_id, template_id, created_at, strategy_id)
   select $1::uuid, $2, $4::timestamptz, strategy_id from wanted
   on conflict do nothing`,
);
export const UNTAG = statement('template-tags-remove', 'delete from notification_tags where workspace_id = $1 and template_id = $2');
export const UNLINK = statement(
  'template-links-remove',
  'delete from notification_strategies where workspace_id = $1 and template_id = $2',
);

/** The columns `VERSION_COLUMNS` and `bytes`. */
export function valuesOf({ name, tags, brand_id, topic_id, strategy_id, email, content, element_ids, ...rest }: VersionFields): unknown[] {
  rest satisfies Record<string, never>;
  const text = JSON.stringify(content);
  const mail = email === null ? null : JSON.stringify(email);
  const bytes = Buffer.byteLength(text) + Buffer.byteLength(mail ?? '') + Buffer.byteLength(JSON.stringify([name, tags]));
  return [name, tags, brand_id, topic_id, strategy_id, mail, text, element_ids, bytes];
}
