import { createIndexConcurrently } from '@tidings/persistence/concurrent-index';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The failed users of a job, for their reasons. By `error`, not `status`: the run sets the latter, and its updates stay heap-only. */
export class IndexBulkFailures1797000000000 implements MigrationInterface {
  readonly name = 'IndexBulkFailures1797000000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const definition = '(workspace_id, job_id, ordinal) where error is not null';
    await createIndexConcurrently(runner, { name: 'bulk_users_failed', table: 'bulk_users', definition });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists bulk_users_failed');
  }
}
