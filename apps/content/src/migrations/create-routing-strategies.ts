import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What clients put is kept as text of JSON, so that it is answered as it came. */
export class CreateRoutingStrategies1764000002000 implements MigrationInterface {
  readonly name = 'CreateRoutingStrategies1764000002000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists routing_strategies (
        workspace_id uuid not null,
        strategy_id text collate "C" not null,
        name text not null,
        description text,
        tags text[],
        routing json not null,
        channels json not null,
        providers json not null,
        bytes integer not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3),
        primary key (workspace_id, strategy_id)
      )`);
    await runner.query(
      'create index if not exists routing_strategies_by_age on routing_strategies (workspace_id, created_at, strategy_id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists routing_strategies');
  }
}
