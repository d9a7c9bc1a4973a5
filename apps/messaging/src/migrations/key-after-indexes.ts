import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The primary key of `messages` is made again behind the indexes of the listings. While PostgreSQL knows nothing of a table, all
 * indexes that begin with the workspace and hold the id look equally good to it, and of equal ones it takes the newest. Connections
 * keep the plan they made for the empty partition of a new week until that is analyzed: updates by id then read all that the
 * workspace has of one such index, 100,000 entries for each of 100,000 messages.
 *
 * Messages can be neither read nor written while the keys of those that are there are built.
 */
export class KeyAfterIndexes1767000000000 implements MigrationInterface {
  readonly name = 'KeyAfterIndexes1767000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table messages drop constraint messages_pkey, add primary key (workspace_id, id)');
  }

  async down(): Promise<void> {
    // What the key is stays as it was.
  }
}
