import { statement } from '@tidings/persistence/database';

/** SQL: copies the content within the database. */
export const COPY_DRAFT = statement(
  'template-versions-copy-draft',
  `insert into notification_versions
     (workspace_id, template_id, version, name, tags, brand_id, topic_id, strategy_id, email, content, element_ids, bytes)
   select workspace_id, template_id, $3, name, tags, brand_id, topic_id, strategy_id, email, content, element_ids, bytes
     from notification_versions where workspace_id = $1 and template_id = $2 and version = 0`,
);
/** SQL: writes only what differs. The tags of the published version, or of the draft where none is published, as listings show them. */
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
/** SQL: writes only what differs. The strategies of the draft and of the published version. */
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
