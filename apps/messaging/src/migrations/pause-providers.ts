import { watchChanges, type WatchedTable } from '@tidings/persistence/audit.migrations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES: readonly WatchedTable[] = [{ table: 'provider_pauses' }];

/** Providers that operators paused, in one workspace or, under the system's, in all. */
export class PauseProviders1796120000000 implements MigrationInterface {
  readonly name = 'PauseProviders1796120000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists provider_pauses (
        workspace_id uuid not null,
        name text collate "C" not null,
        paused_at timestamptz(3) not null default now(),
        paused_by text not null,
        primary key (workspace_id, name)
      )`);
    await watchChanges(runner, TABLES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table provider_pauses');
  }
}
