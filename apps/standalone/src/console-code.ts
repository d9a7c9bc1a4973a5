import { randomBytes } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { hashApiKey } from '@tidings/contracts/identity/api-key';
import { keys } from '@tidings/contracts/identity/keys';
import { sessions } from '@tidings/contracts/identity/sessions';
import type { OperationClient } from '@tidings/rpc/operation-client';

const CODE_BYTES = 32;

/** Makes a code that opens one session of the console with this API key, within an hour. Only its hash is stored. */
export async function makeConsoleCode(client: OperationClient, context: CallContext, key: string): Promise<string> {
  const { workspace_id: workspaceId, key_id } = await client.call(keys.verify, context, { hash: hashApiKey(key) });
  const code = randomBytes(CODE_BYTES).toString('base64url');
  await client.call(sessions.addCode, { ...context, workspaceId }, { hash: hashApiKey(code), key_id });
  return code;
}
