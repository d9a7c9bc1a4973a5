import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The secrets of callback addresses, events whose message is not stored yet, and the vendors' own ids and tickets of messages. */
export class CreateProviderEvents1796200000000 implements MigrationInterface {
  readonly name = 'CreateProviderEvents1796200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists provider_callbacks (
        workspace_id uuid not null,
        configuration_id text collate "C" not null,
        secrets bytea not null,
        key_id text collate "C",
        primary key (workspace_id, configuration_id)
      )`);
    // A callback names its configuration, not its workspace.
    await runner.query('create index if not exists provider_callbacks_by_configuration on provider_callbacks (configuration_id)');
    await runner.query(`
      create table if not exists parked_provider_events (
        workspace_id uuid not null,
        event_id text collate "C" not null,
        event json not null,
        parked_at timestamptz not null default clock_timestamp(),
        due_at timestamptz not null,
        primary key (workspace_id, event_id)
      )`);
    await runner.query('create index if not exists parked_provider_events_due on parked_provider_events (due_at)');
    await runner.query(`
      create table if not exists provider_references (
        workspace_id uuid not null,
        configuration_id text collate "C" not null,
        reference text collate "C" not null,
        message_id uuid not null,
        primary key (workspace_id, configuration_id, reference)
      )`);
    await runner.query('create index if not exists provider_references_by_message on provider_references (message_id)');
    await runner.query(`
      create table if not exists provider_tickets (
        workspace_id uuid not null,
        configuration_id text collate "C" not null,
        ticket text collate "C" not null,
        message_id uuid not null,
        token text not null,
        others smallint not null,
        accepted_at timestamptz not null default clock_timestamp(),
        due_at timestamptz not null,
        primary key (workspace_id, configuration_id, ticket)
      )`);
    await runner.query('create index if not exists provider_tickets_due on provider_tickets (workspace_id, configuration_id, due_at)');
    await runner.query('create index if not exists provider_tickets_of_message on provider_tickets (message_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table provider_tickets');
    await runner.query('drop table provider_references');
    await runner.query('drop table parked_provider_events');
    await runner.query('drop table provider_callbacks');
  }
}
