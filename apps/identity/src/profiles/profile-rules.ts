import { ServiceError } from '@tidings/contracts/core/errors';
import { assertStorable } from '@tidings/contracts/core/text';
import { PROFILE_BYTES_MAX } from '@tidings/contracts/identity/profiles';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';

/**
 * The profile as the JSON text to store. Throws `invalid_request` when it is not an object, holds what cannot be kept or
 * carried unchanged (`assertStorable`), or takes more than `PROFILE_BYTES_MAX` bytes.
 */
export function storableProfile(userId: string, profile: unknown): string {
  if (!isJsonObject(profile)) throw new ServiceError('invalid_request', `The profile of ${userId} must be an object`);
  assertStorable({ profile }, ''); // inside an object, as it travels: what can be stored can be sent back
  const text = JSON.stringify(profile);
  const bytes = Buffer.byteLength(text);
  if (bytes > PROFILE_BYTES_MAX) {
    throw new ServiceError(
      'invalid_request',
      `The profile of ${userId} would take ${bytes} bytes, at most ${PROFILE_BYTES_MAX} are stored`,
    );
  }
  return text;
}
