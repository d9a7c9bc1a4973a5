import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What became of requests with an `Idempotency-Key`. `effect` and `outcome` are JSON, kept as text: an answer is said again letter
 * by letter.
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
    // Of all workspaces: what is over is removed in one walk.
    await runner.query('CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_keys');
  }
}
