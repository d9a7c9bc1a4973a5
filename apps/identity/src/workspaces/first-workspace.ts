import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { WorkspacesHandlers } from './workspaces.handlers';

const NAME = 'default';

/**
 * Creates the workspace `default` and makes `key` valid for it; safe when replicas run it at once. A key that cannot open it (it was
 * revoked, or belongs to another workspace) is logged and changes nothing: existing workspaces do not depend on it.
 */
export async function ensureFirstWorkspace(handlers: WorkspacesHandlers, key: string, accountEmail: string) {
  const logger = new Logger('Workspaces');
  try {
    const request = { name: NAME, account_email: accountEmail, key, mode: 'production' as const };
    const { created } = await handlers.ensure(systemContext(randomUUID()), request);
    if (created) logger.log(`Made the first workspace, "${NAME}", which TIDINGS_API_KEY opens`);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'conflict')) throw error;
    logger.warn(`TIDINGS_API_KEY does not open the workspace "${NAME}": ${error.message}. Remove the variable, or set another key`);
  }
}
