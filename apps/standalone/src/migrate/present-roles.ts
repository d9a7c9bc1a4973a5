import type { LoggerService } from '@nestjs/common';
import { describeTarget } from '@tidings/persistence/connection';
import { DedicatedConnection } from '@tidings/persistence/dedicated-connection';
import { certificateHint, reasonOf } from '@tidings/persistence/errors';
import { retryUntilAvailable } from '@tidings/runtime/retry-until-available';
import { roleOf, SERVICES } from './schemas';

const CONNECT_TIMEOUT_MS = 5_000;
/** The database often starts at the same time. */
const WAIT_MS_MAX = 60_000;

/** The roles of services that exist; waits for the database. */
export function presentRoles(adminUrl: string, logger: LoggerService, signal: AbortSignal): Promise<Set<string>> {
  const what = `PostgreSQL at ${describeTarget(adminUrl)}`;
  return retryUntilAvailable(what, () => readRoles(adminUrl), { logger, signal, timeoutMs: WAIT_MS_MAX }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new Error(`${what} cannot be used: ${reasonOf(error)}${certificateHint(error)}`, { cause: error });
  });
}

async function readRoles(adminUrl: string) {
  const connection = await DedicatedConnection.open({
    connectionString: adminUrl,
    application_name: 'tidings-migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  });
  try {
    const rows = await connection.query<{ role: string }>('SELECT rolname AS role FROM pg_roles WHERE rolname = ANY ($1)', [
      SERVICES.map(roleOf),
    ]);
    return new Set(rows.map(({ role }) => role));
  } finally {
    connection.close();
  }
}
