import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A template may fail a channel for a missing variable. The default lets earlier versions of this service insert rows. */
export class AddThrowOnMissingVariable1795900000000 implements MigrationInterface {
  readonly name = 'AddThrowOnMissingVariable1795900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table notification_versions add column if not exists throw_on_missing_variable boolean not null default false',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table notification_versions drop column if exists throw_on_missing_variable');
  }
}
