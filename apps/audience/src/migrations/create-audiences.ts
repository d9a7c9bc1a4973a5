import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Audiences and who belongs to them. Each version of each audience has a membership of its own, numbered once and for all: an
 * audience that was deleted and made again under its id meets no rows of the old one. One membership of an audience is served;
 * another one may be in the making (`audience_rebuilds`); those nobody needs any more are removed little by little
 * (`audience_discards`).
 *
 * `filter` and `operator` are what the client said; `rule` is what it means (null: nobody).
 */
export class CreateAudiences1764000000111 implements MigrationInterface {
  readonly name = 'CreateAudiences1764000000111';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create sequence if not exists audience_memberships as bigint');
    await runner.query(`
      create table if not exists audiences (
        workspace_id uuid not null,
        audience_id text collate "C" not null,
        name text not null,
        description text not null,
        filter json,
        operator text,
        rule json,
        version integer not null,
        served_version integer,
        served_membership bigint,
        served_rule json,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (workspace_id, audience_id)
      )`);
    await runner.query(`
      create table if not exists audience_rebuilds (
        workspace_id uuid not null,
        audience_id text collate "C" not null,
        phase text not null default 'building' check (phase in ('building', 'announcing')),
        version integer not null,
        membership bigint not null,
        previous_membership bigint,
        rule json,
        checkpoint text collate "C" not null default '',
        total_users bigint not null default 0,
        matched_users bigint not null default 0,
        user_count bigint not null default 0,
        holder uuid,
        due_at timestamptz not null default now(),
        primary key (workspace_id, audience_id)
      ) with (fillfactor = 50)`);
    // Of every workspace: whoever is free takes what has waited longest. Few rows, each as long as its rebuild takes.
    await runner.query('create index if not exists audience_rebuilds_due on audience_rebuilds (due_at)');
    await runner.query(`
      create table if not exists audience_members (
        workspace_id uuid not null,
        membership bigint not null,
        user_id text collate "C" not null,
        reason text not null,
        added_at timestamptz not null default now(),
        primary key (workspace_id, membership, user_id)
      )`);
    await runner.query(`
      create table if not exists audience_discards (
        workspace_id uuid not null,
        membership bigint not null,
        primary key (workspace_id, membership)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['audience_discards', 'audience_members', 'audience_rebuilds', 'audiences']) {
      await runner.query(`drop table if exists ${table}`);
    }
    await runner.query('drop sequence if exists audience_memberships');
  }
}
