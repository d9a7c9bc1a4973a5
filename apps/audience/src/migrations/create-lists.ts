import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lists, the patterns that stand for them, and their subscribers. The subscribers of a list are a set with an id of its own, to
 * which the list points: replacing a million of them is pointing to another set, and the old one is taken away bit by bit.
 * Ids compare byte by byte, the same on every machine.
 */
export class CreateLists1764000000010 implements MigrationInterface {
  readonly name = 'CreateLists1764000000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists lists (
        workspace_id uuid not null,
        list_id text collate "C" not null,
        name text not null,
        preferences jsonb check (jsonb_typeof(preferences) = 'object'),
        set_id bigint not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        deleted_at timestamptz,
        primary key (workspace_id, list_id)
      )`);
    await runner.query('create index if not exists lists_there on lists (workspace_id, list_id) where deleted_at is null');
    await runner.query('create index if not exists lists_deleted on lists (workspace_id, deleted_at) where deleted_at is not null');
    await runner.query(`
      create table if not exists list_patterns (
        workspace_id uuid not null,
        pattern text collate "C" not null,
        list_id text collate "C" not null,
        primary key (workspace_id, pattern, list_id)
      )`);
    await runner.query(`
      create table if not exists subscriber_sets (
        workspace_id uuid not null,
        set_id bigint generated always as identity,
        list_id text collate "C" not null,
        dropped_at timestamptz,
        primary key (workspace_id, set_id)
      )`);
    await runner.query(`
      create index if not exists subscriber_sets_dropped on subscriber_sets (workspace_id, set_id) where dropped_at is not null`);
    await runner.query(`
      create table if not exists subscriptions (
        workspace_id uuid not null,
        set_id bigint not null,
        user_id text collate "C" not null,
        list_id text collate "C" not null,
        preferences jsonb check (jsonb_typeof(preferences) = 'object'),
        created_at timestamptz not null default now(),
        primary key (workspace_id, set_id, user_id)
      )`);
    await runner.query(`
      create index if not exists subscriptions_by_user on subscriptions (workspace_id, user_id, list_id, set_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['subscriptions', 'subscriber_sets', 'list_patterns', 'lists']) await runner.query(`drop table if exists ${table}`);
  }
}
