import { watchChanges, type WatchedTable } from '@tidings/persistence/audit.migrations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows are named by their reasons: an audit event must not hold addresses. */
const TABLES: readonly WatchedTable[] = [{ table: 'suppressions', rows: 'suppressions', by: 'reason' }];

/**
 * Addresses to which nothing is sent; the workspaces that have, or had, any, with the keys of their erased addresses; and what the bounce
 * guard counts.
 */
export class CreateSuppressions1796130000000 implements MigrationInterface {
  readonly name = 'CreateSuppressions1796130000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists suppressions (
        workspace_id uuid not null,
        channel text collate "C" not null,
        address text collate "C" not null,
        reason text not null,
        source text not null,
        created_at timestamptz(3) not null default now(),
        message_id uuid,
        primary key (workspace_id, channel, address)
      )`);
    await runner.query('create index if not exists suppressions_reason on suppressions (workspace_id, reason, channel, address)');
    await runner.query(
      'create index if not exists suppressions_message on suppressions (workspace_id, message_id) where message_id is not null',
    );
    await runner.query(
      'create table if not exists suppressing_workspaces (workspace_id uuid primary key, hash_key bytea, key_id text collate "C")',
    );
    await runner.query(`
      create table if not exists provider_outcomes (
        workspace_id uuid not null,
        configuration_id text collate "C" not null,
        minute timestamptz not null,
        sends integer not null,
        bounces integer not null,
        complaints integer not null,
        primary key (workspace_id, configuration_id, minute)
      )`);
    await runner.query(`
      create table if not exists provider_resumptions (
        workspace_id uuid not null,
        configuration_id text collate "C" not null,
        resumed_at timestamptz(3) not null,
        primary key (workspace_id, configuration_id)
      )`);
    await watchChanges(runner, TABLES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table provider_resumptions, provider_outcomes, suppressing_workspaces, suppressions');
  }
}
