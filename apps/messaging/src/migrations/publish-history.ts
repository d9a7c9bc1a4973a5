import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The history in the order it was committed in, which is how it is published. */
export class PublishHistory1764000000001 implements MigrationInterface {
  readonly name = 'PublishHistory1764000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index history_by_sequence on history (sequence)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index history_by_sequence');
  }
}
