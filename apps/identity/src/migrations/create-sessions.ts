import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sessions of the console, and the codes that open one. `hash` is SHA-256 of the id in the cookie, or of the code: neither is stored. A
 * session has a key or a role; that of an operator has the operator's name, and no workspace.
 */
export class CreateSessions1796810000000 implements MigrationInterface {
  readonly name = 'CreateSessions1796810000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists sessions (
        id uuid primary key,
        hash bytea not null unique check (length(hash) = 32),
        workspace_id uuid references workspaces (id),
        key_id uuid references api_keys (id),
        role text,
        operator text,
        proof text,
        created_at timestamptz not null default now(),
        used_at timestamptz not null default now(),
        idle_seconds integer not null,
        ends_at timestamptz not null,
        check ((key_id is null) = (role is not null)),
        check (workspace_id is not null or key_id is null)
      )`);
    await runner.query('create index if not exists sessions_by_end on sessions (ends_at)');
    await runner.query(`
      create table if not exists session_codes (
        hash bytea primary key check (length(hash) = 32),
        workspace_id uuid not null references workspaces (id),
        key_id uuid not null references api_keys (id),
        ends_at timestamptz not null
      )`);
    await runner.query('create index if not exists session_codes_by_end on session_codes (ends_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists session_codes');
    await runner.query('drop table if exists sessions');
  }
}
