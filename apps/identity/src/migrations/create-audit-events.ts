import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who changed what about who may come in. */
export class CreateAuditEvents1764000000040 implements MigrationInterface {
  readonly name = 'CreateAuditEvents1764000000040';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists audit_events (
        workspace_id uuid not null,
        audit_event_id uuid not null,
        at timestamptz not null,
        type text not null,
        actor_id text not null,
        actor_email text,
        target_id text,
        target_email text,
        primary key (workspace_id, audit_event_id)
      )`);
    await runner.query('create index if not exists audit_events_by_time on audit_events (workspace_id, at desc, audit_event_id desc)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists audit_events');
  }
}
