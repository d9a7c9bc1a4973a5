import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts for quotas. Unlogged, because a lost count is counted again. */
export class CreateQuotaCounts1795911600002 implements MigrationInterface {
  readonly name = 'CreateQuotaCounts1795911600002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create unlogged table if not exists quota_counts (
        workspace_id uuid not null,
        name text collate "C" not null,
        count bigint not null,
        counted_at timestamptz not null,
        primary key (workspace_id, name)
      ) with (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists quota_counts');
  }
}
