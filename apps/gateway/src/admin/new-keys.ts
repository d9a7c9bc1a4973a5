import type { CallContext } from '@tidings/contracts/core/context';
import { hashedKey, makeApiKey, makeApiKeys } from '@tidings/contracts/identity/api-key';
import { type CreatedKey, keys, type MakeKey, type RotatedKey, type RotateKey } from '@tidings/contracts/identity/keys';
import type { OperationClient } from '@tidings/rpc/operation-client';

/** Creates an API key: it is made here, and only its hash and its end leave the process. */
export async function createKey(client: OperationClient, context: CallContext, request: MakeKey): Promise<CreatedKey> {
  const key = makeApiKey(request.mode);
  const { key_id } = await client.call(keys.create, context, { ...request, ...hashedKey(key) });
  return { key_id, key };
}

/** As `createKey`, for the key that replaces another one, whose mode only identity knows. */
export async function rotateKey(client: OperationClient, context: CallContext, request: RotateKey): Promise<RotatedKey> {
  const made = makeApiKeys();
  const { hash: production_hash, hint } = hashedKey(made.production);
  const { hash: test_hash } = hashedKey(made.test);
  const { key_id, mode, previous_valid_until } = await client.call(keys.rotate, context, { ...request, production_hash, test_hash, hint });
  return { key_id, key: made[mode], previous_valid_until };
}
