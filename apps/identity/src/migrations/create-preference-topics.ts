import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `bytes` is what a row takes in an answer, so that all of a workspace's sections and topics stay answerable at once.
 * A topic's choices are no part of it: a topic is deleted at once, however many people chose.
 */
export class CreatePreferenceTopics1764000000030 implements MigrationInterface {
  readonly name = 'CreatePreferenceTopics1764000000030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists preference_sections (
        workspace_id uuid not null,
        section_id text collate "C" not null,
        name text not null,
        description text,
        has_custom_routing boolean not null,
        routing_options text[] not null,
        bytes integer not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (workspace_id, section_id)
      )`);
    await runner.query(`
      create table if not exists preference_topics (
        workspace_id uuid not null,
        topic_id text collate "C" not null,
        section_id text collate "C" not null,
        name text not null,
        default_status text not null check (default_status in ('OPTED_IN', 'OPTED_OUT', 'REQUIRED')),
        allowed_preferences text[] not null,
        description text,
        include_unsubscribe_header boolean not null,
        routing_options text[] not null,
        topic_data jsonb not null check (jsonb_typeof(topic_data) = 'object'),
        bytes integer not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (workspace_id, topic_id)
      )`);
    await runner.query('create index if not exists preference_topics_by_section on preference_topics (workspace_id, section_id)');
    await runner.query(`
      create table if not exists preference_pages (
        workspace_id uuid not null primary key,
        page_id text not null,
        published_version bigint not null,
        published_at timestamptz not null,
        brand_id text,
        heading text,
        description text
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists preference_pages');
    await runner.query('drop table if exists preference_topics');
    await runner.query('drop table if exists preference_sections');
  }
}
