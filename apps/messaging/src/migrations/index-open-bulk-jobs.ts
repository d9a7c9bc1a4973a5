import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The jobs whose rows count for the quota. The status changes twice at most, so updates of their counts stay cheap. */
export class IndexOpenBulkJobs1795911600000 implements MigrationInterface {
  readonly name = 'IndexOpenBulkJobs1795911600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index if not exists bulk_jobs_open on bulk_jobs (workspace_id) where status in ('CREATED', 'PROCESSING')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists bulk_jobs_open');
  }
}
