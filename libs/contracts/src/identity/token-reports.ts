import { IsIn, Max, Min } from 'class-validator';
import { Int, IsListOf, OptionalTextOf, TextOf, Uuid } from '../core/fields';
import { PUSH_TOKEN_LENGTH_MAX, TOKEN_REASON_LENGTH_MAX } from './token-limits';

export const TOKEN_REPORTS_MAX = 1_000;
/** The last instant of a JavaScript `Date`, in ms since the epoch. */
const INSTANT_MAX = 8_640_000_000_000_000;

/** The result that a push service reports for a token. */
const TOKEN_OUTCOMES = ['accepted', 'revoked', 'suspicious'] as const;
export type TokenOutcome = (typeof TOKEN_OUTCOMES)[number];

/** The result of one attempt to reach a device; an internal call may span many workspaces. */
export class TokenReport {
  @Uuid workspace_id: string;

  @TextOf(1, PUSH_TOKEN_LENGTH_MAX) token: string;

  @IsIn(TOKEN_OUTCOMES) outcome: TokenOutcome;

  /** The push service's own code for the result. */
  @OptionalTextOf(TOKEN_REASON_LENGTH_MAX) code?: string | null;

  /**
   * When the result was valid, in ms since the epoch: the time of the service's answer, or the time in that answer. A result from
   * before the token's last registration is ignored.
   */
  @Int
  @Min(0)
  @Max(INSTANT_MAX)
  at: number;
}

export class ReportUserTokens {
  @IsListOf(() => TokenReport, TOKEN_REPORTS_MAX) reports: TokenReport[];
}
