import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often tenants of a workspace were given another parent: whoever walks its tree learns whether it changed meanwhile. */
export class CreateTenantMoves1764000000050 implements MigrationInterface {
  readonly name = 'CreateTenantMoves1764000000050';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table if not exists tenant_moves (workspace_id uuid primary key, moves bigint not null)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists tenant_moves');
  }
}
