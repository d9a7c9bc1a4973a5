import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a delivery waits for is shown with its message: the error and the response of its last attempt, why the next one waits, and the alias
 * of its configuration, also after that is removed.
 */
export class KeepLastAnswers1795905600000 implements MigrationInterface {
  readonly name = 'KeepLastAnswers1795905600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table deliveries
        add column if not exists last_error text,
        add column if not exists last_response json,
        add column if not exists wait_reason text,
        add column if not exists routed_alias text`);
    await runner.query(`
      update deliveries set routed_alias = configuration.alias from provider_configurations configuration
      where configuration.workspace_id = deliveries.workspace_id and configuration.configuration_id = deliveries.integration collate "C"
        and configuration.alias is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table deliveries drop column last_error, drop column last_response, drop column wait_reason, drop column routed_alias',
    );
  }
}
