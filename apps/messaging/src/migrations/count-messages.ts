import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts of messages per minute since the epoch. `counter`: see `MessageCounts`. */
export class CountMessages1796900000000 implements MigrationInterface {
  readonly name = 'CountMessages1796900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists message_minutes (
        workspace_id uuid not null,
        minute integer not null,
        counter smallint not null,
        count integer not null,
        primary key (workspace_id, minute, counter)
      ) with (fillfactor = 85)`);
    await runner.query('create index if not exists message_minutes_by_age on message_minutes (minute)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists message_minutes');
  }
}
