import { PROFILE_BYTES_MAX } from '@tidings/contracts/identity/profiles';
import { storableObject } from '@tidings/contracts/core/storable-object';

/** The profile as the JSON text to store (`storableObject`), of at most `PROFILE_BYTES_MAX` bytes. */
export function storableProfile(userId: string, profile: unknown): string {
  return storableObject(`The profile of ${userId}`, profile, PROFILE_BYTES_MAX, 'profile');
}
