import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests to many that are canceled: how far the walk through their messages came, and what it counted. */
export class CancelRequests1768000019000 implements MigrationInterface {
  readonly name = 'CancelRequests1768000019000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table request_cancellations (
        workspace_id uuid not null,
        request_id uuid not null,
        begun_by text not null,
        after_id uuid not null default '00000000-0000-0000-0000-000000000000',
        canceled integer not null default 0,
        too_late integer not null default 0,
        has_effect boolean not null default false,
        finished boolean not null default false,
        due_at timestamptz not null,
        primary key (workspace_id, request_id)
      )`);
    await runner.query('create index request_cancellations_due on request_cancellations (due_at) where not finished');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table request_cancellations');
  }
}
