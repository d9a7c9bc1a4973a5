import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions of people who signed in by OpenID Connect: the issuer's subject, and the name of that time. They have a role and a workspace. */
export class NameSessionPersons1797000000000 implements MigrationInterface {
  readonly name = 'NameSessionPersons1797000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sessions add column if not exists person_id text, add column if not exists person_name text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sessions drop column if exists person_id, drop column if exists person_name');
  }
}
