import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Id of the secret key with which every stored secret of a service was last sealed; no row before the first time. */
export class CreateSealing1796500000000 implements MigrationInterface {
  readonly name = 'CreateSealing1796500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists sealing (
        only_row boolean primary key default true check (only_row),
        key_id text not null
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists sealing');
  }
}
