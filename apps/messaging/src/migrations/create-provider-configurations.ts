import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What providers are set up with, and how fast each may be called. */
export class CreateProviderConfigurations1764000006000 implements MigrationInterface {
  readonly name = 'CreateProviderConfigurations1764000006000';

  async up(runner: QueryRunner): Promise<void> {
    // `place` is the order of creation; `settings` hold no secret, `secrets` nothing else, sealed with the key that `key_id` names.
    await runner.query(`
      create table provider_configurations (
        workspace_id uuid not null,
        configuration_id text collate "C" not null,
        provider text collate "C" not null,
        channel text collate "C" not null,
        title text,
        alias text collate "C",
        settings json not null,
        secrets bytea not null,
        key_id text collate "C",
        version integer not null default 1,
        position integer not null,
        place bigint generated always as identity,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3),
        primary key (workspace_id, configuration_id)
      )`);
    await runner.query('create index provider_configurations_by_place on provider_configurations (workspace_id, position, place)');
    await runner.query(
      'create unique index provider_configurations_by_alias on provider_configurations (workspace_id, alias) where alias is not null',
    );
    // Written for every batch of calls of a limited provider, so apart from what is seldom written.
    await runner.query(`
      create table provider_rates (
        workspace_id uuid not null,
        configuration_id text collate "C" not null,
        next_at timestamptz not null,
        primary key (workspace_id, configuration_id)
      ) with (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table provider_rates');
    await runner.query('drop table provider_configurations');
  }
}
