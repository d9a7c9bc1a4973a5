import type { ServiceName } from '@tidings/contracts/core/operation';
import { ENVIRONMENT, type Variable } from '@tidings/runtime/environment-table';

/**
 * The environment of an app's process: inherited variables outside the product's table, those of the table that the app reads, and
 * `own` over both. No process gets a secret of another.
 */
export function childEnvironment(app: ServiceName, own: NodeJS.ProcessEnv, inherited: NodeJS.ProcessEnv = process.env) {
  const table: Readonly<Record<string, Variable>> = ENVIRONMENT;
  const allowed = Object.entries(inherited).filter(([name]) => {
    // The file of a secret has the readers of the secret.
    const variable = Object.hasOwn(table, name) ? table[name] : table[name.replace(/_FILE$/, '')];
    return !variable || variable.readBy.includes(app);
  });
  return { ...Object.fromEntries(allowed), ...own };
}
