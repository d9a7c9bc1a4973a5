import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What operators tell keys apart by. `hint` is the key's last four characters, unknown of older keys; `valid_until` is when a
 * key ends that was rotated.
 */
export class DescribeApiKeys1764000000041 implements MigrationInterface {
  readonly name = 'DescribeApiKeys1764000000041';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table api_keys
        add column if not exists name text,
        add column if not exists hint text,
        add column if not exists valid_until timestamptz`);
    await runner.query('create index if not exists api_keys_by_time on api_keys (workspace_id, created_at desc, id desc)');
    await runner.query('create index if not exists workspaces_by_time on workspaces (created_at desc, id desc)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists workspaces_by_time');
    await runner.query('drop index if exists api_keys_by_time');
    await runner.query('alter table api_keys drop column if exists valid_until, drop column if exists hint, drop column if exists name');
  }
}
