import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Brands, translations and event mappings. `json`, not `jsonb`: what was put is answered with its keys in their order.
 * `bytes` is what a row takes in an answer; `revision` is never drawn twice, so that it tells apart what has one name.
 */
export class CreateBrands1764000000050 implements MigrationInterface {
  readonly name = 'CreateBrands1764000000050';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create sequence if not exists content_revisions');
    await runner.query(`
      create table if not exists brands (
        workspace_id uuid not null,
        brand_id text collate "C" not null,
        name text not null,
        settings json not null check (json_typeof(settings) = 'object'),
        snippets json check (json_typeof(snippets) = 'object'),
        bytes integer not null,
        revision bigint not null default nextval('content_revisions'),
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        primary key (workspace_id, brand_id)
      )`);
    await runner.query(`
      create table if not exists translations (
        workspace_id uuid not null,
        locale text collate "C" not null,
        po text not null,
        bytes integer not null,
        revision bigint not null default nextval('content_revisions'),
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        primary key (workspace_id, locale)
      )`);
    await runner.query(`
      create table if not exists event_mappings (
        workspace_id uuid not null,
        event_id text collate "C" not null,
        notification_id text collate "C" not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        primary key (workspace_id, event_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists event_mappings');
    await runner.query('drop table if exists translations');
    await runner.query('drop table if exists brands');
    await runner.query('drop sequence if exists content_revisions');
  }
}
