import { unwatchChanges, watchChanges, type WatchedTable } from '@tidings/persistence/audit.migrations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES: readonly WatchedTable[] = [
  { table: 'brands' },
  { table: 'translations' },
  { table: 'event_mappings' },
  { table: 'routing_strategies' },
  { table: 'notification_templates', ignored: ['draft_version'] },
  { table: 'notification_versions', versionsOf: ['template_id'] },
  { table: 'notification_submissions' },
  { table: 'tenant_templates' },
  { table: 'tenant_template_versions', versionsOf: ['tenant_id', 'template_id'] },
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
