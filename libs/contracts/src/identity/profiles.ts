import { IsIn, IsOptional } from 'class-validator';
import { AnyObject, IsListOf, Optional, OptionalText, Text, TextOf } from '../core/fields';
import { AnyField } from '../core/known-fields';
import { defineOperations } from '../core/operation';

export const USER_ID_LENGTH_MAX = 512;
/** Id of the user, chosen by you: any text, such as the id in your own system. @example "ada" */
export const UserId = TextOf(1, USER_ID_LENGTH_MAX);
export const OptionalUserId = Optional(UserId);
export const PROFILE_BYTES_MAX = 256 * 1024;

/** Free keys. */
export type ProfileFields = Record<string, unknown>;

export class NamedUser {
  @UserId user_id: string;
}

export class WriteProfile extends NamedUser {
  /**
   * The fields of the profile, with any names and values, at most 256 KB as JSON. Sends read addresses in it, such as `email`, and
   * `locale`.
   * @example { "email": "ada@example.com", "name": "Ada" }
   */
  @AnyObject profile: ProfileFields;
}

/** One step of a JSON Patch (RFC 6902), which requires that other members are ignored. */
@AnyField
export class PatchOperation {
  /** What the step does; `test` fails the whole patch if the value at `path` is another one. @example "replace" */
  @IsIn(['add', 'remove', 'replace', 'move', 'copy', 'test'])
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';

  /** JSON Pointer (RFC 6901) to the field that the step changes. @example "/email" */
  @Text path: string;

  /** With `move` and `copy`: JSON Pointer to the field to take the value from. @example "/phone_number" */
  @OptionalText from?: string | null;

  /** With `add`, `replace` and `test`: the value, of any type. @example "ada@example.org" */
  @IsOptional() value?: unknown;
}

/**
 * The steps of a JSON Patch (RFC 6902), in order: all of them are applied, or none.
 * @example [{ "op": "replace", "path": "/email", "value": "ada@example.org" }]
 */
export const JsonPatch = IsListOf(PatchOperation, 1_000);

export class PatchProfile extends NamedUser {
  @JsonPatch patch: PatchOperation[];
}

export class Profile {
  /** The fields of the profile, as written. @example { "email": "ada@example.com", "name": "Ada" } */
  @AnyObject profile: ProfileFields;
}

export class ProfileWritten {
  /** Always `SUCCESS`: an error has another status code and body. */
  @IsIn(['SUCCESS']) status: 'SUCCESS';
}

export const profiles = defineOperations('identity.profiles', 'profiles', {
  /** Answers 404 for a user without a profile. The preferences of the user are not included: see `/users/:user_id/preferences`. */
  retrieve: {
    route: 'GET /profiles/:user_id',
    summary: 'Get a profile',
    request: NamedUser,
    response: Profile,
  },
  /**
   * Objects are merged at every depth; any other value replaces the stored one.
   * @example { "profile": { "email": "ada@example.com", "name": "Ada" } }
   */
  merge: {
    audit: 'user:profile-changed',
    command: true,
    route: 'POST /profiles/:user_id',
    quota: 'profiles',
    unknownFields: 'reported',
    summary: 'Merge into a profile, or create it',
    request: WriteProfile,
    response: ProfileWritten,
  },
  /**
   * Fields that are left out are removed; an empty object empties the profile.
   * @example { "profile": { "email": "ada@example.com", "name": "Ada" } }
   */
  replace: {
    audit: 'user:profile-changed',
    command: true,
    route: 'PUT /profiles/:user_id',
    quota: 'profiles',
    unknownFields: 'reported',
    summary: 'Replace a profile, or create it',
    request: WriteProfile,
    response: ProfileWritten,
  },
  /**
   * Applies all steps, or none. Answers 404 for a user without a profile.
   * @example { "patch": [{ "op": "replace", "path": "/email", "value": "ada@example.org" }] }
   */
  patch: {
    audit: 'user:profile-changed',
    command: true,
    route: 'PATCH /profiles/:user_id',
    unknownFields: 'reported',
    summary: 'Apply a JSON Patch to a profile',
    request: PatchProfile,
    response: ProfileWritten,
  },
  /** Removes the profile. Subscriptions to lists, tenants and preferences of the user stay; memberships in audiences end. */
  remove: {
    audit: 'user:profile-deleted',
    command: true,
    route: 'DELETE /profiles/:user_id',
    quota: 'profiles',
    summary: 'Delete a profile',
    request: NamedUser,
  },
});
