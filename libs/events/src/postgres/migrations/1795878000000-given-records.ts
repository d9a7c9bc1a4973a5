import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Groups record how far records may have been given to a member, so that the next one knows which may be repeated. */
export class GivenRecords1795878000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events.groups ADD COLUMN given_to bigint');
    await runner.query('ALTER TABLE events.groups ALTER COLUMN given_to SET DEFAULT 0'); // of new groups
    await runner.query(
      "COMMENT ON COLUMN events.groups.given_to IS 'no record after this position was given to a member; null: not known'",
    );
    await runner.query('GRANT UPDATE (given_to) ON events.groups TO PUBLIC');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events.groups DROP COLUMN given_to');
  }
}
