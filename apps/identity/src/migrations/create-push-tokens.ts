import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One row for each token of a workspace, whoever it is registered for. The key is the token's SHA-256: tokens may be longer
 * than an index holds, and no error of the database can repeat one. `expires_at` is null for never. `bytes` is what the token
 * takes in an answer. Times are kept in ms, as push services tell them.
 */
export class CreatePushTokens1764000000020 implements MigrationInterface {
  readonly name = 'CreatePushTokens1764000000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists push_tokens (
        workspace_id uuid not null,
        token_hash bytea not null check (octet_length(token_hash) = 32),
        token text collate "C" not null,
        user_id text collate "C" not null,
        provider_key text not null,
        device jsonb,
        tracking jsonb,
        properties jsonb,
        bytes integer not null,
        expires_at timestamptz(3),
        status text not null default 'active',
        status_reason text,
        failed_at timestamptz(3),
        reported_at timestamptz(3),
        registered_at timestamptz(3) not null default now(),
        primary key (workspace_id, token_hash)
      )`);
    await runner.query('create index if not exists push_tokens_of_user on push_tokens (workspace_id, user_id)');
    await runner.query(
      'create index if not exists push_tokens_by_expiry on push_tokens (workspace_id, expires_at) where expires_at is not null',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists push_tokens');
  }
}
