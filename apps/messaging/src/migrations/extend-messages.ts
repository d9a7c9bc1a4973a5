import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where a message came from, and an index for every way to list messages. Each index ends with `archived, id`: what it holds of one
 * value is in the order of the pages, and archived messages, a million of one request perhaps, are in nobody's way.
 *
 * What a message has several of, tags and the providers behind the first, stands in `message_terms`, a row each, which triggers keep:
 * whoever writes messages need not know. A message without such costs a look at two columns.
 */
export class ExtendMessages1764000000002 implements MigrationInterface {
  readonly name = 'ExtendMessages1764000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table messages
        add column request_id uuid,
        add column job_id text,
        add column idempotency_key text,
        add column canceled_at bigint`);
    for (const name of ['recipient', 'event', 'trace', 'tag']) await runner.query(`drop index messages_by_${name}`);
    await runner.query(`create index messages_by_status on messages (workspace_id, status, archived, id)`);
    await runner.query(`create index messages_by_recipient on messages (workspace_id, recipient, archived, id)`);
    await runner.query(`create index messages_by_event on messages (workspace_id, event, archived, id) where event <> ''`);
    await runner.query(
      `create index messages_by_notification on messages (workspace_id, notification, archived, id) where notification <> ''`,
    );
    for (const name of ['trace', 'list', 'tenant', 'request']) {
      const column = `${name}_id`;
      await runner.query(
        `create index messages_by_${name} on messages (workspace_id, ${column}, archived, id) where ${column} is not null`,
      );
    }
    await runner.query(`
      create index messages_by_provider on messages (workspace_id, (providers -> 0 ->> 'provider'), archived, id)
        where providers is not null`);

    await runner.query(`
      create table message_terms (
        workspace_id uuid not null,
        term text collate "C" not null,
        archived boolean not null,
        id uuid not null,
        primary key (workspace_id, term, archived, id)
      ) partition by range (id)`);
    await runner.query(PARTITIONS_OF_TERMS);
    await runner.query(TERMS_OF);
    await runner.query(KEEP_TERMS);
    await runner.query(`
      insert into message_terms (workspace_id, term, archived, id)
      select workspace_id, unnest(message_terms_of(tags, providers)), archived, id from messages where ${HAS_TERMS('messages')}`);
    await runner.query(`
      create trigger messages_terms_inserted after insert on messages for each row
        when (${HAS_TERMS('new')}) execute function keep_message_terms()`);
    await runner.query(`
      create trigger messages_terms_updated after update on messages for each row
        when ((${HAS_TERMS('new')}) and (old.archived <> new.archived or old.tags is distinct from new.tags or old.providers is distinct from new.providers))
        execute function keep_message_terms()`);

    await runner.query(`
      create table archived_requests (
        workspace_id uuid not null,
        request_id uuid not null,
        archived_at timestamptz not null default now(),
        due_at timestamptz not null default now(),
        primary key (workspace_id, request_id)
      )`);
    await runner.query(`create index archived_requests_due on archived_requests (due_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table archived_requests`);
    await runner.query(`drop trigger messages_terms_updated on messages`);
    await runner.query(`drop trigger messages_terms_inserted on messages`);
    await runner.query(`drop function keep_message_terms`);
    await runner.query(`drop function message_terms_of`);
    await runner.query(`drop table message_terms`);
    for (const name of ['status', 'recipient', 'event', 'notification', 'trace', 'list', 'tenant', 'request', 'provider']) {
      await runner.query(`drop index messages_by_${name}`);
    }
    await runner.query(`create index messages_by_recipient on messages (workspace_id, recipient, id)`);
    await runner.query(`create index messages_by_event on messages (workspace_id, event, id) where event <> ''`);
    await runner.query(`create index messages_by_trace on messages (workspace_id, trace_id, id) where trace_id is not null`);
    await runner.query(`create index messages_by_tag on messages using gin (tags) where tags is not null`);
    await runner.query(`
      alter table messages drop column request_id, drop column job_id, drop column idempotency_key, drop column canceled_at`);
  }
}

const HAS_TERMS = (row: string): string => `${row}.tags is not null or jsonb_array_length(${row}.providers) > 1`;

/** Those that `messages` has, with the same bounds. */
const PARTITIONS_OF_TERMS = `
  do $$
  declare part record;
  begin
    for part in
      select child.relname as name, pg_get_expr(child.relpartbound, child.oid) as bounds
      from pg_inherits join pg_class as child on child.oid = inhrelid where inhparent = 'messages'::regclass
    loop
      execute format('create table %I partition of message_terms %s', replace(part.name, 'messages', 'message_terms'), part.bounds);
    end loop;
  end $$`;

/** The first provider has an index of its own. */
const TERMS_OF = `
  create function message_terms_of(tags jsonb, providers jsonb) returns text[] language sql immutable as $$
    select coalesce(array_agg(distinct term), '{}') from (
      select 'tag:' || tag as term from jsonb_array_elements_text(tags) as tag
      union all
      select 'provider:' || (one ->> 'provider') from jsonb_array_elements(providers) as one
       where one ->> 'provider' <> providers -> 0 ->> 'provider'
    ) as terms
  $$`;

const KEEP_TERMS = `
  create function keep_message_terms() returns trigger language plpgsql set search_path from current as $$
  begin
    if tg_op = 'UPDATE' and old.archived <> new.archived then
      delete from message_terms
       where workspace_id = old.workspace_id and term = any(message_terms_of(old.tags, old.providers))
         and archived = old.archived and id = old.id;
    end if;
    insert into message_terms (workspace_id, term, archived, id)
      select new.workspace_id, term, new.archived, new.id from unnest(message_terms_of(new.tags, new.providers)) as term
      on conflict do nothing;
    return null;
  end $$`;
