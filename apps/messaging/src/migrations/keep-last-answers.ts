import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a delivery waits for is shown with its message: the error and the response of its last attempt, and why the next one waits. */
export class KeepLastAnswers1795905600000 implements MigrationInterface {
  readonly name = 'KeepLastAnswers1795905600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table deliveries
        add column if not exists last_error text,
        add column if not exists last_response json,
        add column if not exists wait_reason text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table deliveries drop column last_error, drop column last_response, drop column wait_reason');
  }
}
