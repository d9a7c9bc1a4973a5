import type { LoggerService } from '@nestjs/common';
import { type PlannedMigration, planMigrations } from '@tidings/persistence/migration-plan';
import type { Configuration } from '@tidings/runtime/configuration';
import { presentRoles } from './present-roles';
import { migrationOf, roleOf, SERVICES } from './schemas';

/** Lines that say what `tidings migrate` would do in each schema, with the SQL of migrations that do not depend on data. Changes nothing. */
export async function plan({ adminDatabaseUrl }: Configuration, logger: LoggerService, signal: AbortSignal): Promise<string[]> {
  const adminUrl = adminDatabaseUrl!; // required of `migrate`
  const present = await presentRoles(adminUrl, logger, signal);
  const lines: string[] = [];
  for (const service of SERVICES) {
    const role = roleOf(service);
    const migrations = await planMigrations(migrationOf(service, adminUrl));
    const roleNote = present.has(role) ? '' : `; the role ${role} is created`;
    lines.push(`${service}: ${migrations.length === 0 ? 'no migration' : counted(migrations.length)}${roleNote}`);
    lines.push(...migrations.flatMap(described));
  }
  return [...lines, 'Nothing was changed'];
}

const counted = (count: number) => (count === 1 ? '1 migration' : `${count} migrations`);

function described({ name, sql }: PlannedMigration) {
  if (!sql) return [`  ${name}: its statements depend on the data`];
  return [`  ${name}`, ...sql.flatMap((text) => `${unindented(text)};`.split('\n').map((line) => `    ${line}`))];
}

/** Without the indentation that all lines share, which is that of the source. */
function unindented(text: string) {
  const lines = text.trimEnd().replace(/^\n/, '').split('\n');
  const indents = lines.filter((line, index) => index > 0 && line.trim()).map((line) => line.length - line.trimStart().length);
  const shared = indents.length > 0 ? Math.min(...indents) : 0;
  return lines.map((line) => (line.slice(0, shared).trim() ? line.trimStart() : line.slice(shared))).join('\n');
}
