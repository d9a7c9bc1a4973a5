import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The domains from which workspaces may send with the default e-mail provider, where they have a list of their own. */
export class LimitSenders1796000004000 implements MigrationInterface {
  readonly name = 'LimitSenders1796000004000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table if not exists sender_domains (workspace_id uuid primary key, domains text[] not null)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table sender_domains');
  }
}
