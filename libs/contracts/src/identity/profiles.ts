import { IsIn, IsOptional } from 'class-validator';
import { AnyObject, IsListOf, Optional, OptionalText, Text, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';

export const USER_ID_LENGTH_MAX = 512;
export const UserId = TextOf(1, USER_ID_LENGTH_MAX);
export const OptionalUserId = Optional(UserId);
export const PROFILE_BYTES_MAX = 256 * 1024;

/** Free keys. */
export type ProfileFields = Record<string, unknown>;

export class NamedUser {
  @UserId user_id: string;
}

export class WriteProfile extends NamedUser {
  @AnyObject profile: ProfileFields;
}

/** One step of a JSON Patch (RFC 6902). */
export class PatchOperation {
  @IsIn(['add', 'remove', 'replace', 'move', 'copy', 'test'])
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';

  @Text path: string;

  @OptionalText from?: string | null;

  @IsOptional() value?: unknown;
}

export const JsonPatch = IsListOf(PatchOperation, 1_000);

export class PatchProfile extends NamedUser {
  @JsonPatch patch: PatchOperation[];
}

export class Profile {
  @AnyObject profile: ProfileFields;
}

export class ProfileWritten {
  @IsIn(['SUCCESS']) status: 'SUCCESS';
}

export const profiles = defineOperations('identity.profiles', 'profiles', {
  retrieve: {
    route: 'GET /profiles/:user_id',
    summary: 'Get a profile',
    request: NamedUser,
    response: Profile,
  },
  merge: {
    command: true,
    route: 'POST /profiles/:user_id',
    summary: 'Merge into a profile, or create it',
    request: WriteProfile,
    response: ProfileWritten,
  },
  replace: {
    command: true,
    route: 'PUT /profiles/:user_id',
    summary: 'Replace a profile, or create it',
    request: WriteProfile,
    response: ProfileWritten,
  },
  patch: {
    command: true,
    route: 'PATCH /profiles/:user_id',
    summary: 'Apply a JSON Patch to a profile',
    request: PatchProfile,
    response: ProfileWritten,
  },
  remove: {
    command: true,
    route: 'DELETE /profiles/:user_id',
    summary: 'Delete a profile',
    request: NamedUser,
  },
});
