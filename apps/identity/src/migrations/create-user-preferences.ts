import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What people chose. `tenant_id` is empty for what counts everywhere; `status` is absent where only channels were chosen.
 * `recipient_preferences` is the older form, kept as it was given. A choice outlives the user's profile: who opted out and
 * comes back has still opted out.
 */
export class CreateUserPreferences1764000000031 implements MigrationInterface {
  readonly name = 'CreateUserPreferences1764000000031';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists user_preferences (
        workspace_id uuid not null,
        user_id text collate "C" not null,
        tenant_id text collate "C" not null,
        topic_id text collate "C" not null,
        status text check (status in ('OPTED_IN', 'OPTED_OUT')),
        has_custom_routing boolean not null,
        custom_routing text[] not null,
        updated_at timestamptz not null default now(),
        primary key (workspace_id, user_id, tenant_id, topic_id)
      )`);
    await runner.query(`
      create table if not exists recipient_preferences (
        workspace_id uuid not null,
        user_id text collate "C" not null,
        preferences jsonb not null check (jsonb_typeof(preferences) = 'object'),
        updated_at timestamptz not null default now(),
        primary key (workspace_id, user_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists recipient_preferences');
    await runner.query('drop table if exists user_preferences');
  }
}
