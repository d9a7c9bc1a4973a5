import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Providers can be switched off, and the deliveries that wait for a provider are made due in pages. */
export class ReleaseDeliveries1795900000000 implements MigrationInterface {
  readonly name = 'ReleaseDeliveries1795900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table provider_configurations add column if not exists enabled boolean not null default true');
    // A row outlives its configuration: the deliveries of a removed one are released too.
    await runner.query(`
      create table if not exists delivery_releases (
        workspace_id uuid not null,
        configuration_id text collate "C" not null,
        due_at timestamptz not null,
        frees_slots boolean not null,
        after_message uuid not null,
        after_leaf smallint not null,
        primary key (workspace_id, configuration_id)
      )`);
    await runner.query('create index if not exists delivery_releases_due on delivery_releases (due_at)');
    // Listings and releases read the deliveries of a configuration, also of the operator's, in the order of their messages.
    await runner.query(
      'create index if not exists deliveries_of_configuration on deliveries (workspace_id, integration, message_id, leaf)',
    );
    await runner.query('drop index if exists deliveries_by_integration');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("create index deliveries_by_integration on deliveries (workspace_id, integration) where integration <> 'default'");
    await runner.query('drop index deliveries_of_configuration');
    await runner.query('drop table delivery_releases');
    await runner.query('alter table provider_configurations drop column enabled');
  }
}
