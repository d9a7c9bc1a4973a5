import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `hash` is SHA-256 of the key, which itself is nowhere. A revoked key stays, so that it can never be made again. */
export class CreateApiKeys1764000000002 implements MigrationInterface {
  readonly name = 'CreateApiKeys1764000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists api_keys (
        id uuid primary key,
        workspace_id uuid not null references workspaces (id),
        hash bytea not null unique check (length(hash) = 32),
        mode text not null check (mode in ('production', 'test')),
        scopes text[] not null,
        created_at timestamptz not null default now(),
        revoked_at timestamptz
      )`);
    await runner.query('create index if not exists api_keys_workspace on api_keys (workspace_id, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists api_keys');
  }
}
