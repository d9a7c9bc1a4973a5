import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rates and quotas. `rate_buckets` has the buckets that gateways share: the workspace's under the nil key, and one for each key with
 * a rate of its own. Unlogged, because a lost bucket is a full one.
 */
export class AddLimits1795911600001 implements MigrationInterface {
  readonly name = 'AddLimits1795911600001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table workspaces
        add column if not exists rate_limit text,
        add column if not exists quotas jsonb not null default '{}'`);
    await runner.query('alter table api_keys add column if not exists rate_limit text');
    await runner.query(`
      create unlogged table if not exists rate_buckets (
        workspace_id uuid not null,
        key_id uuid not null,
        tokens float8 not null,
        burst float8 not null,
        per_second float8 not null,
        filled_at timestamptz not null,
        gateways jsonb not null,
        primary key (workspace_id, key_id)
      ) with (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists rate_buckets');
    await runner.query('alter table api_keys drop column if exists rate_limit');
    await runner.query('alter table workspaces drop column if exists quotas, drop column if exists rate_limit');
  }
}
