import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsDefined,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import type { KeyMode } from '../core/context';
import { IsOneLine } from '../core/one-line';
import { CursorQuery, PAGE_LIMIT_MAX, Paging } from '../core/paging';

const KEY_NAME_LENGTH_MAX = 100;
/** Keys of one workspace that are not revoked. */
export const KEYS_PER_WORKSPACE_MAX = 1_000;
const KEY_SCOPES_MAX = 200;
const KEY_SCOPE_LENGTH_MAX = 600;
/** How long a key that was rotated goes on: between a moment and a month. */
export const OVERLAP_MIN = '0s';
export const OVERLAP_MAX = '30 days';
export const OVERLAP_DEFAULT = '24 hours';

export class NamedKey {
  @IsUUID()
  key_id!: string;
}

/** What an operator says of a new key. */
export class MakeKey {
  @IsIn(['production', 'test'])
  mode!: KeyMode;

  /** For people. */
  @IsOptional()
  @IsString()
  @Length(1, KEY_NAME_LENGTH_MAX)
  @IsOneLine()
  name?: string | null;

  /** What the key may do. Default: everything. */
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(KEY_SCOPES_MAX)
  @IsString({ each: true })
  @Length(1, KEY_SCOPE_LENGTH_MAX, { each: true })
  scopes?: string[] | null;
}

export class CreateKey extends MakeKey {
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

export class RotateKey extends NamedKey {
  /** How long the old key goes on beside the new one: `24 hours`; `OVERLAP_MIN` to `OVERLAP_MAX`. Default `OVERLAP_DEFAULT`. */
  @IsOptional()
  @IsString()
  @Length(1, 100)
  overlap?: string | null;
}

export class RotatedKey extends CreatedKey {
  /** When the old key ends. ISO 8601. */
  @IsString()
  previous_valid_until!: string;
}

export class PageKeys extends CursorQuery {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(PAGE_LIMIT_MAX)
  limit?: number;
}

/** A key as operators see it: never the key, never its hash. */
export class KeySummary {
  @IsUUID()
  key_id!: string;

  @IsOptional()
  @IsString()
  name?: string;

  @IsIn(['production', 'test'])
  mode!: KeyMode;

  @IsArray()
  @IsString({ each: true })
  scopes!: string[];

  /** The key's last four characters; absent for keys older than this was kept. */
  @IsOptional()
  @IsString()
  hint?: string;

  /** `ending`: it was rotated and goes on until `valid_until`. */
  @IsIn(['active', 'ending', 'revoked'])
  status!: 'active' | 'ending' | 'revoked';

  /** ISO 8601, as all times here. */
  @IsString()
  created_at!: string;

  @IsOptional()
  @IsString()
  valid_until?: string;

  @IsOptional()
  @IsString()
  revoked_at?: string;
}

export class KeyPage {
  @IsDefined()
  @ValidateNested()
  @Type(() => Paging)
  paging!: Paging;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => KeySummary)
  results!: KeySummary[];
}
