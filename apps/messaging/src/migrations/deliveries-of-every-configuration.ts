import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Listings and releases read the deliveries of every configuration in the order of their messages, those of the operator's as well. */
export class DeliveriesOfEveryConfiguration1795913000000 implements MigrationInterface {
  readonly name = 'DeliveriesOfEveryConfiguration1795913000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create index if not exists deliveries_of_configuration on deliveries (workspace_id, integration, message_id, leaf)',
    );
    await runner.query('drop index if exists deliveries_of_integration');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index deliveries_of_integration on deliveries (workspace_id, integration, message_id, leaf)
      where integration <> 'default'`);
    await runner.query('drop index deliveries_of_configuration');
  }
}
