import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { hashedKey } from '@tidings/contracts/identity/api-key';
import { ServiceError } from '@tidings/contracts/core/errors';
import { WorkspacesHandlers } from './workspaces.handlers';

const NAME = 'default';

/** The API key of the first workspace, and the e-mail address of its account. */
export interface FirstKey {
  key: string;
  accountEmail: string;
}

export const FIRST_KEY = Symbol('FIRST_KEY');

/**
 * Creates the workspace `default` and makes its key valid, before the service answers: a gateway would refuse the key otherwise, and
 * a 401 is never retried. Safe when replicas do it at once. A key that cannot open the workspace (it was revoked, or belongs to another
 * one) is logged and changes nothing: existing workspaces do not depend on it.
 */
@Injectable()
export class FirstWorkspace implements OnApplicationBootstrap {
  private readonly logger = new Logger('Workspaces');

  constructor(
    private readonly workspaces: WorkspacesHandlers,
    @Inject(FIRST_KEY) private readonly first: FirstKey,
  ) {}

  async onApplicationBootstrap() {
    const { key, accountEmail } = this.first;
    try {
      const request = { name: NAME, account_email: accountEmail, ...hashedKey(key), mode: 'production' as const };
      const { created } = await this.workspaces.ensure(systemContext(randomUUID()), request);
      if (created) this.logger.log(`Made the first workspace, "${NAME}", which TIDINGS_API_KEY opens`);
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'conflict')) throw error;
      this.logger.warn(`TIDINGS_API_KEY does not open the workspace "${NAME}": ${error.message}. Remove the variable, or set another key`);
    }
  }
}
