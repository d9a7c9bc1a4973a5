import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What push services said of tokens, until identity was told. */
export class CreateTokenReports1766000006000 implements MigrationInterface {
  readonly name = 'CreateTokenReports1766000006000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table token_reports (
        sequence bigint generated always as identity primary key,
        due_at timestamptz not null default clock_timestamp(),
        report json not null
      )`);
    await runner.query('create index token_reports_due on token_reports (due_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table token_reports');
  }
}
