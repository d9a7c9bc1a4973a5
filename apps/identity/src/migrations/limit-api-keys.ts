import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits of a key: when it expires, and the guest list, the only recipients that it may send to. */
export class LimitApiKeys1796000000000 implements MigrationInterface {
  readonly name = 'LimitApiKeys1796000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table api_keys
        add column if not exists expires_at timestamptz,
        add column if not exists recipients text[]`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table api_keys drop column if exists recipients, drop column if exists expires_at');
  }
}
