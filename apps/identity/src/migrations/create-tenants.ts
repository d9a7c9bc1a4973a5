import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tenants, their defaults, and who belongs to them. Ids compare byte by byte, the same on every machine. No foreign keys: an
 * association may be there before its tenant, and counts once the tenant exists.
 */
export class CreateTenants1764000000010 implements MigrationInterface {
  readonly name = 'CreateTenants1764000000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists tenants (
        workspace_id uuid not null,
        tenant_id text collate "C" not null,
        parent_tenant_id text collate "C",
        name text not null,
        brand_id text,
        properties jsonb check (jsonb_typeof(properties) = 'object'),
        user_profile jsonb check (jsonb_typeof(user_profile) = 'object'),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (workspace_id, tenant_id)
      )`);
    await runner.query(`
      create index if not exists tenants_by_parent on tenants (workspace_id, parent_tenant_id, tenant_id)
        where parent_tenant_id is not null`);
    await runner.query(`
      create table if not exists tenant_default_preferences (
        workspace_id uuid not null,
        tenant_id text collate "C" not null,
        topic_id text collate "C" not null,
        status text not null check (status in ('OPTED_IN', 'OPTED_OUT', 'REQUIRED')),
        has_custom_routing boolean not null,
        custom_routing text[] not null,
        primary key (workspace_id, tenant_id, topic_id)
      )`);
    await runner.query(`
      create table if not exists user_tenants (
        workspace_id uuid not null,
        user_id text collate "C" not null,
        tenant_id text collate "C" not null,
        profile jsonb not null check (jsonb_typeof(profile) = 'object'),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (workspace_id, user_id, tenant_id)
      )`);
    await runner.query('create index if not exists user_tenants_by_tenant on user_tenants (workspace_id, tenant_id, user_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists user_tenants');
    await runner.query('drop table if exists tenant_default_preferences');
    await runner.query('drop table if exists tenants');
  }
}
