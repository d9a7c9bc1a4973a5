import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The log of choices. `tenant_id` is empty for what counts everywhere, as in `user_preferences`; `topic_name` is that of the time of the
 * change, as a topic may be renamed and deleted.
 */
export class CreatePreferenceChanges1796800000000 implements MigrationInterface {
  readonly name = 'CreatePreferenceChanges1796800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists preference_changes (
        workspace_id uuid not null,
        change_id uuid not null,
        at timestamptz not null,
        user_id text collate "C" not null,
        tenant_id text collate "C" not null,
        topic_id text collate "C" not null,
        topic_name text not null,
        source text not null,
        message_id uuid,
        status text not null,
        has_custom_routing boolean not null,
        custom_routing text[] not null,
        previous jsonb,
        primary key (workspace_id, change_id)
      )`);
    await runner.query('create index if not exists preference_changes_by_time on preference_changes (workspace_id, at, change_id)');
    await runner.query(
      'create index if not exists preference_changes_of_user on preference_changes (workspace_id, user_id, at, change_id)',
    );
    // For the removal of old rows: they are stored in the order of their times.
    await runner.query('create index if not exists preference_changes_by_age on preference_changes using brin (at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists preference_changes');
  }
}
