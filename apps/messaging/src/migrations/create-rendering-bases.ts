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
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table rendering_bases');
  }
}
