import { sendingTemplates } from '@tidings/contracts/content/sending';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { Caller } from '../auth/caller';
import { shownNames } from '../http/warnings';

/** Names of one request that are looked up. */
const NAMES_MAX = 1_000;

/**
 * The warning about templates that a request names and that do not exist, which may be created later. Undefined if all exist, for
 * tokens of users, and while content cannot answer: the request does not depend on it.
 */
export async function missingTemplates(
  { templateNames }: AnyOperation,
  { requestKey: _key, unknownFields: _fields, ...caller }: Caller,
  request: object,
  client: OperationClient,
): Promise<string | undefined> {
  const names = [...new Set(templateNames?.(request))].slice(0, NAMES_MAX);
  if (names.length === 0 || caller.isToken) return undefined;
  try {
    const { missing } = await client.call(sendingTemplates.findMissing, caller, { names });
    if (missing.length === 0) return undefined;
    return `No template has the id or alias ${shownNames(missing)}; it has an effect once one does`;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return undefined;
  }
}
