import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Jobs that send one message to many users, and the users that were added to them. */
export class CreateBulkJobs1766000017000 implements MigrationInterface {
  readonly name = 'CreateBulkJobs1766000017000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table bulk_jobs (
        workspace_id uuid not null,
        job_id uuid not null,
        message json not null,
        status text not null default 'CREATED',
        received integer not null default 0,
        enqueued integer not null default 0,
        failures integer not null default 0,
        created_at timestamptz(3) not null default now(),
        run_at timestamptz(3),
        primary key (workspace_id, job_id)
      ) with (fillfactor = 50)`);
    // An entry that names nobody has no recipient, and is nobody's duplicate.
    await runner.query(`
      create table bulk_users (
        workspace_id uuid not null,
        job_id uuid not null,
        ordinal bigint not null,
        recipient text collate "C",
        status text not null,
        entry json not null,
        bytes integer not null,
        message_id uuid,
        error text,
        primary key (workspace_id, job_id, ordinal)
      ) with (fillfactor = 80)`);
    await runner.query('create unique index bulk_users_by_recipient on bulk_users (workspace_id, job_id, recipient)');
    await runner.query('create sequence bulk_users_ordinal');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop sequence bulk_users_ordinal');
    await runner.query('drop table bulk_users');
    await runner.query('drop table bulk_jobs');
  }
}
