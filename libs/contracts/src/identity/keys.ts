import { IsArray, IsEmail, IsIn, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { defineEvent } from '../core/event';
import { defineOperation, Nothing } from '../core/operation';
import type { KeyMode } from '../core/context';

export class VerifyKey {
  /** SHA-256 of the key, lower-case hex: the key itself never travels. */
  @IsString()
  @MaxLength(64)
  hash!: string;
}

/** What a valid key stands for. */
export class VerifiedKey {
  @IsUUID()
  key_id!: string;

  @IsUUID()
  workspace_id!: string;

  /** E-mail address of the workspace's account: the user name of Basic authentication. */
  @IsEmail()
  account_email!: string;

  @IsIn(['production', 'test'])
  mode!: KeyMode;

  @IsArray()
  @IsString({ each: true })
  scopes!: string[];
}

export class RevokeKey {
  @IsUUID()
  key_id!: string;
}

export class CreateKey {
  @IsIn(['production', 'test'])
  mode!: KeyMode;

  /** Fixes the key instead of drawing one; for tests and for `TIDINGS_API_KEY`. */
  @IsOptional()
  @IsString()
  @MaxLength(200)
  key?: string;
}

export class CreatedKey {
  @IsUUID()
  key_id!: string;

  /** Shown this once; only its hash is stored. */
  @IsString()
  key!: string;
}

export const keys = {
  /** `unauthenticated` when the key is unknown or revoked. */
  verify: defineOperation({
    pattern: 'identity.keys.verify',
    scope: 'internal',
    summary: 'Whose key this is',
    request: VerifyKey,
    response: VerifiedKey,
    repeatable: true,
    deadlineMs: 5_000,
  }),
  /** A new key of the caller's workspace. */
  create: defineOperation({
    pattern: 'identity.keys.create',
    scope: 'internal',
    summary: 'Make an API key',
    request: CreateKey,
    response: CreatedKey,
  }),
  /** A key of the caller's workspace is refused everywhere within a second. Asking twice is asking once. */
  revoke: defineOperation({
    pattern: 'identity.keys.revoke',
    scope: 'internal',
    summary: 'Revoke an API key',
    request: RevokeKey,
    response: Nothing,
  }),
};

/** A key was made, changed or revoked: caches forget what they knew of it. */
export class AccessChanged {
  @IsUUID()
  workspaceId!: string;

  @IsUUID()
  keyId!: string;
}

export const accessChanged = defineEvent({
  topic: 'tidings.access-changed.v1',
  key: ['workspaceId', 'keyId'],
  payload: AccessChanged,
  summary: 'An API key was made, changed or revoked',
  from: 'identity',
  to: ['gateway'],
});
