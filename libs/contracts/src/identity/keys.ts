import { IsEmail } from 'class-validator';
import type { KeyMode } from '../core/context';
import { defineEvent } from '../core/event';
import { Mode, OptionalInt, TextOf, Texts, Uuid } from '../core/fields';
import { defineOperations } from '../core/operation';
import { CreatedKey, CreateKey, KeyPage, NamedKey, PageKeys, RotatedKey, RotateKey } from './managed-keys';

export class VerifyKey {
  /** SHA-256 of the key, lower-case hex: the key itself is never sent. */
  @TextOf(64) hash: string;
}

/** A valid key: its workspace, mode and scopes. */
export class VerifiedKey {
  @Uuid key_id: string;

  @Uuid workspace_id: string;

  /** E-mail address of the workspace's account: the user name of Basic authentication. */
  @IsEmail() account_email: string;

  @Mode mode: KeyMode;

  /** `*` for everything. */
  @Texts scopes: string[];

  /** When a rotated key expires, in ms since the epoch; absent for keys that were not rotated. */
  @OptionalInt valid_until?: number;
}

export const keys = defineOperations('identity.keys', 'internal', {
  /** `unauthenticated` if the key is unknown or revoked. */
  verify: {
    summary: 'Get the workspace and scopes of a key, by its hash',
    request: VerifyKey,
    response: VerifiedKey,
    repeatable: true,
    deadlineMs: 5_000,
  },
  /** The key with this id in the caller's workspace; `unauthenticated` if it does not exist or was revoked. */
  inspect: {
    summary: 'Get the workspace and scopes of a key, by its id',
    request: NamedKey,
    response: VerifiedKey,
    repeatable: true,
    deadlineMs: 5_000,
  },
  /** The keys of the caller's workspace, newest first, revoked ones included. */
  page: {
    summary: 'List API keys',
    request: PageKeys,
    response: KeyPage,
    repeatable: true,
  },
  /** Creates a key of the caller's workspace. */
  create: {
    summary: 'Create an API key',
    request: CreateKey,
    response: CreatedKey,
  },
  /** Creates a key with name, mode and scopes of an old one, which stays valid for the overlap. `conflict` if it was rotated before. */
  rotate: {
    summary: 'Replace an API key',
    request: RotateKey,
    response: RotatedKey,
  },
  /** Revokes a key of the caller's workspace: every process refuses it within a second. Idempotent. */
  revoke: {
    summary: 'Revoke an API key',
    request: NamedKey,
    command: true,
  },
});

/** An API key, or in the system's workspace a signing key, was created, changed or revoked: caches drop it. */
export class AccessChanged {
  @Uuid workspaceId: string;

  @Uuid keyId: string;
}

export const accessChanged = defineEvent({
  topic: 'tidings.access-changed.v1',
  key: ['workspaceId', 'keyId'],
  payload: AccessChanged,
  summary: 'An API key or a signing key was created, changed or revoked',
  from: 'identity',
  to: ['gateway'],
});
