import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a key was last used, to the minute; null before. */
export class NoteKeyUses1796910000001 implements MigrationInterface {
  readonly name = 'NoteKeyUses1796910000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table api_keys add column if not exists used_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table api_keys drop column if exists used_at');
  }
}
