import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Answers of commands, stored while their calls may be delivered again. */
export class CreateCallJournal1700000000002 implements MigrationInterface {
  readonly name = 'CreateCallJournal1700000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE call_journal (
        delivery_id text NOT NULL,
        answer jsonb NOT NULL,
        at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT call_journal_pkey PRIMARY KEY (delivery_id)
      )`);
    await runner.query('CREATE INDEX call_journal_by_age ON call_journal USING brin (at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE call_journal');
  }
}
