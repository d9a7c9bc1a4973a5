import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What audiences look at of a person: a copy of what identity tells. Each of the two sources has its own running number; what
 * arrives late or again is known by it. A row without profile and tenants remembers the numbers of who is gone, so that an old
 * event cannot bring them back.
 */
export class CreatePeople1764000000110 implements MigrationInterface {
  readonly name = 'CreatePeople1764000000110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists people (
        workspace_id uuid not null,
        user_id text collate "C" not null,
        profile jsonb check (jsonb_typeof(profile) = 'object'),
        profile_sequence bigint not null default -1,
        tenant_ids text[] collate "C" not null default '{}',
        tenants_sequence bigint not null default -1,
        gone_at timestamptz,
        primary key (workspace_id, user_id)
      ) with (fillfactor = 90)`);
    // Of every workspace: who is gone is forgotten in the order of time, whosesoever they were.
    await runner.query('create index if not exists people_gone on people (gone_at) where gone_at is not null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists people');
  }
}
