import { invalid } from '@tidings/contracts/core/refusals';
import { validate } from '@tidings/contracts/core/validator';
import type { PatchOperation } from '@tidings/contracts/identity/profiles';
import { UserToken } from '@tidings/contracts/identity/user-tokens';
import { deepEqual } from '../json/deep-equal';
import { applyPatch } from '../json/json-patch';
import { type PushTokenEntity, toUserToken } from './push-token.entity';
import { type StoredToken, toStored } from './stored-token';
import { isPast } from './token-status';

/** A token after a patch. */
type PatchedToken = StoredToken & Pick<PushTokenEntity, 'status' | 'statusReason'>;

/** Members that a token may not have; the patch finds them as `null`. */
const NOTHING = { device: null, tracking: null, properties: null, status_reason: null };

/**
 * The token after a JSON Patch of its answered form; `undefined` where nothing changes. Everything but the token itself can be
 * changed, to values that a registration accepts. A new status drops the reason, unless the patch sets one. A patch does not renew
 * the registration. Throws `invalid_request` for a patch that cannot be applied, and for a result that is not a token.
 */
export function patchToken(row: PushTokenEntity, patch: readonly PatchOperation[], now: Date): PatchedToken | undefined {
  const before = { ...NOTHING, ...toUserToken(row, now.getTime()) };
  const patched = applyPatch(before, patch);
  const writes = (target: string): boolean => patch.some(({ op, path }) => path === target && op !== 'test');
  // Revoking an expired token is a change: its status is shown as revoked, but not stored.
  const writesStatus = writes('/status');
  if (!writesStatus && deepEqual(before, patched)) return undefined;
  const after = validate(UserToken, patched);
  if (after.token !== before.token) throw invalid('token cannot be changed: delete it and register the other');

  const { status: read, status_reason, ...entry } = after;
  const stored = toStored(entry, '', now);
  const statusGiven = writesStatus || read !== before.status;
  const status = statusGiven ? read : row.status;
  if (statusGiven && status !== 'revoked' && isPast(stored.expiresAt, now.getTime())) {
    throw invalid(`status cannot be ${status}: the token has expired, change expiry_date as well`);
  }
  // A reason that the patch writes belongs to the new status, even if it is unchanged; one left as it was does not.
  const reasonGiven = status_reason !== before.status_reason || writes('/status_reason') || (statusGiven && writes(''));
  if (reasonGiven) return { ...stored, status, statusReason: status_reason ?? null };
  return { ...stored, status, statusReason: status === row.status ? row.statusReason : null };
}
