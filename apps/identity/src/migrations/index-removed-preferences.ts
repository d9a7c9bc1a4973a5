import { createIndexConcurrently } from '@tidings/persistence/concurrent-index';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was deleted of preferences since their publication is read from the audit events, which may be many. */
export class IndexRemovedPreferences1796910000000 implements MigrationInterface {
  readonly name = 'IndexRemovedPreferences1796910000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(runner, {
      name: 'audit_events_of_removed_preferences',
      table: 'audit_events',
      definition: `(workspace_id, at) where type in ('preference-section:deleted', 'preference-topic:deleted')`,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists audit_events_of_removed_preferences');
  }
}
