import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Records of requests with an `Idempotency-Key`. `effect` and `outcome` are JSON stored as text, so that a replayed answer is
 * identical to the first one.
 */
export class CreateIdempotencyKeys1700000000003 implements MigrationInterface {
  readonly name = 'CreateIdempotencyKeys1700000000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotency_keys (
        workspace_id uuid NOT NULL,
        id text COLLATE "C" NOT NULL,
        call_id text NOT NULL,
        leased_until timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        effect text,
        outcome text,
        CONSTRAINT idempotency_keys_pkey PRIMARY KEY (workspace_id, id)
      )`);
    // Across workspaces: one scan removes what has expired.
    await runner.query('CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_keys');
  }
}

/** The body of the first request, as a hash, and when it was received. Records of earlier versions have neither. */
export class AddIdempotencyBodies1795917600000 implements MigrationInterface {
  readonly name = 'AddIdempotencyBodies1795917600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE idempotency_keys
        ADD COLUMN IF NOT EXISTS body_hash text COLLATE "C",
        ADD COLUMN IF NOT EXISTS requested_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_keys DROP COLUMN IF EXISTS body_hash, DROP COLUMN IF EXISTS requested_at');
  }
}
