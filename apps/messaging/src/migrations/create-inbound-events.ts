import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which occurrences clients have told of, by their own ids, so that none counts twice. */
export class CreateInboundEvents1766000030000 implements MigrationInterface {
  readonly name = 'CreateInboundEvents1766000030000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table inbound_events (
        workspace_id uuid not null,
        client_id text collate "C" not null,
        message_id uuid not null,
        at bigint not null,
        primary key (workspace_id, client_id)
      )`);
    // Of all workspaces: what is over is removed in one walk.
    await runner.query('create index inbound_events_by_age on inbound_events (at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table inbound_events');
  }
}
