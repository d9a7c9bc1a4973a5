import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['routing_strategies', 'tenant_template_versions'];
const escaped = (column: string) => `replace(${column}::text, '"tidings-sealed:', '"not sealed: tidings-sealed:')::json`;

/**
 * What was stored before content sealed is in clear: a text in the form of a sealed value is a client's, copied from a dump to have it
 * opened. It loses this form, which is refused from now on.
 */
export class EscapeSealedTexts1796600000000 implements MigrationInterface {
  readonly name = 'EscapeSealedTexts1796600000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.query(`
        update ${table} set channels = ${escaped('channels')}, providers = ${escaped('providers')}
         where concat(channels, providers) like '%"tidings-sealed:%' and not exists (select from sealing)`);
    }
  }

  async down(): Promise<void> {}
}
