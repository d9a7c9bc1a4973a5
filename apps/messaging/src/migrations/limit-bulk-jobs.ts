import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The limits of the API key that created a bulk job. */
export class LimitBulkJobs1796000001000 implements MigrationInterface {
  readonly name = 'LimitBulkJobs1796000001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table bulk_jobs add column if not exists limits json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table bulk_jobs drop column if exists limits');
  }
}
