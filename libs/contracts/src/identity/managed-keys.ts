import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsOptional, IsString, Length } from 'class-validator';
import type { KeyMode } from '../core/context';
import { Mode, Optional, OptionalLimit, OptionalText, OptionalTextOf, Text, TextOf, Texts, Uuid } from '../core/fields';
import { IsOneLine } from '../core/one-line';
import { CursorQuery, PAGE_LIMIT_MAX, pageOf } from '../core/paging';

const KEY_NAME_LENGTH_MAX = 100;
/** Maximum unrevoked keys of one workspace. */
export const KEYS_PER_WORKSPACE_MAX = 1_000;
const KEY_SCOPES_MAX = 200;
const KEY_SCOPE_LENGTH_MAX = 600;
/** Bounds of the time that a rotated key stays valid. */
export const OVERLAP_MIN = '0s';
export const OVERLAP_MAX = '30 days';
export const OVERLAP_DEFAULT = '24 hours';

export class NamedKey {
  @Uuid key_id: string;
}

/** The operator's input for a new key. */
export class MakeKey {
  @Mode mode: KeyMode;

  /** Display name. */
  @Optional(TextOf(1, KEY_NAME_LENGTH_MAX), IsOneLine()) name?: string | null;

  /** Scopes of the key. Default: `*`. */
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(KEY_SCOPES_MAX)
  @IsString({ each: true })
  @Length(1, KEY_SCOPE_LENGTH_MAX, { each: true })
  scopes?: string[] | null;
}

export class CreateKey extends MakeKey {
  /** The key to use instead of a random one; for tests and for `TIDINGS_API_KEY`. */
  @OptionalTextOf(200) key?: string;
}

export class CreatedKey {
  @Uuid key_id: string;

  /** Returned only here; only its hash is stored. */
  @Text key: string;
}

export class RotateKey extends NamedKey {
  /** How long the old key stays valid beside the new one: `24 hours`; `OVERLAP_MIN` to `OVERLAP_MAX`. Default `OVERLAP_DEFAULT`. */
  @OptionalTextOf(1, 100) overlap?: string | null;
}

export class RotatedKey extends CreatedKey {
  /** When the old key expires. ISO 8601. */
  @Text previous_valid_until: string;
}

export class PageKeys extends CursorQuery {
  @OptionalLimit(PAGE_LIMIT_MAX) limit?: number;
}

/** A key as operators see it: without the key and its hash. */
export class KeySummary {
  @Uuid key_id: string;

  @OptionalText name?: string;

  @Mode mode: KeyMode;

  @Texts scopes: string[];

  /** The key's last four characters; absent for keys created before they were stored. */
  @OptionalText hint?: string;

  /** `ending`: rotated, valid until `valid_until`. */
  @IsIn(['active', 'ending', 'revoked']) status: 'active' | 'ending' | 'revoked';

  /** ISO 8601, like all times here. */
  @Text created_at: string;

  @OptionalText valid_until?: string;

  @OptionalText revoked_at?: string;
}

export class KeyPage extends pageOf(KeySummary) {}
