import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A template, its versions (0 is the draft, the others never change), the tags of what is shown of it, and the strategies that its draft
 * and what is published are linked with; the last two in the order of listings. Content is kept as text of JSON, so that it is answered as
 * it came; `element_ids` are the ids of its nodes in reading order, `null` where it is of blocks.
 */
export class CreateTemplates1764000002001 implements MigrationInterface {
  readonly name = 'CreateTemplates1764000002001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists notification_templates (
        workspace_id uuid not null,
        template_id text collate "C" not null,
        alias text collate "C",
        revision integer not null,
        latest_version integer not null,
        published_version integer,
        draft_version integer,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3),
        archived_at timestamptz(3),
        primary key (workspace_id, template_id)
      )`);
    await runner.query(
      'create unique index if not exists notification_templates_alias on notification_templates (workspace_id, alias) where alias is not null',
    );
    await runner.query(
      'create index if not exists notification_templates_by_age on notification_templates (workspace_id, created_at, template_id) where archived_at is null',
    );
    await runner.query(`
      create table if not exists notification_versions (
        workspace_id uuid not null,
        template_id text collate "C" not null,
        version integer not null check (version >= 0),
        name text not null,
        tags text[] not null,
        brand_id text,
        topic_id text,
        strategy_id text collate "C",
        email json,
        content json not null,
        element_ids text[],
        bytes integer not null,
        created_at timestamptz(3) not null default now(),
        primary key (workspace_id, template_id, version)
      )`);
    await runner.query(`
      create table if not exists notification_tags (
        workspace_id uuid not null,
        tag text collate "C" not null,
        created_at timestamptz(3) not null,
        template_id text collate "C" not null,
        primary key (workspace_id, tag, created_at, template_id)
      )`);
    await runner.query('create index if not exists notification_tags_by_template on notification_tags (workspace_id, template_id)');
    await runner.query(`
      create table if not exists notification_strategies (
        workspace_id uuid not null,
        strategy_id text collate "C" not null,
        created_at timestamptz(3) not null,
        template_id text collate "C" not null,
        primary key (workspace_id, strategy_id, created_at, template_id)
      )`);
    await runner.query(
      'create index if not exists notification_strategies_by_template on notification_strategies (workspace_id, template_id)',
    );
    await runner.query(`
      create table if not exists notification_submissions (
        workspace_id uuid not null,
        template_id text collate "C" not null,
        submission_id bigint not null,
        checks json not null,
        primary key (workspace_id, template_id, submission_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['submissions', 'strategies', 'tags', 'versions', 'templates']) {
      await runner.query(`drop table if exists notification_${table}`);
    }
  }
}
