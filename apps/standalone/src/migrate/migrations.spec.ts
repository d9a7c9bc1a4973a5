import { EVENT_LOG_MIGRATIONS } from '@tidings/events/postgres/migrate';
import { recordSql } from '@tidings/persistence/migration-plan';
import { orderedMigrations } from '@tidings/persistence/schema-state';
import { problemsOfMigration } from '@tidings/testing/migration-rules';
import { SHIPPED } from './migrations/shipped';
import { MIGRATIONS } from './schemas';

describe('the migrations of every schema', () => {
  const all = Object.entries({ ...MIGRATIONS, events: EVENT_LOG_MIGRATIONS }).flatMap(([schema, migrations]) =>
    [...orderedMigrations(migrations)].map(([name, migration]) => ({ schema, name, migration })),
  );

  it('lock no table in use, and remove nothing that the version before uses', async () => {
    const found: string[] = [];
    for (const { schema, name, migration } of all) {
      if (SHIPPED.includes(name)) continue;
      const problems = problemsOfMigration(await recordSql(migration));
      found.push(...problems.map((problem) => `${schema} ${name} ${problem}: see docs/upgrading.md`));
    }
    expect(found).toEqual([]);
  });

  it('are listed as shipped only where they break a rule', async () => {
    const fine: string[] = [];
    for (const { name, migration } of all) {
      if (SHIPPED.includes(name) && problemsOfMigration(await recordSql(migration)).length === 0) fine.push(name);
    }
    expect(fine).toEqual([]);
    expect(SHIPPED.filter((name) => !all.some((one) => one.name === name))).toEqual([]);
  });
});
