import path from 'node:path';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { hashedKey, makeApiKey } from '@tidings/contracts/identity/api-key';
import { type EnsureWorkspace, workspaces } from '@tidings/contracts/identity/workspaces';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { Configuration } from '@tidings/runtime/configuration';
import type { Access } from './banner';
import { readOwnFile, writeOwnFile } from './own-file';

/** The first workspace of an installation, and the one that development adds. */
const FIRST = { name: 'default', keyFile: 'api-key' };
const SECOND = { name: 'second', keyFile: 'api-key-second' };

/**
 * Ensures that the first workspace and its key exist (with `seed` a second one too). Keys are stored in `directory`, readable by
 * their owner only, so that every start can print them. `TIDINGS_API_KEY` overrides the stored key.
 * @throws Error naming the variable when `TIDINGS_API_KEY` cannot open the workspace, or when a key is the operators' key.
 */
export async function ensureAccess(
  client: OperationClient,
  context: CallContext,
  directory: string,
  { apiKey, accountEmail, adminKey, adminKeys }: Pick<Configuration, 'apiKey' | 'accountEmail' | 'adminKey' | 'adminKeys'>,
  seed: boolean,
): Promise<Access[]> {
  const access: Access[] = [];
  for (const { name, keyFile } of seed ? [FIRST, SECOND] : [FIRST]) {
    const file = path.join(directory, keyFile);
    const configured = name === FIRST.name ? apiKey : undefined;
    const ensure = async (key: string) => {
      if (key === adminKey) throw new Error(`TIDINGS_ADMIN_KEY is the API key of the workspace "${name}": give it another value`);
      const operator = adminKeys.find((one) => one.key === key);
      if (operator) throw new Error(`The key of ${operator.name} in TIDINGS_ADMIN_KEYS is the API key of the workspace "${name}"`);
      const request: EnsureWorkspace = { name, account_email: accountEmail, ...hashedKey(key), mode: 'production' };
      await client.call(workspaces.ensure, context, request);
      access.push({ name, key, accountEmail });
    };
    const existing = configured ?? (await readOwnFile(file, 'API key')).trim();
    try {
      await ensure(existing || (await generateKey(file)));
    } catch (error) {
      if (!existing || !(error instanceof ServiceError && error.code === 'conflict')) throw error;
      if (configured) {
        throw new Error(
          `TIDINGS_API_KEY does not open the workspace "${name}": ${error.message}. Remove the variable, or set another key`,
          { cause: error },
        );
      }
      // The stored key was revoked, which is final: without a new key the workspace would be closed.
      await ensure(await generateKey(file));
    }
  }
  return access;
}

async function generateKey(file: string) {
  const key = makeApiKey('production');
  await writeOwnFile(file, key);
  return key;
}
