import type { ServiceName } from '@tidings/contracts/core/operation';
import { ENVIRONMENT, type Variable } from '@tidings/runtime/environment-table';

/**
 * The environment of an app's process: inherited variables outside the product's table, those of the table that the app reads, and those
 * of `own` that it reads, which win. No process gets a secret of another.
 */
export function childEnvironment(app: ServiceName, own: NodeJS.ProcessEnv, inherited: NodeJS.ProcessEnv = process.env) {
  const table: Readonly<Record<string, Variable>> = ENVIRONMENT;
  const isRead = (name: string) => !Object.hasOwn(table, name) || table[name]!.readBy.includes(app);
  const allowed = Object.entries(inherited).filter(([name]) => {
    // The file of a secret has the readers of the secret, and an own value replaces it.
    const secret = name.replace(/_FILE$/, '');
    return isRead(Object.hasOwn(table, name) ? name : secret) && own[secret] === undefined;
  });
  return { ...Object.fromEntries(allowed), ...Object.fromEntries(Object.entries(own).filter(([name]) => isRead(name))) };
}
