import type { CallContext } from '@tidings/contracts/core/context';
import { IDEMPOTENCY_KEY_HEADER } from '@tidings/contracts/core/idempotency';
import { conflict } from '@tidings/contracts/core/refusals';
import { hashedKey, makeApiKey, makeApiKeys } from '@tidings/contracts/identity/api-key';
import { type CreatedKey, keys, type MakeKey, type RotatedKey, type RotateKey } from '@tidings/contracts/identity/keys';
import type { OperationClient } from '@tidings/rpc/operation-client';

/**
 * Creates an API key: it is made here, and only its hash and its end leave the process.
 * @throws ServiceError `conflict` for the repetition of a request with an `Idempotency-Key`: the key was shown once.
 */
export async function createKey(client: OperationClient, context: CallContext, request: MakeKey): Promise<CreatedKey> {
  const key = makeApiKey(request.mode);
  const { key_id } = await client.call(keys.create, context, { ...request, ...hashedKey(key) });
  assertMadeNow(context, key_id);
  return { key_id, key };
}

/** As `createKey`, for the key that replaces another one, whose mode only identity knows. */
export async function rotateKey(client: OperationClient, context: CallContext, request: RotateKey): Promise<RotatedKey> {
  const made = makeApiKeys();
  const { hash: production_hash, hint } = hashedKey(made.production);
  const { hash: test_hash } = hashedKey(made.test);
  const { key_id, mode, previous_valid_until } = await client.call(keys.rotate, context, { ...request, production_hash, test_hash, hint });
  assertMadeNow(context, key_id);
  return { key_id, key: made[mode], previous_valid_until };
}

function assertMadeNow({ requestKey }: CallContext, keyId: string) {
  if (requestKey?.replayed)
    throw conflict(`This ${IDEMPOTENCY_KEY_HEADER} made the API key ${keyId}, which was shown once: revoke it, and make another one`);
}
