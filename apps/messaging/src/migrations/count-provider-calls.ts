import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts of the calls of providers per minute since the epoch. `counter`: see `ProviderCounts`. */
export class CountProviderCalls1797000100000 implements MigrationInterface {
  readonly name = 'CountProviderCalls1797000100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists provider_minutes (
        workspace_id uuid not null,
        provider_id text not null,
        minute integer not null,
        counter smallint not null,
        count integer not null,
        primary key (workspace_id, provider_id, minute, counter)
      ) with (fillfactor = 85)`);
    await runner.query('create index if not exists provider_minutes_by_age on provider_minutes (minute)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists provider_minutes');
  }
}
