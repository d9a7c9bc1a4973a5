import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Texts that stored e-mails refer to: templates rendered without any values, by workspace and hash of the text. */
export class CreateRenderingBases1795555000000 implements MigrationInterface {
  readonly name = 'CreateRenderingBases1795555000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists rendering_bases (
        workspace_id uuid not null,
        hash text collate "C" not null,
        content text not null,
        used_at timestamptz not null default clock_timestamp(),
        primary key (workspace_id, hash)
      )`);
    // Processes of the version before cannot read the new rows: in an upgrade, e-mails are based on them an hour later.
    await runner.query(`
      create table if not exists rendering_bases_start as
      select clock_timestamp() + case when exists (select from messages) then interval '1 hour' else interval '0' end as at`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table rendering_bases, rendering_bases_start');
  }
}
