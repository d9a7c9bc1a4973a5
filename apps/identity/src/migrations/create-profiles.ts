import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * No foreign key to `workspaces`: the workspace comes from a verified credential, and the check would lock the one row of
 * a workspace at every new profile. User ids compare byte by byte, the same on every machine.
 */
export class CreateProfiles1764000000003 implements MigrationInterface {
  readonly name = 'CreateProfiles1764000000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists profiles (
        workspace_id uuid not null,
        user_id text collate "C" not null,
        profile jsonb not null check (jsonb_typeof(profile) = 'object'),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (workspace_id, user_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists profiles');
  }
}
