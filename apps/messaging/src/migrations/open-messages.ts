import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Messages take many steps: they wait for their time or turn, and try one way after another. What a message has before it stands
 * in `open_messages` until it is done; most messages have one way and never come there. A request for many recipients stands in
 * `expansions` until each of them has a message.
 */
export class OpenMessages1766000000000 implements MigrationInterface {
  readonly name = 'OpenMessages1766000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table open_messages (
        message_id uuid primary key,
        workspace_id uuid not null,
        lane smallint not null,
        stage text not null,
        turn integer not null,
        due_at timestamptz,
        state json not null
      ) with (fillfactor = 70)`);
    // Whatever waits for a thread is looked for apart from the others, and must not be looked for among them.
    await runner.query(`create index open_messages_due on open_messages (due_at) where due_at is not null and stage <> 'long'`);
    await runner.query(`create index open_messages_due_apart on open_messages (due_at) where due_at is not null and stage = 'long'`);
    await runner.query('create index open_messages_in_turn on open_messages (workspace_id, lane, due_at)');
    await runner.query(`create index open_messages_in_turn_apart on open_messages (workspace_id, lane, due_at) where stage = 'long'`);
    await runner.query(`
      alter table deliveries
        add column integration text not null default 'default',
        add column lane smallint not null default 1,
        add column step integer not null default 1,
        add column more boolean not null default false,
        add column since_ms bigint not null default 0,
        add column has_slot boolean not null default false,
        add column announced boolean not null default false`);
    await runner.query(`
      update deliveries set since_ms = messages.enqueued_at from messages
      where messages.workspace_id = deliveries.workspace_id and messages.id = deliveries.message_id`);
    // For who removes a configuration: the default one, which most deliveries go by, nobody can.
    await runner.query("create index deliveries_by_integration on deliveries (workspace_id, integration) where integration <> 'default'");
    await runner.query('create index deliveries_in_turn on deliveries (workspace_id, lane, due_at)');
    await runner.query(`
      create table expansions (
        request_id uuid primary key,
        workspace_id uuid not null,
        lane smallint not null,
        turn integer not null,
        due_at timestamptz not null,
        request json not null,
        progress json not null
      ) with (fillfactor = 70)`);
    await runner.query('create index expansions_due on expansions (due_at)');
    await runner.query('create index expansions_in_turn on expansions (workspace_id, lane, due_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index deliveries_in_turn');
    await runner.query('drop index deliveries_by_integration');
    await runner.query(
      'alter table deliveries drop column integration, drop column lane, drop column step, drop column more, drop column since_ms, drop column has_slot, drop column announced',
    );
    await runner.query('drop table expansions');
    await runner.query('drop table open_messages');
  }
}
