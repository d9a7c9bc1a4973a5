import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Messages and their history, partitioned by time: a message id is 16 bytes that begin with its second, so it is the
 * partition key, the primary key and the order of "newest first" in one. Open deliveries stay apart, small and unpartitioned.
 */
export class CreateMessages1764000000000 implements MigrationInterface {
  readonly name = 'CreateMessages1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table messages (
        workspace_id uuid not null,
        id uuid not null,
        status text not null,
        recipient text not null,
        event text not null,
        notification text not null,
        enqueued_at bigint not null,
        sent_at bigint,
        delivered_at bigint,
        opened_at bigint,
        clicked_at bigint,
        reason text,
        error text,
        tags jsonb,
        trace_id text,
        list_id text,
        tenant_id text,
        archived boolean not null default false,
        providers jsonb,
        last_number integer not null,
        last_event_at bigint not null,
        primary key (workspace_id, id)
      ) partition by range (id)`);
    await runner.query(`create table messages_default partition of messages default with (fillfactor = 85)`);
    await runner.query(`create index messages_by_recipient on messages (workspace_id, recipient, id)`);
    await runner.query(`create index messages_by_event on messages (workspace_id, event, id) where event <> ''`);
    await runner.query(`create index messages_by_trace on messages (workspace_id, trace_id, id) where trace_id is not null`);
    await runner.query(`create index messages_by_tag on messages using gin (tags) where tags is not null`);

    await runner.query(`create sequence history_sequence`);
    await runner.query(`
      create table history (
        workspace_id uuid not null,
        message_id uuid not null,
        number integer not null,
        at bigint not null,
        events json not null,
        sequence bigint not null default nextval('history_sequence'),
        primary key (message_id, number)
      ) partition by range (message_id)`);
    // Most rows are large enough to be compressed; lz4 costs a fraction of the default. Not every server is built with it.
    await runner.query(`
      do $$ begin
        alter table history alter column events set compression lz4;
      exception when feature_not_supported then null;
      end $$`);
    await runner.query(`create table history_default partition of history default`);

    await runner.query(`
      create table deliveries (
        message_id uuid not null,
        leaf smallint not null,
        workspace_id uuid not null,
        channel text not null,
        provider text not null,
        attempt integer not null,
        attempt_open boolean not null,
        due_at timestamptz not null,
        primary key (message_id, leaf)
      ) with (fillfactor = 70)`);
    await runner.query(`create index deliveries_due on deliveries (due_at)`);

    // The sequence is drawn under this lock, which is held until the commit: sequence order is commit order, and a
    // reader that goes on from the last sequence it saw misses nothing.
    await runner.query(`
      create function append_history(workspace_ids uuid[], message_ids uuid[], numbers integer[], ats bigint[], event_rows json[])
      returns void language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(hashtext('messaging.history'));
        insert into history (workspace_id, message_id, number, at, events)
          select * from unnest(workspace_ids, message_ids, numbers, ats, event_rows);
      end
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function append_history`);
    await runner.query(`drop table deliveries`);
    await runner.query(`drop table history`);
    await runner.query(`drop sequence history_sequence`);
    await runner.query(`drop table messages`);
  }
}
