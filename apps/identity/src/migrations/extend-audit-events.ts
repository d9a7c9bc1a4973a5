import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who made a change, by which operation, and the names of the changed fields. Earlier versions of this service insert rows without them. */
export class ExtendAuditEvents1796000000002 implements MigrationInterface {
  readonly name = 'ExtendAuditEvents1796000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table audit_events
        add column if not exists actor jsonb,
        add column if not exists operation text,
        add column if not exists before text[],
        add column if not exists after text[]`);
    // For erasure, which looks for the events of a user.
    await runner.query(`
      create index if not exists audit_events_of_user on audit_events (workspace_id, target_id) where type like 'user:%'`);
    await runner.query(`
      create index if not exists audit_events_by_user on audit_events using gin ((actor -> 'users')) where actor ? 'users'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const index of ['by_user', 'of_user']) await runner.query(`drop index if exists audit_events_${index}`);
    await runner.query(`
      alter table audit_events
        drop column if exists actor,
        drop column if exists operation,
        drop column if exists before,
        drop column if exists after`);
  }
}
