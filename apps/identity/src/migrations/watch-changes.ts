import { unwatchChanges, watchChanges, type WatchedTable } from '@tidings/persistence/audit.migrations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES: readonly WatchedTable[] = [
  { table: 'profiles', ignored: ['user_id'] },
  { table: 'push_tokens', rows: 'tokens' },
  { table: 'user_preferences', rows: 'preferences', by: 'topic_id' },
  { table: 'recipient_preferences', ignored: ['user_id'] },
  { table: 'user_tenants', rows: 'tenants', by: 'tenant_id' },
  { table: 'tenants' },
  { table: 'tenant_default_preferences', rows: 'default_preferences', by: 'topic_id' },
  { table: 'preference_sections' },
  { table: 'preference_topics' },
  { table: 'preference_pages' },
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
