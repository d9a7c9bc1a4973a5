import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A delivery keeps the alias of its configuration: the records of messages show it also after the configuration is removed. */
export class KeepAliases1795912000000 implements MigrationInterface {
  readonly name = 'KeepAliases1795912000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table deliveries add column if not exists routed_alias text');
    await runner.query(`
      update deliveries set routed_alias = configuration.alias from provider_configurations configuration
      where configuration.workspace_id = deliveries.workspace_id and configuration.configuration_id = deliveries.integration collate "C"
        and configuration.alias is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table deliveries drop column routed_alias');
  }
}
