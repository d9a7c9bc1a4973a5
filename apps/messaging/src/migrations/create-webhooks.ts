import { watchChanges, type WatchedTable } from '@tidings/persistence/audit.migrations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES: readonly WatchedTable[] = [{ table: 'webhooks', ignored: ['key_id'] }];

/** Event types of a history that are statuses of a message. */
const STATUSES =
  "'ENQUEUED', 'DELAYED', 'ROUTED', 'SIMULATED', 'SENT', 'DELIVERED', 'OPENED', 'CLICKED', 'UNDELIVERABLE', 'UNROUTABLE', " +
  "'UNMAPPED', 'FILTERED', 'THROTTLED', 'DIGESTED', 'CANCELED'";

/** A delivery still due of the same message and webhook. */
const WAITING = `waiting.workspace_id = webhooks.workspace_id and waiting.webhook_id = webhooks.webhook_id
              and waiting.message_id = step.message_id and waiting.ended_at is null`;

/**
 * Outbound webhooks. The transaction that appends to the history adds a delivery for each webhook of the workspace; where a batch has no
 * workspace with a webhook this costs one look-up.
 */
export class CreateWebhooks1796300000000 implements MigrationInterface {
  readonly name = 'CreateWebhooks1796300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists webhooks (
        workspace_id uuid not null,
        webhook_id text collate "C" not null,
        url text not null,
        description text,
        event_types text[] not null,
        state text collate "C" not null default 'active',
        state_reason text,
        secrets bytea not null,
        key_id text collate "C",
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3),
        primary key (workspace_id, webhook_id)
      )`);
    await watchChanges(runner, TABLES);
    // Apart from the webhooks, because each round of calls changes it: leases, and how long the receiver fails.
    await runner.query(`
      create table if not exists webhook_queues (
        queue_id uuid primary key default gen_random_uuid(),
        workspace_id uuid not null,
        webhook_id text collate "C" not null,
        lane smallint not null default 0,
        turn integer not null default 0,
        claimed_generation integer,
        due_at timestamptz not null default clock_timestamp(),
        failures integer not null default 0,
        failing_since timestamptz,
        unique (workspace_id, webhook_id)
      ) with (fillfactor = 70)`);
    await runner.query('create index if not exists webhook_queues_due on webhook_queues (due_at)');
    await runner.query('create index if not exists webhook_queues_of_owner on webhook_queues (workspace_id, lane, due_at)');
    await runner.query(`
      create table if not exists webhook_deliveries (
        delivery_id uuid primary key,
        workspace_id uuid not null,
        webhook_id text collate "C" not null,
        message_id uuid not null,
        number integer not null,
        status text collate "C" not null,
        result text collate "C" not null default 'pending',
        attempts integer not null default 0,
        code integer,
        duration_ms integer,
        error text,
        due_at timestamptz not null,
        since_at timestamptz not null default now(),
        attempted_at timestamptz,
        ended_at timestamptz,
        created_at timestamptz not null default now(),
        unique (workspace_id, webhook_id, message_id, number)
      )`);
    await runner.query(
      'create index if not exists webhook_deliveries_due on webhook_deliveries (workspace_id, webhook_id, due_at, number) where ended_at is null',
    );
    await runner.query(
      'create index if not exists webhook_deliveries_of_webhook on webhook_deliveries (workspace_id, webhook_id, created_at, number, delivery_id)',
    );
    await runner.query('create index if not exists webhook_deliveries_by_age on webhook_deliveries using brin (created_at)');
    await runner.query(`
      create or replace function add_webhook_deliveries(workspace_ids uuid[], message_ids uuid[], numbers integer[], event_rows json[])
      returns void language sql as $$
        insert into webhook_deliveries (delivery_id, workspace_id, webhook_id, message_id, number, status, due_at)
        select gen_random_uuid(), webhooks.workspace_id, webhooks.webhook_id, step.message_id, step.number + event.ordinal::integer - 1,
               event.value ->> 'type',
               greatest(clock_timestamp(), (select max(waiting.due_at) from webhook_deliveries waiting where ${WAITING}))
          from unnest(workspace_ids, message_ids, numbers, event_rows) as step (workspace_id, message_id, number, events)
          join webhooks on webhooks.workspace_id = step.workspace_id and webhooks.state <> 'disabled'
               and 'message:updated' = any(webhooks.event_types)
          cross join lateral json_array_elements(step.events) with ordinality as event (value, ordinal)
         where event.value ->> 'type' in (${STATUSES})
        on conflict do nothing
      $$`);
    // Before the lock of the history, so that other processes do not wait for it.
    await runner.query(`
      create or replace function append_history(workspace_ids uuid[], message_ids uuid[], numbers integer[], ats bigint[], event_rows json[])
      returns void language plpgsql as $$
      begin
        if exists (select from webhooks where workspace_id = any(workspace_ids) and state <> 'disabled') then
          perform add_webhook_deliveries(workspace_ids, message_ids, numbers, event_rows);
        end if;
        perform pg_advisory_xact_lock(hashtext('messaging.history'));
        insert into history (workspace_id, message_id, number, at, events)
          select * from unnest(workspace_ids, message_ids, numbers, ats, event_rows);
      end
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace function append_history(workspace_ids uuid[], message_ids uuid[], numbers integer[], ats bigint[], event_rows json[])
      returns void language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(hashtext('messaging.history'));
        insert into history (workspace_id, message_id, number, at, events)
          select * from unnest(workspace_ids, message_ids, numbers, ats, event_rows);
      end
      $$`);
    await runner.query('drop function add_webhook_deliveries');
    for (const table of ['webhook_deliveries', 'webhook_queues', 'webhooks']) await runner.query(`drop table ${table}`);
  }
}
