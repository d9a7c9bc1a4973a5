import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A claim notes its generation: where the row still has it when it is due again, the lease ended before the work. */
export class NoteClaims1795543800000 implements MigrationInterface {
  readonly name = 'NoteClaims1795543800000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['open_messages', 'expansions'])
      await runner.query(`alter table ${table} add column if not exists claimed_generation integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['open_messages', 'expansions']) await runner.query(`alter table ${table} drop column claimed_generation`);
  }
}
