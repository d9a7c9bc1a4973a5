import { IsArray, IsEmail, IsIn, IsInt, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import type { KeyMode } from '../core/context';
import { defineEvent } from '../core/event';
import { defineOperation, Nothing } from '../core/operation';
import { CreatedKey, CreateKey, KeyPage, NamedKey, PageKeys, RotatedKey, RotateKey } from './managed-keys';

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

  /** `*` for everything. */
  @IsArray()
  @IsString({ each: true })
  scopes!: string[];

  /** Of a key that was rotated: when it ends, in ms since the epoch. */
  @IsOptional()
  @IsInt()
  valid_until?: number;
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
  /** The key of the caller's workspace that has this id; `unauthenticated` when there is none, or it was revoked. */
  inspect: defineOperation({
    pattern: 'identity.keys.inspect',
    scope: 'internal',
    summary: 'What a key stands for, by its id',
    request: NamedKey,
    response: VerifiedKey,
    repeatable: true,
    deadlineMs: 5_000,
  }),
  /** The keys of the caller's workspace, the newest first, revoked ones too. */
  page: defineOperation({
    pattern: 'identity.keys.page',
    scope: 'internal',
    summary: 'List API keys',
    request: PageKeys,
    response: KeyPage,
    repeatable: true,
  }),
  /** A new key of the caller's workspace. */
  create: defineOperation({
    pattern: 'identity.keys.create',
    scope: 'internal',
    summary: 'Make an API key',
    request: CreateKey,
    response: CreatedKey,
  }),
  /** A new key with the name, mode and scopes of an old one, which goes on for the overlap. `conflict` when it was rotated before. */
  rotate: defineOperation({
    pattern: 'identity.keys.rotate',
    scope: 'internal',
    summary: 'Replace an API key',
    request: RotateKey,
    response: RotatedKey,
  }),
  /** A key of the caller's workspace is refused everywhere within a second. Asking twice is asking once. */
  revoke: defineOperation({
    pattern: 'identity.keys.revoke',
    scope: 'internal',
    summary: 'Revoke an API key',
    request: NamedKey,
    response: Nothing,
  }),
};

/** An API key, or in the system's workspace a signing key, was made, changed or revoked: caches forget what they knew of it. */
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
  summary: 'An API key or a signing key was made, changed or revoked',
  from: 'identity',
  to: ['gateway'],
});
