import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tenants' templates and their versions. The tenant itself is identity's, and need not exist. */
export class CreateTenantTemplates1764000002002 implements MigrationInterface {
  readonly name = 'CreateTenantTemplates1764000002002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists tenant_templates (
        workspace_id uuid not null,
        tenant_id text collate "C" not null,
        template_id text collate "C" not null,
        latest_version integer not null,
        published_version integer,
        published_at timestamptz(3),
        created_at timestamptz(3) not null default now(),
        primary key (workspace_id, tenant_id, template_id)
      )`);
    await runner.query(`
      create table if not exists tenant_template_versions (
        workspace_id uuid not null,
        tenant_id text collate "C" not null,
        template_id text collate "C" not null,
        version integer not null check (version > 0),
        content json not null,
        routing json,
        channels json,
        providers json,
        bytes integer not null,
        created_at timestamptz(3) not null default now(),
        primary key (workspace_id, tenant_id, template_id, version)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists tenant_template_versions');
    await runner.query('drop table if exists tenant_templates');
  }
}
