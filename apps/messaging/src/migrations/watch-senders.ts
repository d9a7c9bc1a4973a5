import { watchChanges, type WatchedTable } from '@tidings/persistence/audit.migrations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES: readonly WatchedTable[] = [{ table: 'sender_domains' }];

/** Audit events name the changed fields of this table, too. */
export class WatchSenders1796000005000 implements MigrationInterface {
  readonly name = 'WatchSenders1796000005000';

  async up(runner: QueryRunner): Promise<void> {
    await watchChanges(runner, TABLES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger if exists audit_change on sender_domains');
  }
}
