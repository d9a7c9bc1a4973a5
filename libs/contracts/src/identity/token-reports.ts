import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
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
import { PUSH_TOKEN_LENGTH_MAX, TOKEN_REASON_LENGTH_MAX } from './token-limits';

export const TOKEN_REPORTS_MAX = 1_000;
/** The last instant that JavaScript knows, in ms since the epoch. */
const INSTANT_MAX = 8_640_000_000_000_000;

/** What a push service said of a token. */
const TOKEN_OUTCOMES = ['accepted', 'revoked', 'suspicious'] as const;
export type TokenOutcome = (typeof TOKEN_OUTCOMES)[number];

/** What became of one attempt to reach a device; the call is the system's own, over many workspaces at once. */
export class TokenReport {
  @IsUUID()
  workspace_id!: string;

  @IsString()
  @Length(1, PUSH_TOKEN_LENGTH_MAX)
  token!: string;

  @IsIn(TOKEN_OUTCOMES)
  outcome!: TokenOutcome;

  /** The push service's own word for it. */
  @IsOptional()
  @IsString()
  @MaxLength(TOKEN_REASON_LENGTH_MAX)
  code?: string | null;

  /**
   * When this was so, in ms since the epoch: the time of the service's answer, or the time that the answer names. What was
   * before the token's last registration says nothing about it any more.
   */
  @IsInt()
  @Min(0)
  @Max(INSTANT_MAX)
  at!: number;
}

export class ReportUserTokens {
  @IsArray()
  @ArrayMaxSize(TOKEN_REPORTS_MAX)
  @ValidateNested({ each: true })
  @Type(() => TokenReport)
  reports!: TokenReport[];
}
