import { unwatchChanges, watchChanges, type WatchedTable } from '@tidings/persistence/audit.migrations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES: readonly WatchedTable[] = [
  { table: 'provider_configurations', ignored: ['key_id', 'place'] },
  { table: 'bulk_jobs' },
  { table: 'archived_requests', rows: 'archived' },
];

/** Audit events name the changed fields of these tables. */
export class WatchChanges1796000000001 implements MigrationInterface {
  readonly name = 'WatchChanges1796000000001';

  async up(runner: QueryRunner): Promise<void> {
    await watchChanges(runner, TABLES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await unwatchChanges(runner, TABLES);
  }
}
