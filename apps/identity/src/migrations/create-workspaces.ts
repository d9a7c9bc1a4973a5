import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The boundary nobody crosses: everything else belongs to one of these. */
export class CreateWorkspaces1764000000001 implements MigrationInterface {
  readonly name = 'CreateWorkspaces1764000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists workspaces (
        id uuid primary key,
        name text not null unique,
        account_email text not null,
        created_at timestamptz not null default now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists workspaces');
  }
}
