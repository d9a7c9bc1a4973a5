import { ArrayMinSize, IsIn, Length, Matches } from 'class-validator';
import type { KeyMode } from '../core/context';
import { defineEvent } from '../core/event';
import {
  Mode,
  Optional,
  OptionalLimit,
  OptionalText,
  OptionalTextOf,
  OptionalTexts,
  OptionalTextsOf,
  Text,
  TextOf,
  Texts,
  Uuid,
} from '../core/fields';
import { IsInstant } from '../core/instant';
import { defineOperations } from '../core/operation';
import { IsOneLine } from '../core/one-line';
import { CursorQuery, PAGE_LIMIT_MAX, pageOf } from '../core/paging';
import type { Quotas } from '../core/quotas';
import { USER_ID_LENGTH_MAX } from './profiles';

/** Maximum unrevoked keys of one workspace. */
export const KEYS_PER_WORKSPACE_MAX = 1_000;
/** Maximum entries of a key's guest list. */
export const KEY_RECIPIENTS_MAX = 100;
/** Bounds of the time that a rotated key stays valid. */
export const OVERLAP_MIN = '0s';
export const OVERLAP_MAX = '30 days';
export const OVERLAP_DEFAULT = '24 hours';

const IsRecipient = Length(1, USER_ID_LENGTH_MAX, {
  each: true,
  message: 'each value in $property must be a user id, an e-mail address or a phone number, of $constraint1 to $constraint2 characters',
});

export class NamedKey {
  /** Id of the API key; it is not secret. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @Uuid key_id: string;
}

/** The operator's input for a new key. */
export class MakeKey {
  /** Messages of a `test` key are simulated, those of a `production` key are sent. @example "test" */
  @Mode mode: KeyMode;

  /** Display name, in one line. @example "Shop backend" */
  @Optional(TextOf(1, 100), IsOneLine) name?: string | null;

  /** Scopes of the key. Default: `*`, all of them. @example ["write:send", "read:messages"] */
  @OptionalTextsOf(200, 1, 600)
  @ArrayMinSize(1)
  scopes?: string[] | null;

  /**
   * Guest list: the only user ids, e-mail addresses and phone numbers that the key may send to, 1 to 100; any other recipient is refused
   * with 403. Default: any recipient. @example ["ada", "ada@example.com"]
   */
  @OptionalTextsOf(KEY_RECIPIENTS_MAX)
  @ArrayMinSize(1)
  @IsRecipient
  recipients?: string[] | null;

  /** When the key expires: an ISO 8601 date or date with time, in UTC unless it has an offset. Default: never. @example "2026-12-31" */
  @Optional(IsInstant) expires_at?: string | null;
}

/** `hashApiKey` of a key. */
const KeyHash = Matches(/^[0-9a-f]{64}$/);
const KeyHint = OptionalTextOf(4, 4);

/** The caller makes the key and alone knows it. */
export class CreateKey extends MakeKey {
  @KeyHash hash: string;

  /** The key's last four characters; absent for a short one. */
  @KeyHint hint?: string;
}

/** The id of a stored key. */
export class StoredKey {
  @Uuid key_id: string;
}

/** The key as its operator gets it. */
export class CreatedKey {
  /** Id of the API key; it is not secret. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @Uuid key_id: string;

  /** The API key. It is returned only here, as only its hash is stored. @example "pk_prod_4fK0aB1dQkS9fT2uVw5zC2FVsBQIhrscChlQIMVsYsp" */
  @Text key: string;
}

export class RotateKey extends NamedKey {
  /**
   * How long the old key stays valid beside the new one: a number and a unit, `0s` to `30 days`. Default `24 hours`.
   * @example "24 hours"
   */
  @OptionalTextOf(1, 100) overlap?: string | null;
}

/** The caller makes a key of each mode: only identity knows the mode of the old one. */
export class ReplaceKey extends RotateKey {
  @KeyHash production_hash: string;

  @KeyHash test_hash: string;

  /** The last four characters of both. */
  @KeyHint hint?: string;
}

/** The id of the new key, and which of the two was stored. */
export class ReplacedKey extends StoredKey {
  @Mode mode: KeyMode;

