import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A listing of templates shows the events that are mapped to each. */
export class IndexEventMappings1764000002003 implements MigrationInterface {
  readonly name = 'IndexEventMappings1764000002003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create index if not exists event_mappings_by_notification on event_mappings (workspace_id, notification_id, event_id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index if exists event_mappings_by_notification');
  }
}
