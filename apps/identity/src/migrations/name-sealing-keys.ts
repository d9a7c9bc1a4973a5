import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which secret key sealed a signing key: an error names the key that is missing. Unknown of those that were sealed before. */
export class NameSealingKeys1796700000000 implements MigrationInterface {
  readonly name = 'NameSealingKeys1796700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table signing_keys add column if not exists key_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table signing_keys drop column if exists key_id');
  }
}