  @Text previous_valid_until: string;
}

export class RotatedKey extends CreatedKey {
  /** When the old key expires: ISO 8601 in UTC. @example "2026-03-02T10:00:00.000Z" */
  @Text previous_valid_until: string;
}

export class PageKeys extends CursorQuery {
  /** Only the key with this id. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @Optional(Uuid) key_id?: string;

  /** The most items of a page, 1 to 100. Default 20. @example 50 */
  @OptionalLimit(PAGE_LIMIT_MAX) limit?: number;
}

/** A key as it is listed: without the key and its hash. */
export class KeySummary {
  /** Id of the API key; it is not secret. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @Uuid key_id: string;

  /** Display name; absent if it has none. @example "Shop backend" */
  @OptionalText name?: string;

  /** Messages of a `test` key are simulated, those of a `production` key are sent. @example "test" */
  @Mode mode: KeyMode;

  /** Scopes of the key; `*` for all. @example ["*"] */
  @Texts scopes: string[];

  /** Guest list of the key; absent if it may send to any recipient. @example ["ada", "ada@example.com"] */
  @OptionalTexts recipients?: string[];

  /** The key's last four characters; absent for keys created before they were stored. @example "x9Qz" */
  @OptionalText hint?: string;

  /** Rate limit of the key; absent if it has none beside that of the workspace. @example "10/s" */
  @OptionalText rate_limit?: string;

  /** `ending`: rotated, valid until `valid_until`. `expired`: `expires_at` is past. @example "active" */
  @IsIn(['active', 'ending', 'expired', 'revoked']) status: 'active' | 'ending' | 'expired' | 'revoked';

  /** ISO 8601, like all times here. @example "2026-03-01T10:00:00.000Z" */
  @Text created_at: string;

  /** When it, a token it issued or a session of it was last used, to about a minute; absent before. @example "2026-03-01T10:00:00.000Z" */
  @OptionalText last_used_at?: string;

  /** When the key expires: ISO 8601 in UTC; absent if it does not. @example "2026-12-31T00:00:00.000Z" */
  @OptionalText expires_at?: string;

  /** When a rotated key expires: ISO 8601 in UTC; absent for others. @example "2026-03-02T10:00:00.000Z" */
  @OptionalText valid_until?: string;

  /** When it was revoked: ISO 8601 in UTC; absent for others. @example "2026-03-02T10:00:00.000Z" */
  @OptionalText revoked_at?: string;
}

/** @property results The keys of this page, the newest first, revoked ones included. */
export class KeyPage extends pageOf(KeySummary) {}

export class VerifyKey {
  /** SHA-256 of the key, lower-case hex: the key itself is never sent. */
  @TextOf(64) hash: string;
}

/** The limits of a key and of its workspace; absent ones do not exist. */
export interface AccessLimits {
  /** Rate of the key: `10/s`. */
  key_rate?: string;
  /** Rate of all keys of the workspace. */
  workspace_rate?: string;
  quotas?: Quotas;
}

/** A valid key: its workspace, mode, scopes and limits. */
export class VerifiedKey {
  key_id: string;

  workspace_id: string;

  /** E-mail address of the workspace's account: the user name of Basic authentication. */
  account_email: string;

  mode: KeyMode;

  /** `*` for everything. */
  scopes: string[];

  /** The guest list; absent if the key may send to any recipient. */
  recipients?: string[];

  /** When the key expires, because of its expiry or its rotation, in ms since the epoch; absent if it does not. */
  valid_until?: number;

  /** Absent without limits. */
  limits?: AccessLimits;
}

export const keys = defineOperations('identity.keys', 'internal', {
  /** `unauthenticated` if the key is unknown, expired or revoked. */
  verify: {
    summary: 'Get the workspace and scopes of a key, by its hash',
    request: VerifyKey,
    response: VerifiedKey,
    repeatable: true,
    deadlineMs: 5_000,
  },
  /** The key with this id in the caller's workspace; `unauthenticated` if it does not exist, has expired or was revoked. */
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
    audit: 'own',
    summary: 'Create an API key',
    command: true,
    request: CreateKey,
    response: StoredKey,
  },
  /** Creates a key with name, mode, scopes, guest list and expiry of an old one, which stays valid for the overlap. `conflict` if it was rotated before. */
  rotate: {
    audit: 'own',
    summary: 'Replace an API key',
    command: true,
    request: ReplaceKey,
    response: ReplacedKey,
  },
  /** Revokes a key of the caller's workspace: every process refuses it within a second. Idempotent. */
  revoke: {
    audit: 'own',
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
