import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Progress of the relays of a schema's sources. */
class CreateRelayCursor1700000000000 implements MigrationInterface {
  readonly name = 'CreateRelayCursor1700000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE relay_cursor (
        source text NOT NULL,
        shard smallint NOT NULL,
        position bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (source, shard)
      ) WITH (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE relay_cursor');
  }
}

/** Events to be published. */
class CreateOutbox1700000000001 implements MigrationInterface {
  readonly name = 'CreateOutbox1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    // With CACHE above 1 each session preallocates numbers, so they would be out of order.
    await runner.query('CREATE SEQUENCE outbox_sequence AS bigint CACHE 1 NO CYCLE');
    await runner.query(`
      CREATE TABLE outbox (
        shard smallint NOT NULL,
        sequence bigint NOT NULL,
        event_id text NOT NULL,
        topic text NOT NULL,
        key text NOT NULL,
        payload text,
        at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (shard, sequence)
      ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE outbox');
    await runner.query('DROP SEQUENCE outbox_sequence');
  }
}

/** Migrations of a service with an outbox. */
export const OUTBOX_MIGRATIONS = [CreateRelayCursor1700000000000, CreateOutbox1700000000001] as const;
