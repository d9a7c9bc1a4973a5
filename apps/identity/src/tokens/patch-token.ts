import { ServiceError } from '@tidings/contracts/core/errors';
import { validate } from '@tidings/contracts/core/validator';
import type { PatchOperation } from '@tidings/contracts/identity/profiles';
import { UserToken } from '@tidings/contracts/identity/user-tokens';
import { deepEqual } from '../json/deep-equal';
import { applyPatch } from '../json/json-patch';
import { isPast, type StoredToken, type TokenRow, toStored, toUserToken } from './token.rows';

/** What a patch makes of a token. */
type PatchedToken = StoredToken & Pick<TokenRow, 'status' | 'status_reason'>;

/** Members that a token may not have; the patch finds them as `null`. */
const NOTHING = { device: null, tracking: null, properties: null, status_reason: null };

/**
 * The token after a JSON Patch of what is answered of it, `undefined` where nothing changes. Everything but the token itself can be
 * changed, to what a registration could hold; the reason of another status is forgotten unless the patch gives one. A patched
 * token is not registered anew. Throws `invalid_request` for a patch that cannot be applied, and for a result that is no token.
 */
export function patchToken(row: TokenRow, patch: readonly PatchOperation[], now: Date): PatchedToken | undefined {
  const before = { ...NOTHING, ...toUserToken(row, now.getTime()) };
  const patched = applyPatch(before, patch);
  const writes = (written: string): boolean => patch.some(({ op, path }) => path === written && op !== 'test');
  // A caller who revokes an expired token means more than its expiry, though its status reads the same.
  const writesStatus = writes('/status');
  if (!writesStatus && deepEqual(before, patched)) return undefined;
  const after = validate(UserToken, patched);
  if (after.token !== before.token) throw new ServiceError('invalid_request', 'token cannot be changed: delete it and register the other');

  const { status: read, status_reason, ...entry } = after;
  const stored = toStored(entry, '', now);
  const statusGiven = writesStatus || read !== before.status;
  const status = statusGiven ? read : row.status;
  if (statusGiven && status !== 'revoked' && isPast(stored.expiresAt, now.getTime())) {
    throw new ServiceError('invalid_request', `status cannot be ${status}: the token has expired, change expiry_date as well`);
  }
  // A reason written equal to the one before is the new status's own; one that was only left in place is not.
  const reasonGiven = status_reason !== before.status_reason || writes('/status_reason') || (statusGiven && writes(''));
  if (reasonGiven) return { ...stored, status, status_reason: status_reason ?? null };
  return { ...stored, status, status_reason: status === row.status ? row.status_reason : null };
}
