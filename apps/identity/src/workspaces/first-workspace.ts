import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { WorkspacesHandlers } from './workspaces.handlers';

const NAME = 'default';

/**
 * Makes the workspace `default` and lets `key` open it. Any number of replicas may do it at once. A key that cannot open it (it
 * was revoked, or belongs to another workspace) is said and changes nothing: the workspaces there are go on without it.
 */
export async function ensureFirstWorkspace(handlers: WorkspacesHandlers, key: string, accountEmail: string): Promise<void> {
  const logger = new Logger('Workspaces');
  try {
    const request = { name: NAME, account_email: accountEmail, key, mode: 'production' as const };
    const { created } = await handlers.ensure(systemContext(randomUUID()), request);
    if (created) logger.log(`Made the first workspace, "${NAME}", which TIDINGS_API_KEY opens`);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'conflict')) throw error;
    logger.warn(`TIDINGS_API_KEY does not open the workspace "${NAME}": ${error.message}. Take the variable away, or give it another key`);
  }
}
