import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What issued tokens are signed with: one current key for the whole installation, and the public halves of retired ones
 * for as long as a token of theirs may live. A retired key has lost its private half.
 */
export class CreateSigningKeys1764000000042 implements MigrationInterface {
  readonly name = 'CreateSigningKeys1764000000042';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists signing_keys (
        id uuid primary key,
        public_key text not null,
        private_key bytea,
        sealed boolean not null,
        created_at timestamptz not null default now(),
        retired_at timestamptz,
        check ((private_key is null) = (retired_at is not null))
      )`);
    // At most one row is not retired, whoever makes it first.
    await runner.query(
      'create unique index if not exists signing_keys_current on signing_keys ((retired_at is null)) where retired_at is null',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists signing_keys');
  }
}
